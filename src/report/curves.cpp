// SPDX-License-Identifier: BSD-3-Clause
#include "report/curves.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "timings/decision_map.h"
#include "timings/instance_grid.h"

namespace colltree::report {

namespace {

// How lines that stand for no method look: a few hues far apart for every eye, each with its
// marker, and every second one dashed.
LegendEntry line_look(std::string name, std::size_t index, Background background) {
  // Okabe and Ito's colours (2008), the readable ones on each background.
  static constexpr Colour kOnLight[] = {{0, 114, 178},  {213, 94, 0}, {0, 138, 100},
                                        {170, 68, 130}, {90, 90, 90}, {150, 110, 0}};
  static constexpr Colour kOnDark[] = {{86, 180, 233},  {255, 140, 66},  {54, 200, 150},
                                       {230, 150, 200}, {200, 200, 200}, {240, 228, 66}};
  constexpr std::size_t kCount = std::size(kOnLight);
  const Colour colour =
      background == Background::kLight ? kOnLight[index % kCount] : kOnDark[index % kCount];
  return {.text = std::move(name),
          .colour = colour,
          .mark = Mark::kLine,
          .dash = index % 2 == 1 ? "5 3" : "",
          .marker = static_cast<int>(index % 8)};
}

constexpr double kPercent = 100;

Series series(const std::string& name, std::size_t index, Background background) {
  return {.look = line_look(name, index, background), .points = {}, .intervals = {}};
}

template <typename Value>
double greatest(const std::vector<StudyCurve>& curves, const Value& value) {
  double most = 0;
  for (const StudyCurve& curve : curves) {
    for (const StudyRow& row : curve.rows) most = std::max(most, value(row));
  }
  return most;
}

double mean_penalty(const StudyRow& row) { return row.penalty.mean; }
double mean_depth(const StudyRow& row) { return row.shape.mean_depth; }
double threshold_percent(const StudyRow& row) { return kPercent * row.options.accuracy_threshold; }

std::vector<double> mean_penalties(const std::vector<StudyCurve>& curves) {
  std::vector<double> result;
  for (const StudyCurve& curve : curves) {
    for (const StudyRow& row : curve.rows) result.push_back(row.penalty.mean);
  }
  return result;
}

// One panel of `y` against `x`, a line for each curve.
template <typename X, typename Y>
LinePanel panel_of(const std::vector<StudyCurve>& curves, Axis x_axis, Axis y_axis, const X& x,
                   const Y& y, Background background) {
  LinePanel panel{
      .title = {}, .subtitle = {}, .x = std::move(x_axis), .y = std::move(y_axis), .series = {}};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    Series line = series(curves[i].name, i, background);
    for (const StudyRow& row : curves[i].rows) line.points.push_back({x(row), y(row)});
    panel.series.push_back(std::move(line));
  }
  return panel;
}

std::string mean_title(bool one, const std::string& name) { return one ? "" : name; }

LineFigure leaves_on(std::string title, Axis y, const std::vector<LeavesCurve>& curves,
                     Background background) {
  double most_leaves = 2;
  for (const LeavesCurve& curve : curves) {
    for (const Point& point : curve.points) most_leaves = std::max(most_leaves, point.x);
  }
  const PanelStyle style{.titles = false};
  const Box area = panel_area(1, style);
  LinePanel panel{.title = {},
                  .subtitle = {},
                  .x = log2_count_axis("leaves", 1, most_leaves, area.width),
                  .y = std::move(y),
                  .series = {}};
  for (std::size_t i = 0; i < curves.size(); ++i) {
    Series line = series(curves[i].name, i, background);
    line.points = curves[i].points;
    line.stairs = curves[i].frontier;
    if (curves[i].frontier) line.look.width = 2;
    panel.series.push_back(line);
    if (curves[i].bound.empty()) continue;
    line.points = curves[i].bound;
    line.look.text += ": no tree is below";
    line.look.dash = "2 2";
    line.look.marker = -1;
    panel.series.push_back(std::move(line));
  }
  return {std::move(title), {std::move(panel)}, style};
}

// The measured instances of one communicator size, by message size.
std::vector<std::size_t> line_of(const Timings& timings, std::uint64_t communicator_size) {
  std::vector<std::size_t> line;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (timings.instances[i].communicator_size == communicator_size) line.push_back(i);
  }
  if (line.empty()) {
    throw Error(fmt::format("{} on {}: nothing was measured at communicator size {}",
                            name(timings.collective), timings.system, communicator_size));
  }
  return line;
}

std::set<Method> methods_in_map(const Timings& timings) {
  if (timings.methods.empty()) return {};
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
    if (timings.default_us[i].is_impossible()) continue;
    line.points.push_back(
        {message_place(timings.instances[i].message_size), timings.default_us[i].known_us()});
  }
  return line;
}

Series method_series(const Timings& timings, std::size_t method, LegendEntry look) {
  Series line{.look = std::move(look), .points = {}, .intervals = {}};
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Time time = timings.at(i, method);
    if (time.is_impossible()) continue;
    line.points.push_back({message_place(timings.instances[i].message_size), time.known_us()});
    const auto interval = time.interval();
    if (interval && line.look.marker >= 0)
      line.intervals.push_back({interval->low, interval->high});
  }
  return line;
}

// The lines of methods that are best nowhere, behind all others and without colour.
std::vector<Series> grey_series(const Timings& timings, const std::set<Method>& coloured,
                                Background background) {
  const LegendEntry look{.text = "methods that are best nowhere here",
                         .colour = faint_colour(background),
                         .mark = Mark::kLine,
                         .width = 0.7};
  std::vector<Series> lines;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    const Method& method = timings.methods[m];
    if (!coloured.contains(method) && !is_library_default(method))
      lines.push_back(method_series(timings, m, look));
  }
  std::erase_if(lines, [](const Series& line) { return line.points.empty(); });
  return lines;
}

std::vector<Series> time_series(const Timings& timings, Background background) {
  std::set<Method> coloured = methods_in_map(timings);
  coloured.erase(library_default());  // has a line of its own
  std::vector<Series> lines = grey_series(timings, coloured, background);
  Series library = default_series(timings, background);
  if (!library.points.empty()) lines.push_back(std::move(library));
  const Palette palette({coloured.begin(), coloured.end()}, background, PaletteUse::kLines);
  int marker = 0;
  for (const Method& method : palette.methods()) {
    const auto m = static_cast<std::size_t>(std::ranges::find(timings.methods, method) -
                                            timings.methods.begin());
    lines.push_back(method_series(timings, m,
                                  {.text = method.label(),
                                   .colour = palette.of(method),
                                   .mark = Mark::kLine,
                                   .marker = marker++ % 8}));
  }
  return lines;
}

// From the least to the greatest time that the lines and their intervals reach.
Spread time_range(const std::vector<Series>& lines) {
  Spread range{.low = INFINITY, .high = 0};
  for (const Series& line : lines) {
    for (const Point& point : line.points) {
      range.low = std::min(range.low, point.y);
      range.high = std::max(range.high, point.y);
    }
    for (const Spread& interval : line.intervals) {
      range.low = std::min(range.low, interval.low);
      range.high = std::max(range.high, interval.high);
    }
  }
  return range;
}

}  // namespace

LineFigure depth_figure(std::string title, const std::vector<StudyCurve>& curves,
                        Background background) {
  LineFigure figure{.title = std::move(title), .panels = {}, .style = {}};
  const bool one = curves.size() == 1;
  figure.style.titles = !one;
  for (const StudyCurve& curve : curves) {
    std::vector<std::string> depths;
    std::vector<double> penalties;
    for (const StudyRow& row : curve.rows) {
      depths.push_back(std::to_string(row.options.max_depth.value_or(0)));
      penalties.insert(penalties.end(), {row.penalty.mean, row.penalty.median, row.penalty.p95});
    }
    LinePanel panel{.title = mean_title(one, curve.name),
                    .subtitle = {},
                    .x = category_axis("depth limit", depths),
                    .y = log_penalty_axis("performance penalty", penalties),
                    .series = {series("mean", 0, background), series("median", 1, background),
                               series("95th percentile", 2, background)}};
    for (std::size_t i = 0; i < curve.rows.size(); ++i) {
      const PenaltySummary& penalty = curve.rows[i].penalty;
      const double values[] = {penalty.mean, penalty.median, penalty.p95};
      for (std::size_t line = 0; line < 3; ++line) {
        panel.series[line].points.push_back({static_cast<double>(i), values[line]});
      }
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

LineFigure threshold_figure(std::string title, const std::vector<StudyCurve>& curves,
                            Background background) {
  LineFigure figure{.title = std::move(title), .panels = {}, .style = {}};
  figure.style.titles = false;
  const Box area = panel_area(2, figure.style);
  const auto threshold_axis = [&] {
    return linear_axis("accuracy threshold [%]", 100, area.width);
  };
  figure.panels.push_back(
      panel_of(curves, threshold_axis(),
               linear_axis("mean depth of the tree", greatest(curves, mean_depth), area.height),
               threshold_percent, mean_depth, background));
  figure.panels.push_back(
      panel_of(curves, threshold_axis(),
               log_penalty_axis("mean performance penalty", mean_penalties(curves)),
               threshold_percent, mean_penalty, background));
  return figure;
}

LineFigure limits_figure(std::string title, const std::vector<StudyCurve>& curves,
                         Background background) {
  LineFigure figure{.title = std::move(title), .panels = {}, .style = {}};
  const Box area = panel_area(curves.size(), figure.style);
  for (const StudyCurve& curve : curves) {
    Series depth = series("maximum depth", 0, background);
    Series threshold = series("accuracy threshold", 1, background);
    for (const StudyRow& row : curve.rows) {
      Series& line = row.limit == "accuracy_threshold" ? threshold : depth;
      line.points.push_back({mean_depth(row), mean_penalty(row)});
    }
    figure.panels.push_back(
        {.title = curve.name,
         .subtitle = {},
         .x = linear_axis("mean depth of the tree", greatest({curve}, mean_depth), area.width),
         .y = log_penalty_axis("mean performance penalty", mean_penalties({curve})),
         .series = {std::move(threshold), std::move(depth)}});
  }
  return figure;
}

LineFigure leaves_figure(std::string title, std::string value_name,
                         const std::vector<LeavesCurve>& curves, Background background) {
  std::vector<double> values;
  for (const LeavesCurve& curve : curves) {
    for (const Point& point : curve.points) values.push_back(point.y);
    for (const Point& point : curve.bound) values.push_back(point.y);
  }
  return leaves_on(std::move(title), log_penalty_axis(std::move(value_name), values), curves,
                   background);
}

LineFigure leaves_time_figure(std::string title, std::string value_name,
                              const std::vector<LeavesCurve>& curves, Background background) {
  double most = 0;
  for (const LeavesCurve& curve : curves) {
    for (const Point& point : curve.points) most = std::max(most, point.y);
  }
  const double height = panel_area(1, {}).height;
  return leaves_on(std::move(title), linear_axis(std::move(value_name), most, height), curves,
                   background);
}

LineFigure times_figure(std::string title, const Timings& all, std::uint64_t communicator_size,
                        Background background, std::span<const OtherTimes> others) {
  const Timings timings = select_instances(all, line_of(all, communicator_size));
  make_map_grid(timings);  // refuses several placements
  LineFigure figure{
      .title = std::move(title), .panels = {}, .style = {.height = 380, .titles = false}};
  const Box area = panel_area(1, figure.style);
  std::vector<Series> lines = time_series(timings, background);
  for (const OtherTimes& other : others) {
    Series line = default_series(
        select_instances(other.timings, line_of(other.timings, communicator_size)), background);
    line.look = series("default of " + other.name, static_cast<std::size_t>(&other - others.data()),
                       background)
                    .look;
    lines.push_back(std::move(line));
  }
  std::erase_if(lines, [](const Series& line) { return line.points.empty(); });
  const auto [low, high] = time_range(lines);
  std::uint64_t least = timings.instances.front().message_size;
  std::uint64_t most = timings.instances.back().message_size;
  for (const OtherTimes& other : others) {
    for (const Instance& at : other.timings.instances) {
      least = std::min(least, at.message_size);
      most = std::max(most, at.message_size);
    }
  }
  const double first = message_place(least);
  const double last = message_place(most);
  figure.panels.push_back(
      {.title = {},
       .subtitle = {},
       .x = message_size_axis(first, std::max(last, 2 * first), area.width, least == 0),
       .y = time_axis(low / 1.15, high * 1.15, area.height),
       .series = std::move(lines)});
  return figure;
}

}  // namespace colltree::report
