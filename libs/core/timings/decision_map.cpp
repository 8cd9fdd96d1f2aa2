// SPDX-License-Identifier: BSD-3-Clause
#include "timings/decision_map.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

#include "base/csv_fields.h"
#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "timings/interpolation.h"

namespace colltree {

namespace {

// The cost of asking for each method in the cell.
std::vector<double> times_of(const DecisionMap& map, std::size_t cell, const Timings& timings) {
  if (!map.instance[cell]) return interpolated_times(map, timings, cell);
  std::vector<double> times;
  for (const Method& method : map.methods)
    times.push_back(timings.time_of(*map.instance[cell], method).known_us());
  return times;
}

}  // namespace

DecisionMap make_decision_map(const Timings& timings) {
  DecisionMap map{make_map_grid(timings), timings.collective, timings.methods, {}, {}, {}};
  for (std::size_t cell = 0; cell < map.cells(); ++cell) {
    const auto& instance = map.instance[cell];
    const std::vector<double> times = times_of(map, cell, timings);
    const auto best = best_method(times);
    if (!best) {
      throw Error(fmt::format("{}: no method was measured on {} ranks with {} B",
                              name(map.collective), map.communicator_sizes()[cell / map.columns()],
                              map.message_sizes()[cell % map.columns()]));
    }
    map.best.push_back(static_cast<std::uint16_t>(*best));
    map.origin.push_back(!instance ? CellOrigin::kInterpolated
                         : timings.time_at(*instance, *best).is_predicted()
                             ? CellOrigin::kPredicted
                             : CellOrigin::kMeasured);
    map.time_us.insert(map.time_us.end(), times.begin(), times.end());
  }
  return map;
}

namespace {

std::string_view name(CellOrigin origin) {
  constexpr std::string_view kNames[] = {"measured", "interpolated", "predicted"};  // by CellOrigin
  return kNames[static_cast<std::size_t>(origin)];
}

double best_time_us(const DecisionMap& map, std::size_t cell) {
  return map.time_us[cell * map.methods.size() + map.best[cell]];
}

std::size_t cells_of(const DecisionMap& map, CellOrigin origin) {
  return static_cast<std::size_t>(std::ranges::count(map.origin, origin));
}

}  // namespace

char map_letter(std::size_t rank) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  return rank < kLetters.size() ? kLetters[rank] : '#';
}

std::string column_titles(const std::vector<std::uint64_t>& message_sizes, std::size_t indent,
                          std::size_t width) {
  std::vector<std::string> titles;
  std::size_t height = 0;
  for (const std::uint64_t size : message_sizes) {
    titles.push_back(size == 0 ? "0" : format_bytes(size));
    if (titles.back().ends_with('B')) titles.back().pop_back();
    height = std::max(height, titles.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < height; ++line) {
    std::string row(indent, ' ');
    for (const std::string& title : titles) {
      const std::size_t blank = height - title.size();
      row += line < blank ? ' ' : title[line - blank];
      row.append(width - 1, ' ');
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::vector<MethodShare> method_shares(const DecisionMap& map) {
  std::vector<MethodShare> shares;
  for (std::size_t m = 0; m < map.methods.size(); ++m) {
    const auto cells = static_cast<std::size_t>(std::ranges::count(map.best, m));
    if (cells != 0) shares.push_back({m, cells});
  }
  std::ranges::stable_sort(shares, std::greater(), &MethodShare::cells);
  return shares;
}

Json map_json(const DecisionMap& map) {
  Json methods = Json::array();
  for (const MethodShare& share : method_shares(map)) {
    const Method& method = map.methods[share.method];
    methods.push_back(
        {{"method", method.label()},
         {"algorithm", method.name()},
         {"segment_size", method.segment_size ? Json(*method.segment_size) : Json()},
         {"cells", share.cells},
         {"share", static_cast<double>(share.cells) / static_cast<double>(map.best.size())}});
  }
  Json cells = Json::array();
  for (std::size_t cell = 0; cell < map.best.size(); ++cell) {
    cells.push_back({{"communicator_size", map.communicator_sizes()[cell / map.columns()]},
                     {"message_size", map.message_sizes()[cell % map.columns()]},
                     {"method", map.methods[map.best[cell]].label()},
                     {"origin", name(map.origin[cell])},
                     {"time_us", best_time_us(map, cell)}});
  }
  return {{"collective", name(map.collective)},
          {"communicator_sizes", map.communicator_sizes()},
          {"message_sizes", map.message_sizes()},
          {"interpolated", cells_of(map, CellOrigin::kInterpolated)},
          {"predicted", cells_of(map, CellOrigin::kPredicted)},
          {"methods", methods},
          {"cells", cells}};
}

std::string map_csv(const DecisionMap& map) {
  std::string csv =
      "collective,communicator_size,message_size,method,algorithm,segment_size,origin,time_us\n";
  for (std::size_t cell = 0; cell < map.best.size(); ++cell) {
    const Method& method = map.methods[map.best[cell]];
    csv += fmt::format("{},{},{},{},{},{},{},{}\n", name(map.collective),
                       map.communicator_sizes()[cell / map.columns()],
                       map.message_sizes()[cell % map.columns()], csv_field(method.label()),
                       csv_field(method.name()),
                       method.segment_size ? fmt::format("{}", *method.segment_size) : "",
                       name(map.origin[cell]), format_double(best_time_us(map, cell)));
  }
  return csv;
}

}  // namespace colltree
