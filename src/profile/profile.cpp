// SPDX-License-Identifier: BSD-3-Clause
#include "profile/profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "profile/begin.h"
#include "profile/rows.h"
#include "profile/schema.h"

namespace colltree {

Profile::Profile(std::filesystem::path path, OpenMode mode)
    : path_(std::move(path)), database_(open_database(path_, mode == OpenMode::kWrite)) {}

Profile::~Profile() = default;
Profile::Profile(Profile&&) noexcept = default;

void Profile::in_transaction(const std::function<void()>& work) {
  if (in_transaction_) return work();
  explained(path_, [&] {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    in_transaction_ = true;
    try {
      work();
      transaction.commit();
    } catch (...) {
      in_transaction_ = false;
      throw;
    }
    in_transaction_ = false;
  });
}

CampaignId Profile::begin_campaign(const CampaignInfo& info) {
  CampaignId id = 0;
  in_transaction([&] { id = find_or_make_campaign(*database_, path_.string(), info); });
  return id;
}

std::set<CellKey> Profile::finished_cells(CampaignId campaign) const {
  return explained(path_, [&] {
    const std::string sql =
        fmt::format("SELECT {} FROM cells WHERE campaign IN ({})", kKeyColumns, kSameConfiguration);
    SQLite::Statement query(*database_, sql);
    query.bind(1, campaign);
    std::set<CellKey> keys;
    while (query.executeStep()) keys.insert(read_key(query, 0));
    return keys;
  });
}

bool Profile::has_cell(CampaignId campaign, const CellKey& key) const {
  return explained(path_, [&] {
    const std::string sql =
        fmt::format("SELECT 1 FROM cells WHERE campaign IN ({}) AND ({}) IS ({})",
                    kSameConfiguration, kKeyColumns, "?, ?, ?, ?, ?, ?, ?, ?, ?");
    SQLite::Statement query(*database_, sql);
    query.bind(1, campaign);
    bind_key(query, 2, key);
    return query.executeStep();
  });
}

void Profile::record(CampaignId campaign, std::span<const Cell> cells) {
  for (const Cell& cell : cells) check(cell);
  in_transaction([&] {
    CellWriter writer(*database_);
    for (const Cell& cell : cells) writer.write(campaign, cell);
  });
}

void Profile::forget_failed(CampaignId campaign) {
  in_transaction([&] {
    SQLite::Statement statement(*database_,
                                "DELETE FROM cells WHERE campaign = ? AND status <> 'ok'");
    statement.bind(1, campaign);
    statement.exec();
  });
}

void Profile::forget(CampaignId campaign, std::span<const CellKey> keys) {
  constexpr const char* kWhich =
      "SELECT id FROM cells WHERE campaign = ?1 AND collective = ?2 AND communicator_size = ?3 "
      "AND nodes = ?4 AND ranks_per_node = ?5 AND count = ?6 AND type_size = ?7 AND "
      "message_size = ?8 AND algorithm = ?9 AND segment_size IS ?10";
  in_transaction([&] {
    SQLite::Statement samples(*database_,
                              fmt::format("DELETE FROM samples WHERE cell IN ({})", kWhich));
    SQLite::Statement cells(*database_, fmt::format("DELETE FROM cells WHERE id IN ({})", kWhich));
    for (const CellKey& key : keys) {
      for (SQLite::Statement* statement : {&samples, &cells}) {
        statement->reset();
        statement->bind(1, campaign);
        bind_key(*statement, 2, key);
        statement->exec();
      }
    }
  });
}

std::vector<SystemInfo> Profile::systems() const {
  return explained(path_, [&] {
    SQLite::Statement query(*database_,
                            "SELECT name, provenance, mpi, platform_hash, noise FROM systems "
                            "ORDER BY name");
    std::vector<SystemInfo> systems;
    while (query.executeStep()) systems.push_back(read_system(query, 0));
    return systems;
  });
}

std::vector<StoredCampaign> Profile::campaigns() const {
  return explained(path_, [&] {
    SQLite::Statement query(*database_,
                            "SELECT s.name, s.provenance, s.mpi, s.platform_hash, s.noise, c.id, "
                            "c.uid, c.source, c.host, c.platform_file, c.options, c.config_hash, "
                            "c.started_utc, c.colltree_version "
                            "FROM campaigns c JOIN systems s ON s.id = c.system "
                            "ORDER BY s.name, c.uid");
    std::vector<StoredCampaign> campaigns;
    while (query.executeStep()) campaigns.push_back(read_campaign(query));
    return campaigns;
  });
}

std::vector<Cell> Profile::cells(CampaignId campaign) const {
  return explained(path_, [&] {
    const std::string sql = fmt::format(
        "SELECT {}, status, reason, id, rep, time_us FROM cells "
        "LEFT JOIN samples ON samples.cell = cells.id WHERE campaign = ? ORDER BY id, rep, time_us",
        kKeyColumns);
    SQLite::Statement query(*database_, sql);
    query.bind(1, campaign);
    std::vector<Cell> cells = read_cells(query);
    std::ranges::sort(cells, {}, &Cell::key);
    return cells;
  });
}

SystemInfo Profile::require_system(const std::optional<std::string>& wanted) const {
  const std::vector<SystemInfo> all = systems();
  if (all.empty()) throw Error(fmt::format("{}: holds no timings", path_.string()));
  if (!wanted && all.size() == 1) return all.front();
  std::string names;
  for (const SystemInfo& system : all) {
    if (wanted && system.name == *wanted) return system;
    names += (names.empty() ? "" : ", ") + system.name;
  }
  if (wanted) {
    throw Error(fmt::format("{}: has no system '{}'; it holds {}", path_.string(), *wanted, names));
  }
  throw Error(fmt::format("{}: holds several systems ({}): say which with --system NAME",
                          path_.string(), names));
}

std::vector<Collective> Profile::collectives(const std::string& system) const {
  return explained(path_, [&] {
    SQLite::Statement query(*database_,
                            "SELECT DISTINCT collective FROM cells JOIN campaigns c "
                            "ON c.id = cells.campaign JOIN systems s ON s.id = c.system "
                            "WHERE s.name = ? ORDER BY collective");
    query.bind(1, system);
    std::vector<Collective> collectives;
    while (query.executeStep()) {
      collectives.push_back(parse_collective(query.getColumn(0).getString()));
    }
    return collectives;
  });
}

}  // namespace colltree
