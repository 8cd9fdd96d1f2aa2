// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/table.h"
#include "base/text.h"

namespace colltree::evaluate {

namespace {

enum Pace : unsigned char { kFaster, kSlower, kSame };
constexpr std::array<const char*, 3> kPaces = {"faster", "slower", "no difference"};

// The pace of a time beside another one. They are the same where the intervals overlap and, where
// one is not known, where the times are equal.
Pace pace_of(const RunTime& base, const RunTime& compared) {
  const bool overlap = base.interval && compared.interval &&
                       base.interval->low <= compared.interval->high &&
                       compared.interval->low <= base.interval->high;
  if (overlap || base.time_us == compared.time_us) return kSame;
  return compared.time_us < base.time_us ? kFaster : kSlower;
}

// A column, and the table that its times come from.
struct Source {
  RunColumn column;
  const Timings* timings;
  std::optional<std::size_t> method;  // none: the default or the best
};

std::vector<Source> sources_of(const ComparedRun& run) {
  std::vector<Source> sources;
  const Timings& timings = run.timings;
  const bool has_default =
      std::ranges::any_of(timings.default_us.known_us(), [](double us) { return !std::isnan(us); });
  if (has_default) sources.push_back({{run.name, "default"}, &timings, {}});
  if (!has_default && timings.methods.size() == 1)
    sources.push_back({{run.name, timings.methods[0].label()}, &timings, 0});
  const bool is_choice =
      timings.methods.size() > (timings.default_column() || !has_default ? 1 : 0);
  if (is_choice) sources.push_back({{run.name, "best", true}, &timings, {}});
  return sources;
}

RunTime run_time(const Time& time, const std::string& method) {
  RunTime found{time.measured_us(), {}, method};
  if (time.is_predicted()) return {};
  const auto interval = time.interval();
  if (interval && interval->low < interval->high) found.interval = interval;
  return found;
}

RunTime time_at(const Source& source, std::size_t instance) {
  const Timings& timings = *source.timings;
  auto column = source.column.is_best ? timings.best_measured_at(instance) : source.method;
  if (!source.column.is_best && !source.method) {
    column = timings.default_column();
    if (!column) return run_time(timings.default_us[instance], "default");
  }
  return column ? run_time(timings.time_at(instance, *column), timings.methods[*column].label())
                : RunTime{};
}

// The only instance of the timings that is the same; none where several are.
std::optional<std::size_t> instance_like(const Timings& timings, const Instance& wanted) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Instance& here = timings.instances[i];
    if (here == wanted) return i;
    const bool is_placed = here.ranks_per_node != 0 && wanted.ranks_per_node != 0;
    const bool is_placed_alike =
        here.ranks_per_node == wanted.ranks_per_node && here.nodes == wanted.nodes;
    if (here.communicator_size != wanted.communicator_size ||
        here.message_size != wanted.message_size || (is_placed && !is_placed_alike))
      continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

RunRow row_of(const std::vector<Source>& sources, std::size_t first) {
  RunRow row{sources[0].timings->instances[first], {}};
  for (const Source& source : sources) {
    const auto index = source.timings == sources[0].timings
                           ? std::optional(first)
                           : instance_like(*source.timings, row.instance);
    row.times.push_back(index ? time_at(source, *index) : RunTime{});
  }
  return row;
}

bool has_time(const RunTime& time) { return !std::isnan(time.time_us); }

std::string title(const RunColumn& column) { return column.run + " " + column.what; }

// "9.00    +800.0 %", "2.00 =    +0.0 %": no significant difference.
std::string cell_text(const RunColumn& column, const RunTime& base, const RunTime& time) {
  if (!has_time(time)) return "-";
  const double percent = 100 * (time.time_us / base.time_us - 1);
  const char* mark = pace_of(base, time) == kSame ? "=" : " ";
  const std::string method = column.is_best ? " " + time.method : "";
  return fmt::format("{:.2f} {}{:+8.1f} %{}", time.time_us, mark, percent, method);
}

struct PaceCounts {
  std::array<std::size_t, 3> paces{};
  std::size_t count = 0;
  double ratio = 0;  // geometric mean of the times beside those of the first column
};

PaceCounts pace_counts(const SideBySide& beside, std::size_t column) {
  PaceCounts counts;
  double log_ratio = 0;
  for (const RunRow& row : beside.rows) {
    if (!has_time(row.times[column])) continue;
    ++counts.count;
    ++counts.paces[pace_of(row.times[0], row.times[column])];
    log_ratio += std::log(row.times[column].time_us / row.times[0].time_us);
  }
  counts.ratio = std::exp(log_ratio / static_cast<double>(counts.count));
  return counts;
}

std::string sum_text(const SideBySide& beside, std::size_t column) {
  const PaceCounts sum = pace_counts(beside, column);
  if (sum.count == 0) return "";
  return fmt::format(
      "  {}: faster at {} of {} sizes, slower at {}, no difference at {}; takes {:.3f} times as "
      "long (geometric mean)\n",
      title(beside.columns[column]), sum.paces[0], sum.count, sum.paces[1], sum.paces[2],
      sum.ratio);
}

// The runs that have single times.
std::string without_repeats(const SideBySide& beside) {
  std::set<std::string> runs;
  for (const RunRow& row : beside.rows)
    for (std::size_t column = 0; column < row.times.size(); ++column)
      if (has_time(row.times[column]) && !row.times[column].interval)
        runs.insert(beside.columns[column].run);
  return join(runs, ", ");
}

}  // namespace

SideBySide set_side_by_side(std::span<const ComparedRun> runs) {
  SideBySide beside{runs[0].timings.collective, {}, {}, 0};
  std::vector<Source> sources;
  for (const ComparedRun& run : runs)
    std::ranges::copy(sources_of(run), std::back_inserter(sources));
  for (const Source& source : sources) beside.columns.push_back(source.column);
  for (std::size_t i = 0; i < runs[0].timings.instances.size(); ++i) {
    RunRow row = row_of(sources, i);
    if (!has_time(row.times[0])) continue;
    bool is_matched = false;
    for (std::size_t column = 1; column < row.times.size(); ++column)
      is_matched |= sources[column].timings != sources[0].timings && has_time(row.times[column]);
    if (is_matched) {
      beside.rows.push_back(std::move(row));
    } else {
      ++beside.unmatched;
    }
  }
  if (!beside.rows.empty()) return beside;
  throw Error(fmt::format(
      "{} and {}: have no instance of {} in common: communicator sizes, message sizes and "
      "placement must be the same",
      runs[0].name, runs.back().name, name(beside.collective)));
}

namespace {

constexpr std::uint64_t kBandEnds[] = {2048, 131072};

}  // namespace

std::size_t band_of(std::uint64_t message_size) {
  return static_cast<std::size_t>(std::ranges::lower_bound(kBandEnds, message_size) -
                                  std::begin(kBandEnds));
}

std::string band_name(std::size_t band) {
  return band + 1 == kBands ? "above" : "up to " + format_bytes(kBandEnds[band]);
}

std::string side_by_side_text(const SideBySide& beside) {
  std::string text = fmt::format("{}: times in us, beside those of {}\n", name(beside.collective),
                                 title(beside.columns[0]));
  std::vector<Column> columns = {{"", "ranks", "  {:>8}"}, {"", "bytes", " {:>10}"}};
  std::vector<std::vector<Cell>> rows;
  for (const RunRow& row : beside.rows)
    rows.push_back({row.instance.communicator_size, row.instance.message_size});
  for (std::size_t column = 0; column < beside.columns.size(); ++column) {
    std::size_t width = std::max<std::size_t>(title(beside.columns[column]).size(), 18);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const RunTime& base = beside.rows[i].times[0];
      rows[i].push_back(
          column == 0 ? fmt::format("{:.2f}", base.time_us)
                      : cell_text(beside.columns[column], base, beside.rows[i].times[column]));
      width = std::max(
          width, cell_text(beside.columns[column], base, beside.rows[i].times[column]).size());
    }
    columns.push_back({"", title(beside.columns[column]), fmt::format("{{:>{}}}", width + 2)});
  }
  Table table(std::move(columns));
  for (std::vector<Cell>& row : rows) table.add(std::move(row));
  text += table.text();
  for (std::size_t column = 1; column < beside.columns.size(); ++column)
    text += sum_text(beside, column);
  if (beside.unmatched > 0)
    text += fmt::format("  {} sizes of {} have no counterpart\n", beside.unmatched,
                        title(beside.columns[0]));
  const std::string single = without_repeats(beside);
  if (!single.empty())
    text += fmt::format("  {}: times without repeats, so their noise is not known\n", single);
  return text;
}

Json side_by_side_json(const SideBySide& beside) {
  Json columns = Json::array();
  for (std::size_t column = 0; column < beside.columns.size(); ++column) {
    Json json = {{"run", beside.columns[column].run}, {"what", beside.columns[column].what}};
    if (column > 0) {
      const PaceCounts sum = pace_counts(beside, column);
      for (std::size_t pace = 0; pace < kPaces.size(); ++pace) json[kPaces[pace]] = sum.paces[pace];
      json["ratio"] = sum.count > 0 ? Json(sum.ratio) : Json();
    }
    columns.push_back(std::move(json));
  }
  Json rows = Json::array();
  for (const RunRow& row : beside.rows) {
    const auto time_json = [&](const RunTime& time) -> Json {
      if (!has_time(time)) return nullptr;
      return {{"time_us", time.time_us},
              {"low_us", time.interval ? Json(time.interval->low) : Json()},
              {"high_us", time.interval ? Json(time.interval->high) : Json()},
              {"method", time.method},
              {"ratio", time.time_us / row.times[0].time_us},
              {"verdict", kPaces[pace_of(row.times[0], time)]}};
    };
    rows.push_back({{"communicator_size", row.instance.communicator_size},
                    {"message_size", row.instance.message_size},
                    {"nodes", row.instance.nodes},
                    {"ranks_per_node", row.instance.ranks_per_node},
                    {"times", json_list(row.times, time_json)}});
  }
  return {{"collective", name(beside.collective)},
          {"columns", columns},
          {"rows", rows},
          {"unmatched", beside.unmatched}};
}

}  // namespace colltree::evaluate
