// SPDX-License-Identifier: BSD-3-Clause
#include "profile/verify.h"

#include <fmt/core.h>

#include <map>

#include "base/error.h"
#include "base/text.h"
#include "profile/rows.h"

namespace colltree {

namespace {

class Verification {
 public:
  Verification(SQLite::Database& database, const std::filesystem::path& path)
      : database_(database), path_(path) {}

  void run() {
    read_origins();
    visit_cells(database_, path_, {}, [this](const StoredCell& stored) { add(stored); });
    check_nothing_is_left();
    check_tallies();
    check_structure();
  }

 private:
  struct Origin {
    CampaignInfo info;
    Tally found;
  };

  [[noreturn]] void damaged(const std::string& what) const {
    throw Error(fmt::format("{}: {}; {}", path_.string(), what, kDamageRemedy));
  }

  std::int64_t count(const char* sql) const { return database_.execAndGet(sql).getInt64(); }

  void read_origins() {
    for (const StoredCampaign& campaign : read_campaigns(database_, path_)) {
      origins_[campaign.id] = {campaign.info, tally_of(campaign.info)};
    }
    if (count("SELECT count(*) FROM campaigns") != static_cast<std::int64_t>(origins_.size())) {
      damaged("a campaign without its system");
    }
    if (count("SELECT count(*) FROM systems WHERE id NOT IN (SELECT system FROM campaigns)") != 0) {
      damaged("a system without a campaign");
    }
  }

  void add(const StoredCell& stored) {
    const auto found = origins_.find(stored.campaign);
    if (found == origins_.end()) {
      damaged(
          fmt::format("table cells, row {}: there is no campaign {}", stored.id, stored.campaign));
    }
    found->second.found += tally_of(stored.cell);
    samples_ += static_cast<std::int64_t>(stored.cell.samples.size());
  }

  void check_nothing_is_left() const {
    if (count("SELECT count(*) FROM samples") == samples_) return;
    damaged("samples without their cell");
  }

  void check_tallies() const {
    for (const auto& [id, origin] : origins_) {
      const Tally held = held_tally(database_, id);
      if (held == origin.found) continue;
      const std::string head =
          fmt::format("campaign {} of {}", origin.info.uid.substr(0, 8), origin.info.system.name);
      const Tally& found = origin.found;
      if (held.cells == found.cells && held.samples == found.samples) {
        damaged(head + " is not what was written: its checksum differs");
      }
      damaged(fmt::format("{} holds {} cells and {} samples, {} and {} were written", head,
                          found.cells, found.samples, held.cells, held.samples));
    }
  }

  // Pages, keys and their order, the index against its table: what later look-ups rely on.
  void check_structure() const {
    SQLite::Statement query(database_, "PRAGMA integrity_check(1)");
    if (!query.executeStep()) return;
    const std::string said = query.getColumn(0).getString();
    if (said == "ok") return;
    // The first line names the database when there is more to say.
    const std::string_view last = split(trim(said), '\n').back();
    damaged(fmt::format("SQLite finds: {}", printable(last)));
  }

  SQLite::Database& database_;
  const std::filesystem::path& path_;
  std::map<CampaignId, Origin> origins_;
  std::int64_t samples_ = 0;
};

}  // namespace

void verify(SQLite::Database& database, const std::filesystem::path& path) {
  const SQLite::Transaction one_state(database, SQLite::TransactionBehavior::DEFERRED);
  Verification(database, path).run();
}

}  // namespace colltree
