// SPDX-License-Identifier: BSD-3-Clause
#include "profile/tally.h"

#include <fmt/core.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "base/error.h"
#include "base/text.h"
#include "profile/rows.h"

namespace colltree::profile {

namespace {

void put(std::uint64_t value, char* bytes) {
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
}

// The bytes to hash. Every text has its length in front, so that no two lists of parts are alike.
class HashInput {
 public:
  HashInput& number(std::uint64_t value) {
    char bytes[8];
    put(value, bytes);
    bytes_.append(bytes, sizeof bytes);
    return *this;
  }
  HashInput& text(std::string_view value) {
    number(value.size());
    bytes_ += value;
    return *this;
  }
  std::uint64_t hash(std::uint64_t seed) const {
    return XXH3_64bits_withSeed(bytes_.data(), bytes_.size(), seed);
  }

 private:
  std::string bytes_;
};

}  // namespace

Tally& Tally::operator+=(const Tally& added) {
  cells += added.cells;
  samples += added.samples;
  sum += added.sum;
  return *this;
}

Tally& Tally::operator-=(const Tally& removed) {
  cells -= removed.cells;
  samples -= removed.samples;
  sum -= removed.sum;
  return *this;
}

Tally tally_of(const CampaignInfo& info) {
  HashInput input;
  for (const std::string* text :
       {&info.system.name, &info.system.provenance, &info.system.mpi, &info.system.platform_hash,
        &info.system.noise, &info.uid, &info.source, &info.host, &info.platform_file, &info.options,
        &info.config_hash, &info.started_utc, &info.colltree_version}) {
    input.text(*text);
  }
  return {.sum = input.hash(0)};
}

std::uint64_t key_hash(const CellKey& key) {
  const Instance& instance = key.instance;
  HashInput input;
  input.text(name(instance.collective))
      .number(instance.communicator_size)
      .number(instance.message_size)
      .number(instance.nodes)
      .number(instance.ranks_per_node)
      .number(key.count)
      .number(key.type_size)
      .text(key.method.name())
      .number(key.method.segment_size ? 1 : 0)
      .number(key.method.segment_size.value_or(0));
  return input.hash(0);
}

Tally tally_of_state(std::uint64_t key, CellStatus status, const std::string& reason) {
  return {.cells = 1, .sum = HashInput().text(name(status)).text(reason).hash(key)};
}

Tally tally_of_sample(std::uint64_t key, const Sample& sample, std::int64_t copy) {
  char bytes[24];
  put(static_cast<std::uint64_t>(sample.rep), bytes);
  put(std::bit_cast<std::uint64_t>(sample.time_us), bytes + 8);
  put(static_cast<std::uint64_t>(copy), bytes + 16);
  return {.samples = 1, .sum = XXH3_64bits_withSeed(bytes, sizeof bytes, key)};
}

Tally tally_of(const Cell& cell) {
  const std::uint64_t key = key_hash(cell.key);
  Tally tally = tally_of_state(key, cell.status, cell.reason);
  std::vector<Sample> samples = cell.samples;
  std::ranges::sort(samples);
  std::int64_t copy = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    copy = i > 0 && samples[i] == samples[i - 1] ? copy + 1 : 0;
    tally += tally_of_sample(key, samples[i], copy);
  }
  return tally;
}

Tally held_tally(SQLite::Database& database, CampaignId campaign) {
  SQLite::Statement query(database,
                          "SELECT cell_count, sample_count, checksum FROM campaigns WHERE id = ?");
  query.bind(1, campaign);
  if (!query.executeStep()) return {};
  return {query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
          static_cast<std::uint64_t>(query.getColumn(2).getInt64())};
}

void hold_tally(SQLite::Database& database, CampaignId campaign, const Tally& tally) {
  SQLite::Statement update(
      database, "UPDATE campaigns SET cell_count = ?, sample_count = ?, checksum = ? WHERE id = ?");
  update.bind(1, tally.cells);
  update.bind(2, tally.samples);
  update.bind(3, static_cast<std::int64_t>(tally.sum));
  update.bind(4, campaign);
  update.exec();
}

namespace {

class Verification {
 public:
  Verification(SQLite::Database& database, const std::filesystem::path& path)
      : database_(database), path_(path) {}

  void run() {
    read_origins();
    visit_cells(
        database_, path_, {}, [this](CampaignId campaign, std::int64_t id, const Cell& cell) {
          const auto found = origins_.find(campaign);
          if (found == origins_.end())
            damaged(fmt::format("table cells, row {}: there is no campaign {}", id, campaign));
          found->second.second += tally_of(cell);
          samples_ += static_cast<std::int64_t>(cell.samples.size());
        });
    if (count("SELECT count(*) FROM samples") != samples_) damaged("samples without their cell");
    check_tallies();
    check_structure();
  }

 private:
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

  void check_tallies() const {
    for (const auto& [id, origin] : origins_) {
      const auto& [info, found] = origin;
      const Tally held = held_tally(database_, id);
      if (held == found) continue;
      const std::string head =
          fmt::format("campaign {} of {}", info.uid.substr(0, 8), info.system.name);
      if (held.cells == found.cells && held.samples == found.samples) {
        damaged(head + " is not what was written: its checksum differs");
      }
      damaged(fmt::format("{} holds {} cells and {} samples, {} and {} were written", head,
                          found.cells, found.samples, held.cells, held.samples));
    }
  }

  // Checks pages, keys and their order, and the index against its table: later look-ups need them.
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
  std::map<CampaignId, std::pair<CampaignInfo, Tally>> origins_;  // and what is found of it
  std::int64_t samples_ = 0;
};

}  // namespace

void verify(SQLite::Database& database, const std::filesystem::path& path) {
  const SQLite::Transaction one_state(database, SQLite::TransactionBehavior::DEFERRED);
  Verification(database, path).run();
}

}  // namespace colltree::profile
