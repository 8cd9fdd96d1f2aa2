// SPDX-License-Identifier: BSD-3-Clause
#include "profile/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

enum Column {
  kSystem,
  kMpi,
  kColl,
  kProcs,
  kNodes,
  kPpn,
  kBytes,
  kAlgorithm,
  kSegment,
  kRep,
  kTime
};
constexpr std::size_t kColumns = 11;
constexpr std::uint64_t kMostRanks = 2147483647;  // MPI counts ranks with int
constexpr std::uint64_t kMostBytes = 1ULL << 62;  // fits SQLite's signed integer
constexpr std::uint64_t kMostReps = 1000000000;

// One line, taken apart; knows where it stands.
class Fields {
 public:
  Fields(std::string_view line, std::string_view file, std::size_t number)
      : fields_(split(line, ',')), file_(file), number_(number) {
    if (fields_.size() != kColumns) {
      expected(fmt::format("{} fields", kColumns), fmt::format("{}", fields_.size()));
    }
  }

  std::string text(Column column, bool may_be_empty) const {
    const std::string_view field = fields_[column];
    const bool bad = std::ranges::any_of(field, [](char c) {
      return c == '"' || static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    });
    if (bad || trim(field) != field)
      expected(what(column, "as plain text, without quotes or blanks around it"), field);
    if (field.empty() && !may_be_empty) expected(what(column, "(not empty)"), field);
    return std::string(field);
  }

  std::uint64_t number(Column column, std::uint64_t least, std::uint64_t most) const {
    const auto value = parse_number<std::uint64_t>(fields_[column]);
    if (!value || *value < least || *value > most) {
      expected(what(column, fmt::format("as a whole number from {} to {}", least, most)),
               fields_[column]);
    }
    return *value;
  }

  std::optional<std::uint64_t> number_or_empty(Column column, std::uint64_t least,
                                               std::uint64_t most) const {
    if (fields_[column].empty()) return std::nullopt;
    return number(column, least, most);
  }

  double time() const {
    const auto value = parse_number<double>(fields_[kTime]);
    if (!value || !std::isfinite(*value) || *value <= 0) {
      expected("time_us above 0", fields_[kTime]);
    }
    return *value;
  }

  Collective collective() const {
    try {
      return parse_collective(fields_[kColl]);
    } catch (const Error& error) {
      throw ParseError(file_, number_, error.what());
    }
  }

  [[noreturn]] void wrong(std::string_view message) const {
    throw ParseError(file_, number_, message);
  }

 private:
  static std::string what(Column column, std::string_view how) {
    return fmt::format("{} {}", split(kCsvHeader, ',')[column], how);
  }

  [[noreturn]] void expected(std::string_view what, std::string_view got) const {
    throw ParseError(file_, number_, what, got);
  }

  std::vector<std::string_view> fields_;
  std::string_view file_;
  std::size_t number_;
};

void check_placement(const Fields& fields, const Instance& instance) {
  if (instance.nodes == 0 || instance.ranks_per_node == 0) return;
  if (instance.nodes * instance.ranks_per_node >= instance.communicator_size) return;
  fields.wrong(fmt::format("{} nodes with {} ranks each do not hold {} ranks", instance.nodes,
                           instance.ranks_per_node, instance.communicator_size));
}

CsvRow parse_row(std::string_view line, std::string_view file, std::size_t number) {
  const Fields fields(line, file, number);
  CsvRow row;
  row.line = number;
  row.system = fields.text(kSystem, false);
  row.mpi = fields.text(kMpi, true);
  row.instance.collective = fields.collective();
  row.instance.communicator_size = fields.number(kProcs, 1, kMostRanks);
  row.instance.nodes = fields.number_or_empty(kNodes, 1, kMostRanks).value_or(0);
  row.instance.ranks_per_node = fields.number_or_empty(kPpn, 1, kMostRanks).value_or(0);
  check_placement(fields, row.instance);
  row.instance.message_size = fields.number(kBytes, 0, kMostBytes);
  row.method.algorithm = fields.text(kAlgorithm, false);
  row.method.segment_size = fields.number_or_empty(kSegment, 0, kMostBytes);
  if (row.method.algorithm == kDefaultAlgorithm && row.method.segment_size) {
    fields.wrong("'default' is the library's own choice: its segment_bytes must be empty");
  }
  if (const auto rep = fields.number_or_empty(kRep, 0, kMostReps)) {
    row.sample.rep = static_cast<std::int64_t>(*rep);
  }
  row.sample.time_us = fields.time();
  return row;
}

std::string_view without_return(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void check_one_library(const std::vector<CsvRow>& rows, std::string_view file) {
  std::map<std::string_view, const CsvRow*> first;
  for (const CsvRow& row : rows) {
    const CsvRow& above = *first.try_emplace(row.system, &row).first->second;
    if (above.mpi == row.mpi) continue;
    throw ParseError(file, row.line,
                     fmt::format("system '{}' has MPI library '{}' here and '{}' in line {}; two "
                                 "libraries are two systems",
                                 row.system, row.mpi, above.mpi, above.line));
  }
}

std::string optional_number(std::uint64_t value, bool known) {
  return known ? fmt::format("{}", value) : "";
}

// The shortest digits that read back, never with an exponent.
std::string fixed(double value) {
  char buffer[512];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, result.ptr};
}

std::string format_row(const CsvRow& row) {
  const Instance& instance = row.instance;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{}\n", row.system, row.mpi, name(instance.collective),
      instance.communicator_size, optional_number(instance.nodes, instance.nodes != 0),
      optional_number(instance.ranks_per_node, instance.ranks_per_node != 0), instance.message_size,
      row.method.algorithm,
      optional_number(row.method.segment_size.value_or(0), row.method.segment_size.has_value()),
      row.sample.rep == Sample::kAggregate ? "" : fmt::format("{}", row.sample.rep),
      fixed(row.sample.time_us));
}

}  // namespace

std::vector<CsvRow> parse_csv(std::string_view text, std::string_view file) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::vector<CsvRow> rows;
  std::size_t number = 0;
  for (const std::string_view raw : split(text, '\n')) {
    const std::string_view line = without_return(raw);
    if (++number > 1) {
      rows.push_back(parse_row(line, file, number));
    } else if (line != kCsvHeader) {
      throw ParseError(file, 1, fmt::format("the header '{}'", kCsvHeader), line.substr(0, 100));
    }
  }
  if (rows.empty())
    throw ParseError(file, 1, "a header and no timings: there is nothing to import");
  check_one_library(rows, file);
  return rows;
}

std::string canonical_csv(std::vector<CsvRow> rows) {
  std::ranges::sort(rows);
  std::string text = fmt::format("{}\n", kCsvHeader);
  for (const CsvRow& row : rows) text += format_row(row);
  return text;
}

}  // namespace colltree
