// SPDX-License-Identifier: BSD-3-Clause
// Between rows of a profile's tables and the structs of cell.h and campaign.h.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <vector>

#include "profile/campaign.h"
#include "profile/cell.h"
#include "profile/profile.h"

namespace colltree {

inline constexpr const char* kKeyColumns =
    "collective, communicator_size, nodes, ranks_per_node, count, type_size, message_size, "
    "algorithm, segment_size";
inline constexpr int kKeyColumnCount = 9;

// Campaigns with the system and the configuration of campaign ?.
inline constexpr const char* kSameConfiguration =
    "SELECT b.id FROM campaigns a JOIN campaigns b ON a.system = b.system AND "
    "a.config_hash = b.config_hash WHERE a.id = ?";

// `first`: the column (from 0) where the key begins.
CellKey read_key(SQLite::Statement& query, int first);
// `first`: the parameter (from 1) where the key begins.
void bind_key(SQLite::Statement& statement, int first, const CellKey& key);

// Columns name, provenance, mpi, platform_hash, noise.
SystemInfo read_system(SQLite::Statement& query, int first);
// The columns of read_system, then id, uid, source, host, platform_file, options, config_hash,
// started_utc, colltree_version.
StoredCampaign read_campaign(SQLite::Statement& query);
// Rows of (key, status, reason, id, rep, time_us), those of one cell together; rep NULL = no
// sample.
std::vector<Cell> read_cells(SQLite::Statement& query);

// Throws Error when the cell's samples are not times.
void check(const Cell& cell);

// Prepared statements that write cells; inside a transaction.
class CellWriter {
 public:
  explicit CellWriter(SQLite::Database& database);
  void write(CampaignId campaign, const Cell& cell);

 private:
  std::int64_t write_key(CampaignId campaign, const Cell& cell);

  SQLite::Statement cell_;
  SQLite::Statement sample_;
};

}  // namespace colltree
