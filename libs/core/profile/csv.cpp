// SPDX-License-Identifier: BSD-3-Clause
#include "profile/csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "base/csv_fields.h"
#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "profile/importers/timing_rows.h"
#include "profile/profile.h"

namespace colltree::profile {

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

std::vector<std::string> fields_of(std::string_view line, std::string_view file, std::size_t number,
                                   std::size_t columns) {
  if (const std::string why = unfit_for_line(line); !why.empty()) {
    throw ParseError(
        file, number,
        fmt::format("this line holds {}; the format is UTF-8 without control characters", why));
  }
  auto fields = split_csv(line);
  if (!fields)
    throw ParseError(file, number, "a quote without its end, or in the middle of a field");
  if (fields->size() != columns) {
    throw ParseError(file, number, fmt::format("{} fields", columns),
                     fmt::format("{}", fields->size()));
  }
  return std::move(*fields);
}

// The fields of one line in the order of our columns, with the line's place for messages.
class Fields {
 public:
  Fields(std::vector<std::string> fields, std::string_view file, std::size_t number)
      : fields_(std::move(fields)), file_(file), number_(number) {}

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

  // The time of the row, which the file gives in 10^exponent microseconds.
  double time(int exponent) const {
    const auto value = exponent == 0 ? parse_number<double>(fields_[kTime])
                                     : find_scaled(fields_[kTime], exponent);
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

CsvRow parse_row(std::vector<std::string> our_fields, std::string_view file, std::size_t number,
                 int time_exponent) {
  const Fields fields(std::move(our_fields), file, number);
  CsvRow row;
  row.line = number;
  row.system = fields.text(kSystem, false);
  row.mpi = fields.text(kMpi, true);
  row.instance.collective = fields.collective();
  row.instance.communicator_size = fields.number(kProcs, 1, kMostRanks);
  row.instance.nodes = fields.number_or_empty(kNodes, 1, kMostRanks).value_or(0);
  row.instance.ranks_per_node = fields.number_or_empty(kPpn, 1, kMostRanks).value_or(0);
  if (const std::string why = misplaced(row.instance); !why.empty()) fields.wrong(why);
  row.instance.message_size = fields.number(kBytes, 0, kMostBytes);
  const std::string algorithm = fields.text(kAlgorithm, false);
  row.method = parse_method_name(algorithm, fields.number_or_empty(kSegment, 0, kMostBytes));
  if (row.method.algorithm == kDefaultAlgorithm && row.method.segment_size) {
    fields.wrong("'default' is the library's own choice: its segment_bytes must be empty");
  }
  if (const auto rep = fields.number_or_empty(kRep, 0, kMostReps)) {
    row.sample.rep = static_cast<std::int64_t>(*rep);
  }
  row.sample.time_us = fields.time(time_exponent);
  return row;
}

std::string known_number(std::uint64_t value) { return value == 0 ? "" : std::to_string(value); }

// The shortest digits that give the same number when read, never with an exponent.
std::string fixed(double value) {
  char buffer[512];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, result.ptr};
}

std::string format_row(const CsvRow& row, std::string (*text)(std::string_view)) {
  const Instance& instance = row.instance;
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", text(row.system), text(row.mpi),
                     name(instance.collective), instance.communicator_size,
                     known_number(instance.nodes), known_number(instance.ranks_per_node),
                     instance.message_size, text(row.method.name()),
                     row.method.segment_size ? std::to_string(*row.method.segment_size) : "",
                     row.sample.rep == Sample::kAggregate ? "" : fmt::format("{}", row.sample.rep),
                     fixed(row.sample.time_us));
}

}  // namespace

std::string misplaced(const Instance& instance) {
  const bool is_known = instance.nodes != 0 && instance.ranks_per_node != 0;
  if (!is_known || instance.nodes * instance.ranks_per_node >= instance.communicator_size)
    return "";
  return fmt::format("{} nodes with {} ranks each do not hold {} ranks", instance.nodes,
                     instance.ranks_per_node, instance.communicator_size);
}

std::string csv_line(const CsvRow& row) { return format_row(row, csv_field); }

std::string plain_csv_line(const CsvRow& row) {
  return format_row(row, [](std::string_view text) { return std::string(text); });
}

namespace {

// The exponent of the unit in microseconds.
constexpr std::pair<std::string_view, int> kTimeUnits[] = {
    {"time_us", 0}, {"time_ns", -3}, {"time_ms", 3}, {"time_s", 6}};

}  // namespace

std::map<std::string, std::string> parse_column_names(std::string_view text) {
  std::vector<std::string_view> known = split(kCsvHeader, ',');
  for (const auto& [column, exponent] : kTimeUnits) known.emplace_back(column);
  std::map<std::string, std::string> names;
  for (const std::string& part : split_csv(text).value_or(std::vector<std::string>{""})) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string ours(trim(std::string_view(part).substr(0, equals)));
    if (equals + 1 >= part.size())
      throw UsageError(
          fmt::format("--columns: expected OURS=THEIRS, for example procs=nprocs, got '{}'", part));
    if (std::ranges::count(known, ours) == 0)
      throw UsageError(fmt::format(
          "--columns: '{}' is no column of {} (or time_ns, time_ms, time_s)", ours, kCsvHeader));
    names[ours] = trim(std::string_view(part).substr(equals + 1));
  }
  return names;
}

CsvReader::CsvReader(std::string file, std::function<void(const CsvRow&)> take, CsvColumns columns)
    : file_(std::move(file)), take_(std::move(take)), columns_(std::move(columns)) {}

void CsvReader::header(std::string_view line) {
  if (!columns_.names.empty()) return find_columns(line);
  if (line == kCsvHeader) return;
  throw ParseError(file_, 1,
                   fmt::format("expected the header '{}', got '{}'; for another table say what its "
                               "columns are: --columns procs=NAME,time_us=NAME,...",
                               kCsvHeader, printable(line.substr(0, 100))));
}

void CsvReader::find_columns(std::string_view line) {
  std::vector<std::string> theirs = split_csv(line).value_or(std::vector<std::string>{});
  for (std::string& name : theirs) name = std::string(trim(name));
  width_ = theirs.size();
  std::vector<std::string> missing;
  const auto find = [&](const std::string& ours) -> std::optional<std::size_t> {
    const auto named = columns_.names.find(ours);
    const std::string& name = named == columns_.names.end() ? ours : named->second;
    if (const auto found = index_of(theirs, name)) return found;
    if (named == columns_.names.end()) return std::nullopt;
    throw ParseError(
        file_, 1,
        fmt::format("--columns: there is no column '{}'{}", name, did_you_mean(name, theirs)));
  };
  for (const std::string_view ours : split(kCsvHeader, ',')) {
    places_.push_back(find(std::string(ours)));
    // A table with other columns may lack these; its time may be in another unit.
    constexpr std::string_view kMayLack[] = {"mpi",           "nodes", "ppn",
                                             "segment_bytes", "rep",   "time_us"};
    const bool is_known = places_.back() || columns_.values.contains(std::string(ours));
    if (!is_known && std::ranges::count(kMayLack, ours) == 0) missing.emplace_back(ours);
  }
  for (const auto& [column, exponent] : kTimeUnits) {
    if (places_[kTime]) break;
    places_[kTime] = find(std::string(column));
    time_exponent_ = exponent;
  }
  if (!places_[kTime]) missing.emplace_back("time_us");
  if (missing.empty()) return;
  throw ParseError(file_, 1,
                   fmt::format("no column says {0}: name it in --columns, or give what holds for "
                               "all rows as --system, --collective or --communicator-sizes",
                               join(missing, ", ")));
}

std::vector<std::string> CsvReader::our_fields(std::string_view line) const {
  if (places_.empty()) return fields_of(line, file_, number_, kColumns);
  const std::vector<std::string> theirs = fields_of(line, file_, number_, width_);
  std::vector<std::string> fields;
  for (const std::string_view ours : split(kCsvHeader, ',')) {
    const auto place = places_[fields.size()];
    const auto value = columns_.values.find(std::string(ours));
    if (place) {
      fields.emplace_back(trim(theirs[*place]));
      const auto called =
          ours == "collective" ? find_called_collective(fields.back()) : std::nullopt;
      if (called) fields.back() = name(*called);
    } else {
      fields.push_back(value == columns_.values.end() ? "" : value->second);
    }
  }
  return fields;
}

void CsvReader::line(std::string_view line) {
  if (++number_ == 1) return header(line);
  const CsvRow row = parse_row(our_fields(line), file_, number_, time_exponent_);
  check_one_library(row);
  take_(row);
}

void CsvReader::check_one_library(const CsvRow& row) {
  const auto& [mpi, line] = libraries_.try_emplace(row.system, row.mpi, row.line).first->second;
  if (mpi == row.mpi) return;
  throw ParseError(file_, row.line,
                   fmt::format("system '{}' has MPI library '{}' here and '{}' in line {}; two "
                               "libraries are two systems",
                               row.system, row.mpi, mpi, line));
}

void CsvReader::end() {
  if (number_ == 0) header("");
  if (number_ == 1) {
    throw ParseError(file_, 1, "a header and no timings: there is nothing to import");
  }
}

std::string canonical_csv(std::vector<CsvRow> rows) {
  std::ranges::sort(rows);
  std::string text = fmt::format("{}\n", kCsvHeader);
  for (const CsvRow& row : rows) text += csv_line(row);
  return text;
}

}  // namespace colltree::profile
