// SPDX-License-Identifier: BSD-3-Clause
#include "profile/upgrade.h"

#include <fmt/format.h>

#include <map>

#include "profile/rows.h"
#include "profile/tables.h"

namespace colltree {

namespace {

// SQLite adds no constraints to a table that is there: new ones take over the rows.
constexpr const char* kSetAside =
    "DROP INDEX cell_key;"
    "ALTER TABLE samples RENAME TO old_samples;"
    "ALTER TABLE cells RENAME TO old_cells;"
    "ALTER TABLE campaigns RENAME TO old_campaigns;"
    "ALTER TABLE systems RENAME TO old_systems;";
constexpr const char* kTakeOver =
    "INSERT INTO systems SELECT * FROM old_systems;"
    "INSERT INTO campaigns SELECT *, 0, 0, 0 FROM old_campaigns;"
    "INSERT INTO cells SELECT * FROM old_cells;"
    "INSERT INTO samples SELECT * FROM old_samples;"
    "DROP TABLE old_samples;"
    "DROP TABLE old_cells;"
    "DROP TABLE old_campaigns;"
    "DROP TABLE old_systems;";

void count_everything(SQLite::Database& database, const std::filesystem::path& path) {
  std::map<CampaignId, Tally> tallies;
  for (const StoredCampaign& campaign : read_campaigns(database, path)) {
    tallies[campaign.id] = tally_of(campaign.info);
  }
  visit_cells(database, path, {},
              [&](const StoredCell& stored) { tallies[stored.campaign] += tally_of(stored.cell); });
  for (const auto& [campaign, tally] : tallies) hold_tally(database, campaign, tally);
}

}  // namespace

void upgrade(SQLite::Database& database, const std::filesystem::path& path) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  if (database.execAndGet("PRAGMA user_version").getInt() == kSchemaVersion) return;
  database.exec(kSetAside);
  database.exec(tables_sql(kSchemaVersion));
  database.exec(kTakeOver);
  count_everything(database, path);
  database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
  transaction.commit();
}

}  // namespace colltree
