// SPDX-License-Identifier: BSD-3-Clause
#include "timings/call_mix.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kMark = "# colltree record ";

// Versions 1 and 2; the second appends columns.
constexpr std::string_view kColumns[] = {
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us",
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us,site,symbol,sampled_calls,sampled_us,"
    "waiting_us"};

// Records of earlier builds hold the number that means "the library decides" in the C API.
constexpr std::string_view kSegmentByLibrary = "18446744073709551615";

struct Place {
  std::string_view file;
  std::size_t line;
};

// More than any job counts, and small enough that sums of rows stay exact and finite.
constexpr double kMost = 9007199254740992;  // 2^53

template <typename Number>
Number number(std::string_view text, std::string_view what, const Place& place) {
  const auto value = parse_number<Number>(text);
  if (value && *value >= 0 && static_cast<double>(*value) <= kMost) return *value;
  throw ParseError(place.file, place.line, what, text);
}

LateRank late_rank(std::string_view value, const Place& place) {
  const std::vector<std::string_view> words = split(value, ' ');
  if (words.size() != 2) throw ParseError(place.file, place.line, "a rank and microseconds", value);
  return {number<std::uint64_t>(words[0], "a rank", place),
          number<double>(words[1], "microseconds", place)};
}

// A line of the head, such as "# ranks 4".
void read_head(std::string_view line, const Place& place, CallRecord& record) {
  const std::size_t blank = line.find(' ', 2);
  const std::string_view name = line.substr(0, blank);
  const std::string_view value =
      blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1);
  if (name == "# state") record.state = value;
  if (name == "# ranks") record.ranks = number<std::uint64_t>(value, "ranks", place);
  if (name == "# ranks_covered")
    record.ranks_covered = number<std::uint64_t>(value, "ranks", place);
  if (name == "# seconds") record.seconds = number<double>(value, "seconds", place);
  if (name == "# model") record.model = value;
  if (name == "# model_provenance") record.model_provenance = value;
  if (name == "# model_algorithms") record.model_algorithms = value;
  if (name == "# model_mpi") record.model_mpi = value;
  if (name == "# late") record.late.push_back(late_rank(value, place));
  if (name == "# calls_lost") record.calls_lost = number<std::uint64_t>(value, "calls", place);
}

using Fields = std::vector<std::string_view>;

constexpr std::size_t kFieldsOf1 = 14;

CallSite site_of(const Fields& fields) {
  if (fields.size() == kFieldsOf1) return {};
  return {std::string(fields[14]), std::string(fields[15])};
}

void read_row(const Fields& fields, const Place& place, CallRecord& record) {
  const auto collective = find_collective(fields[0]);
  if (!collective) throw ParseError(place.file, place.line, "a collective", fields[0]);
  const auto whole = [&](std::size_t field) {
    return number<std::uint64_t>(fields[field], "a whole number", place);
  };
  RecordedCalls& row = record.rows.emplace_back();
  row.instance = {*collective, whole(1), whole(4), whole(2), whole(3)};
  row.method = parse_method_name(fields[5]);
  if (!fields[6].empty() && fields[6] != kSegmentByLibrary) row.method.segment_size = whole(6);
  row.why = fields[7];
  row.calls = whole(8);
  row.bytes = whole(9);
  row.rank_calls = whole(10);
  row.total_us = number<double>(fields[11], "microseconds", place);
  row.min_us = number<double>(fields[12], "microseconds", place);
  row.max_us = number<double>(fields[13], "microseconds", place);
  if (fields.size() == kFieldsOf1) return;
  row.site = site_of(fields);
  row.sampled_calls = whole(16);
  row.sampled_us = number<double>(fields[17], "microseconds", place);
  row.waiting_us = number<double>(fields[18], "microseconds", place);
}

// True for an operation of the standard in one of its forms, such as "ireduce_scatter_c".
bool is_collective_function(std::string_view name) {
  if (name.ends_with("_c")) name.remove_suffix(2);
  const bool persistent = name.ends_with("_init");
  if (persistent) name.remove_suffix(std::string_view("_init").size());
  const auto is_operation = [](std::string_view word) {
    constexpr std::string_view kNeighbour = "neighbor_";
    if (word.starts_with(kNeighbour)) word.remove_prefix(kNeighbour.size());
    return word == "alltoallw" || find_collective(word).has_value();
  };
  return is_operation(name) ||
         (!persistent && name.starts_with('i') && is_operation(name.substr(1)));
}

// A row without a message size belongs to a function that was passed on.
void read_passed(const Fields& fields, const Place& place, CallRecord& record) {
  if (!is_collective_function(fields[0]))
    throw ParseError(place.file, place.line, "a collective function", fields[0]);
  const auto whole = [&](std::size_t field) {
    return number<std::uint64_t>(fields[field], "a whole number", place);
  };
  PassedCalls& row = record.passed.emplace_back();
  row.function = fields[0];
  row.why = fields[7];
  row.communicator_size = whole(1);
  row.nodes = whole(2);
  row.ranks_per_node = whole(3);
  row.calls = whole(8);
  row.rank_calls = whole(10);
  if (!fields[11].empty()) row.total_us = number<double>(fields[11], "microseconds", place);
  row.site = site_of(fields);
}

void read_any_row(std::string_view text, std::size_t version, const Place& place,
                  CallRecord& record) {
  const Fields fields = split(text, ',');
  const auto expected =
      static_cast<std::size_t>(std::ranges::count(kColumns[version - 1], ',')) + 1;
  if (fields.size() != expected)
    throw ParseError(place.file, place.line, fmt::format("{} fields", expected), text);
  fields[4].empty() ? read_passed(fields, place, record) : read_row(fields, place, record);
}

}  // namespace

bool is_call_record(std::string_view content) { return content.starts_with(kMark); }

namespace {

// That of the first line; throws ParseError if this program does not know it.
std::size_t version_of(std::string_view line, std::string_view file) {
  const auto version =
      is_call_record(line) ? parse_number<std::uint64_t>(line.substr(kMark.size())) : std::nullopt;
  if (version && *version >= 1 && *version <= std::size(kColumns)) return *version;
  throw ParseError(file, 1, "'# colltree record 1' or '# colltree record 2'", line);
}

}  // namespace

CallRecord parse_call_record(std::string_view content, std::string_view file) {
  CallRecord record;
  std::size_t line_number = 0;
  std::size_t version = 1;
  bool in_rows = false;
  for (const std::string_view raw : split(content, '\n')) {
    const std::string_view line = trim(raw);
    const Place place{file, ++line_number};
    if (line_number == 1) {
      version = version_of(line, file);
    } else if (line.starts_with("#")) {
      read_head(line, place, record);
    } else if (!in_rows) {
      const std::string_view columns = kColumns[version - 1];
      if (line != columns) throw ParseError(file, line_number, columns, line);
      in_rows = true;
    } else if (!line.empty()) {
      read_any_row(line, version, place, record);
    }
  }
  if (!in_rows) throw ParseError(file, line_number, kColumns[version - 1], "the end");
  if (record.ranks_covered > record.ranks)
    throw ParseError(file, 1, fmt::format("no more ranks covered than the job's {}", record.ranks),
                     std::to_string(record.ranks_covered));
  return record;
}

CallRecord load_call_record(const std::filesystem::path& path) {
  return parse_call_record(read_text(path), path.string());
}

namespace {

constexpr std::string_view kHeader = "collective,communicator_size,message_size,calls";

std::uint64_t size_field(std::string_view text, std::string_view what, std::string_view file,
                         std::size_t line) {
  if (const auto value = parse_bytes(trim(text))) return *value;
  throw ParseError(file, line, what, text);
}

CallCount parse_line(std::string_view text, std::string_view file, std::size_t line) {
  const std::vector<std::string_view> fields = split(text, ',');
  if (fields.size() != 4) throw ParseError(file, line, "4 fields", text);
  const auto collective = find_collective(trim(fields[0]));
  if (!collective) throw ParseError(file, line, "a collective", fields[0]);
  const auto calls = parse_number<double>(trim(fields[3]));
  if (!calls || !std::isfinite(*calls) || *calls <= 0) {
    throw ParseError(file, line, "a number of calls above 0", fields[3]);
  }
  return {{.collective = *collective,
           .communicator_size = size_field(fields[1], "a communicator size", file, line),
           .message_size = size_field(fields[2], "a message size", file, line)},
          *calls};
}

// The mix of a record, without calls on one rank, which no method can change, and without sizes
// that a communicator's first rank did not see.
std::vector<CallCount> mix_of_record(std::string_view content, std::string_view file) {
  std::vector<CallCount> mix;
  for (const RecordedCalls& row : parse_call_record(content, file).rows) {
    if (row.instance.communicator_size > 1 && row.calls > 0)
      mix.push_back({row.instance, static_cast<double>(row.calls)});
  }
  if (mix.empty()) throw Error(std::string(file) + ": the record holds no calls");
  return mix;
}

}  // namespace

std::vector<CallCount> parse_call_mix(std::string_view content, std::string_view file) {
  if (is_call_record(content)) return mix_of_record(content, file);
  std::vector<CallCount> mix;
  std::size_t number = 0;
  for (const std::string_view raw : split(content, '\n')) {
    const std::string_view line = trim(raw);
    if (++number == 1) {
      if (line != kHeader) throw ParseError(file, 1, kHeader, line);
    } else if (!line.empty()) {
      mix.push_back(parse_line(line, file, number));
    }
  }
  if (mix.empty()) throw ParseError(file, number, "the mix holds no calls");
  return mix;
}

std::vector<CallCount> load_call_mix(const std::filesystem::path& path) {
  return parse_call_mix(read_text(path, kMostModelBytes), path.string());
}

}  // namespace colltree
