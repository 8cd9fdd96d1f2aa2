// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "report/curves.h"
#include "timings/decision_map.h"
#include "timings/instance_grid.h"

namespace colltree {

namespace {

// The measured instances of one communicator size, by message size.
std::vector<std::size_t> line_of(const Timings& timings, std::uint64_t communicator_size) {
  std::vector<std::size_t> line;
  std::vector<std::string> sizes;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::uint64_t size = timings.instances[i].communicator_size;
    if (size == communicator_size) line.push_back(i);
  }
  if (line.empty()) {
    throw Error(fmt::format("{} on {}: nothing was measured at communicator size {}",
                            name(timings.collective), timings.system, communicator_size));
  }
  return line;
}

std::set<Method> winners(const Timings& timings) {
  const DecisionMap map = make_decision_map(timings);
  std::set<Method> result;
  for (const std::uint16_t best : map.best) result.insert(map.methods[best]);
  return result;
}

Series default_series(const Timings& timings, Background background) {
  Series line{.look = {.text = "default: the library's own choice",
                       .colour = text_colour(background),
                       .mark = Mark::kLine,
                       .dash = "6 3",
                       .width = 2},
              .points = {},
              .intervals = {}};
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (std::isnan(timings.default_us[i])) continue;
    line.points.push_back(
        {message_place(timings.instances[i].message_size), timings.default_us[i]});
  }
  return line;
}

Series method_series(const Timings& timings, std::size_t method, LegendEntry look) {
  Series line{.look = std::move(look), .points = {}, .intervals = {}};
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const double time = timings.at(i, method);
    if (std::isnan(time)) continue;
    line.points.push_back({message_place(timings.instances[i].message_size), time});
    if (timings.low_us.empty() || line.look.marker < 0) continue;
    const std::size_t cell = i * timings.methods.size() + method;
    line.intervals.push_back({timings.low_us[cell], timings.high_us[cell]});
  }
  return line;
}

}  // namespace

LineFigure times_figure(std::string title, const Timings& all, std::uint64_t communicator_size,
                        Background background) {
  const Timings timings = select_instances(all, line_of(all, communicator_size));
  make_map_grid(timings);  // refuses several placements
  const std::set<Method> coloured = winners(timings);
  const Palette palette({coloured.begin(), coloured.end()}, background, PaletteUse::kLines);
  std::vector<Series> behind;
  std::vector<Series> front;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (coloured.contains(timings.methods[m])) continue;
    LegendEntry look{.text = "methods that are best nowhere here",
                     .colour = faint_colour(background),
                     .mark = Mark::kLine,
                     .width = 0.7};
    behind.push_back(method_series(timings, m, look));
  }
  Series library = default_series(timings, background);
  if (!library.points.empty()) front.push_back(std::move(library));
  int marker = 0;
  for (const Method& method : palette.methods()) {
    const auto m = static_cast<std::size_t>(std::ranges::find(timings.methods, method) -
                                            timings.methods.begin());
    front.push_back(method_series(timings, m,
                                  {.text = method.label(),
                                   .colour = palette.of(method),
                                   .mark = Mark::kLine,
                                   .marker = marker++ % 8}));
  }
  double low = INFINITY;
  double high = 0;
  std::erase_if(behind, [](const Series& line) { return line.points.empty(); });
  behind.insert(behind.end(), front.begin(), front.end());
  for (const Series& line : behind) {
    for (const Point& point : line.points) {
      low = std::min(low, point.y);
      high = std::max(high, point.y);
    }
    for (const Spread& interval : line.intervals) {
      low = std::min(low, interval.low);
      high = std::max(high, interval.high);
    }
  }
  LineFigure figure{.title = std::move(title), .panels = {}, .style = {.height = 380}};
  figure.style.titles = false;
  const Box area = panel_area(1, figure.style);
  const std::uint64_t least = timings.instances.front().message_size;
  const double first = message_place(least);
  const double last = message_place(timings.instances.back().message_size);
  figure.panels.push_back(
      {.title = {},
       .subtitle = {},
       .x = message_size_axis(first, std::max(last, 2 * first), area.width, least == 0),
       .y = time_axis(low / 1.15, high * 1.15, area.height),
       .series = std::move(behind)});
  return figure;
}

}  // namespace colltree
