// SPDX-License-Identifier: BSD-3-Clause
#include "profile/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/csv_fields.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/printable.h"
#include "base/text.h"
#include "profile/limits.h"

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

// One line, taken apart; knows where it stands.
class Fields {
 public:
  Fields(std::string_view line, std::string_view file, std::size_t number)
      : file_(file), number_(number) {
    if (const std::string why = unfit_for_line(line); !why.empty()) {
      wrong(fmt::format("this line holds {}; the format is UTF-8 without control characters", why));
    }
    auto fields = split_csv(line);
    if (!fields) wrong("a quote without its end, or in the middle of a field");
    fields_ = std::move(*fields);
    if (fields_.size() != kColumns) {
      expected(fmt::format("{} fields", kColumns), fmt::format("{}", fields_.size()));
    }
  }

  std::string text(Column column, bool may_be_empty) const {
    const std::string& field = fields_[column];
    if (trim(field) != field) expected(what(column, "without blanks around it"), field);
    if (field.empty() && !may_be_empty) expected(what(column, "(not empty)"), field);
    return field;
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
    if (!value || !is_time(*value)) expected("time_us " + time_limits(), fields_[kTime]);
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

  std::vector<std::string> fields_;
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

std::string format_row(const CsvRow& row, std::string (*text)(std::string_view)) {
  const Instance& instance = row.instance;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{}\n", text(row.system), text(row.mpi),
      name(instance.collective), instance.communicator_size,
      optional_number(instance.nodes, instance.nodes != 0),
      optional_number(instance.ranks_per_node, instance.ranks_per_node != 0), instance.message_size,
      text(row.method.algorithm),
      optional_number(row.method.segment_size.value_or(0), row.method.segment_size.has_value()),
      row.sample.rep == Sample::kAggregate ? "" : fmt::format("{}", row.sample.rep),
      fixed(row.sample.time_us));
}

}  // namespace

std::string csv_line(const CsvRow& row) { return format_row(row, csv_field); }

std::string plain_csv_line(const CsvRow& row) {
  return format_row(row, [](std::string_view text) { return std::string(text); });
}

CsvReader::CsvReader(std::string file, std::function<void(const CsvRow&)> take)
    : file_(std::move(file)), take_(std::move(take)) {}

void CsvReader::header(std::string_view line) const {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line == kCsvHeader) return;
  throw ParseError(file_, 1, fmt::format("the header '{}'", kCsvHeader), line.substr(0, 100));
}

void CsvReader::line(std::string_view line) {
  if (++number_ == 1) return header(line);
  const CsvRow row = parse_row(line, file_, number_);
  check_one_library(row);
  take_(row);
}

void CsvReader::check_one_library(const CsvRow& row) {
  const Library& above =
      libraries_.try_emplace(row.system, Library{row.mpi, row.line}).first->second;
  if (above.mpi == row.mpi) return;
  throw ParseError(file_, row.line,
                   fmt::format("system '{}' has MPI library '{}' here and '{}' in line {}; two "
                               "libraries are two systems",
                               row.system, row.mpi, above.mpi, above.line));
}

void CsvReader::end() {
  if (number_ == 0) header("");
  if (number_ == 1) {
    throw ParseError(file_, 1, "a header and no timings: there is nothing to import");
  }
}

std::vector<CsvRow> parse_csv(std::string_view text, const std::string& file) {
  std::vector<CsvRow> rows;
  CsvReader reader(file, [&](const CsvRow& row) { rows.push_back(row); });
  LineSplitter lines(file, [&](std::string_view line) { reader.line(line); });
  lines.add(text);
  lines.end();
  reader.end();
  return rows;
}

std::string canonical_csv(std::vector<CsvRow> rows) {
  std::ranges::sort(rows);
  std::string text = fmt::format("{}\n", kCsvHeader);
  for (const CsvRow& row : rows) text += csv_line(row);
  return text;
}

}  // namespace colltree
