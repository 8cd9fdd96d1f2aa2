// SPDX-License-Identifier: BSD-3-Clause
// One row of a profile's table, read with suspicion: SQLite keeps text in a column of integers, and
// a damaged file holds anything. Every function throws Error that names file, table, row and column
// when the value is not of the kind and range that the column has.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace colltree {

// What to do with a profile that is damaged: the end of every such message.
extern const char* const kDamageRemedy;

class StoredRow {
 public:
  // The row that `query` stands at. `place`: the table and what names a row of it, "cells, row";
  // `id`: the column that holds that name.
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

}  // namespace colltree
