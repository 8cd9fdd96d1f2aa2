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
        fmt::format("SELECT id, {} FROM cells NOT INDEXED WHERE campaign IN ({})", kKeyColumns,
                    kSameConfiguration);
    SQLite::Statement query(*database_, sql);
    query.bind(1, campaign);
    const StoredRow row(path_, query, "cells, row", 0);
    std::set<CellKey> keys;
    while (query.executeStep()) keys.insert(read_key(row, 1));
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
    CellWriter writer(*database_, path_, campaign);
    for (const Cell& cell : cells) writer.write(cell);
    writer.hold();
  });
}

namespace {

void forget_cells(Profile& profile, CampaignId campaign,
                  const std::function<bool(const Cell&)>& chosen) {
  SQLite::Database& database = profile.database();
  profile.in_transaction([&] {
    Tally tally = held_tally(database, campaign);
    std::vector<std::int64_t> ids;
    visit_cells(database, profile.path(), {.campaign = campaign}, [&](const StoredCell& stored) {
      if (!chosen(stored.cell)) return;
      tally -= tally_of(stored.cell);
      ids.push_back(stored.id);
    });
    SQLite::Statement samples(database, "DELETE FROM samples WHERE cell = ?");
    SQLite::Statement cells(database, "DELETE FROM cells WHERE id = ?");
    for (const std::int64_t id : ids) {
      for (SQLite::Statement* statement : {&samples, &cells}) {
        statement->reset();
        statement->bind(1, id);
        statement->exec();
      }
    }
    hold_tally(database, campaign, tally);
  });
}

}  // namespace

void Profile::forget_failed(CampaignId campaign) {
  forget_cells(*this, campaign, [](const Cell& cell) { return cell.status != CellStatus::kOk; });
}

void Profile::forget(CampaignId campaign, std::span<const CellKey> keys) {
  const std::set<CellKey> named(keys.begin(), keys.end());
  forget_cells(*this, campaign, [&](const Cell& cell) { return named.contains(cell.key); });
}

std::vector<SystemInfo> Profile::systems() const {
  return explained(path_, [&] {
    SQLite::Statement query(*database_,
                            "SELECT id, name, provenance, mpi, platform_hash, noise FROM systems "
                            "ORDER BY name");
    std::vector<SystemInfo> systems;
    const StoredRow row(path_, query, "systems, row", 0);
    while (query.executeStep()) systems.push_back(read_system(row, 1));
    return systems;
  });
}

std::vector<StoredCampaign> Profile::campaigns() const {
  return explained(path_, [&] { return read_campaigns(*database_, path_); });
}

std::vector<Cell> Profile::cells(CampaignId campaign) const {
  return explained(path_, [&] {
    std::vector<Cell> cells;
    visit_cells(*database_, path_, {.campaign = campaign},
                [&](StoredCell& stored) { cells.push_back(std::move(stored.cell)); });
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
                            "SELECT DISTINCT collective FROM cells NOT INDEXED JOIN campaigns c "
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
