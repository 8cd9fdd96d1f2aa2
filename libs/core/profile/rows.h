// SPDX-License-Identifier: BSD-3-Clause
// Reads a row of a profile's tables and trusts nothing: SQLite accepts text in a column of
// integers, and a damaged file may hold anything. Every function throws Error that names file,
// table, row and column when the value has not the kind and range of the column.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "profile/tally.h"

namespace colltree::profile {

// The remedy for a damaged profile, at the end of every such message.
extern const char* const kDamageRemedy;

class StoredRow {
 public:
  // The current row of `query`. `place` is the table and the word for its rows, "cells, row"; `id`
  // is the column with the row's number.
  StoredRow(const std::filesystem::path& path, SQLite::Statement& query, const char* place, int id)
      : path_(path), query_(query), place_(place), id_(id) {}

  std::int64_t integer(int column, std::int64_t least, std::int64_t most) const;
  std::uint64_t number(int column, std::uint64_t least, std::uint64_t most) const;
  std::optional<std::uint64_t> number_or_null(int column, std::uint64_t most) const;
  double time_us(int column) const;
  std::string word(int column) const;       // UTF-8 without control characters
  std::string free_text(int column) const;  // any UTF-8; control characters made visible
  bool is_null(int column) const { return query_.isColumnNull(column); }

  // "FILE: table cells, row 17: status is 'oj', expected ...; REMEDY"
  [[noreturn]] void wrong(int column, std::string_view expected) const;

 private:
  std::string text(int column) const;
  std::string shown(int column) const;

  const std::filesystem::path& path_;
  SQLite::Statement& query_;
  const char* place_;
  int id_;
};

// Conversions between rows of a profile's tables and the structs of profile.h. Everything that is
// read is checked column by column (StoredRow).

inline constexpr const char* kKeyColumns =
    "collective, communicator_size, nodes, ranks_per_node, count, type_size, message_size, "
    "algorithm, segment_size";
inline constexpr int kKeyColumnCount = 9;

// The campaigns with the system and the configuration of campaign ?.
inline constexpr const char* kSameConfiguration =
    "SELECT b.id FROM campaigns a JOIN campaigns b ON a.system = b.system AND "
    "a.config_hash = b.config_hash WHERE a.id = ?";

// `first` is the column (from 0) where the key begins.
CellKey read_key(const StoredRow& row, int first);
// `first` is the parameter (from 1) where the key begins.
void bind_key(SQLite::Statement& statement, int first, const CellKey& key);

// Columns name, provenance, mpi, platform_hash, noise.
SystemInfo read_system(const StoredRow& row, int first);
// All campaigns, by system and uid.
std::vector<StoredCampaign> read_campaigns(SQLite::Database& database,
                                           const std::filesystem::path& path);

// Selects cells; an empty field selects all.
struct CellFilter {
  std::optional<CampaignId> campaign;
  std::optional<std::string> system;
  std::optional<Collective> collective;
};

using CellVisitor = std::function<void(CampaignId campaign, std::int64_t id, Cell& cell)>;

// Reads the cells with their samples, by id. It reads the tables themselves, never an index, so it
// also finds cells that an index lost.
void visit_cells(SQLite::Database& database, const std::filesystem::path& path,
                 const CellFilter& filter, const CellVisitor& visit);

// Throws Error when a profile cannot hold the cell: a sample is no valid time, a name no plain
// word.
void check(const Cell& cell);

// Prepared statements that write cells of a campaign; inside a transaction.
class CellWriter {
 public:
  CellWriter(SQLite::Database& database, const std::filesystem::path& path, CampaignId campaign);
  void write(const Cell& cell);
  void hold() const;  // what the campaign holds now, after the last cell

 private:
  std::int64_t write_key(const Cell& cell, std::uint64_t key);

  SQLite::Database& database_;
  const std::filesystem::path& path_;
  CampaignId campaign_;
  Tally tally_;
  SQLite::Statement find_;
  SQLite::Statement insert_;
  SQLite::Statement change_;
  SQLite::Statement sample_;
};

}  // namespace colltree::profile
