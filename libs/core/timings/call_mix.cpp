// SPDX-License-Identifier: BSD-3-Clause
#include "timings/call_mix.h"

#include <fmt/core.h>

#include <cmath>
#include <iterator>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kMark = "# colltree record ";

// Versions 1 and 2; the second appends columns.
constexpr std::string_view kAllColumns =
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us,site,symbol,sampled_calls,sampled_us,"
    "waiting_us,completing_us";
constexpr std::string_view kColumns[] = {kAllColumns.substr(0, kAllColumns.find(",site")),
                                         kAllColumns};

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

// The fields of a row.
struct Fields {
  std::vector<std::string_view> texts;
  const Place& place;

  std::string_view operator[](std::size_t field) const { return texts[field]; }
  std::uint64_t whole(std::size_t field) const {
    return number<std::uint64_t>(texts[field], "a whole number", place);
  }
  double us(std::size_t field) const { return number<double>(texts[field], "microseconds", place); }
  bool is_of_1() const { return texts.size() == 14; }
  CallSite site() const {
    if (is_of_1()) return {};
    return {std::string(texts[14]), std::string(texts[15])};
  }
};

RecordedCalls calls_of(const Fields& fields) {
  const auto collective = find_collective(fields[0]);
  if (!collective)
    throw ParseError(fields.place.file, fields.place.line, "a collective", fields[0]);
  RecordedCalls row{
      .instance = {*collective, fields.whole(1), fields.whole(4), fields.whole(2), fields.whole(3)},
      .method = parse_method_name(fields[5]),
      .why = std::string(fields[7]),
      .calls = fields.whole(8),
      .bytes = fields.whole(9),
      .rank_calls = fields.whole(10),
      .total_us = fields.us(11),
      .min_us = fields.us(12),
      .max_us = fields.us(13),
      .site = fields.site()};
  if (!fields[6].empty() && fields[6] != kSegmentByLibrary)
    row.method.segment_size = fields.whole(6);
  if (fields.is_of_1()) return row;
  row.sampled_calls = fields.whole(16);
  row.sampled_us = fields.us(17);
  row.waiting_us = fields.us(18);
  return row;
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
PassedCalls passed_of(const Fields& fields) {
  if (!is_collective_function(fields[0]))
    throw ParseError(fields.place.file, fields.place.line, "a collective function", fields[0]);
  PassedCalls row{.function = std::string(fields[0]),
                  .why = std::string(fields[7]),
                  .communicator_size = fields.whole(1),
                  .nodes = fields.whole(2),
                  .ranks_per_node = fields.whole(3),
                  .calls = fields.whole(8),
                  .rank_calls = fields.whole(10),
                  .site = fields.site()};
  if (!fields[11].empty()) row.total_us = fields.us(11);
  if (fields.is_of_1()) return row;
  row.completing_us = fields.us(19);
  row.total_us = row.total_us.value_or(0) + row.completing_us;
  return row;
}

void read_any_row(std::string_view text, std::string_view columns, const Place& place,
                  CallRecord& record) {
  const Fields fields{split(text, ','), place};
  const std::size_t expected = split(columns, ',').size();
  if (fields.texts.size() != expected)
    throw ParseError(place.file, place.line, fmt::format("{} fields", expected), text);
  if (fields[4].empty())
    record.passed.push_back(passed_of(fields));
  else
    record.rows.push_back(calls_of(fields));
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
  std::string_view columns;
  bool in_rows = false;
  for (const std::string_view raw : split(content, '\n')) {
    const std::string_view line = trim(raw);
    const Place place{file, ++line_number};
    if (line_number == 1) {
      columns = kColumns[version_of(line, file) - 1];
    } else if (line.starts_with("#")) {
      read_head(line, place, record);
    } else if (!in_rows) {
      if (line != columns) throw ParseError(file, line_number, columns, line);
      in_rows = true;
    } else if (!line.empty()) {
      read_any_row(line, columns, place, record);
    }
  }
  if (!in_rows) throw ParseError(file, line_number, columns, "the end");
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
