// SPDX-License-Identifier: BSD-3-Clause
#include "report/method_maps.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "coll/catalogue.h"
#include "evaluate/comparison.h"
#include "timings/decision_map.h"
#include "timings/instance_grid.h"

namespace colltree::report {

namespace {

// Borders between neighbours: half way, on the scale of the axis. The outer cells are symmetric.
std::vector<double> borders(const std::vector<double>& places, bool logarithmic) {
  const auto scaled = [&](double value) { return logarithmic ? std::log2(value) : value; };
  const auto value = [&](double place) { return logarithmic ? std::exp2(place) : place; };
  std::vector<double> result(places.size() + 1);
  for (std::size_t i = 1; i < places.size(); ++i) {
    result[i] = (scaled(places[i - 1]) + scaled(places[i])) / 2;
  }
  const double alone = 0.5;
  result.front() =
      scaled(places.front()) - (places.size() > 1 ? result[1] - scaled(places.front()) : alone);
  result.back() = scaled(places.back()) +
                  (places.size() > 1 ? scaled(places.back()) - result[places.size() - 1] : alone);
  for (double& border : result) border = value(border);
  return result;
}

struct Axes {
  Axis x;
  Axis y;
  std::vector<double> x_borders;
  std::vector<double> y_borders;
};

Axes axes_of(const MapPanel& panel, const Box& area) {
  std::vector<double> messages;
  for (const std::uint64_t size : panel.message_sizes) messages.push_back(message_place(size));
  const std::vector<double> ranks(panel.communicator_sizes.begin(), panel.communicator_sizes.end());
  Axes axes;
  axes.x_borders = borders(messages, true);
  axes.x = message_size_axis(axes.x_borders.front(), axes.x_borders.back(), area.width,
                             panel.message_sizes.front() == 0);
  axes.y = count_axis("communicator size", panel.communicator_sizes, area.height);
  axes.y_borders = borders(ranks, axes.y.scale == Scale::kLog2);
  axes.y.low = axes.y_borders.front();
  axes.y.high = axes.y_borders.back();
  return axes;
}

// The borders of the cells, from left to right and from the lowest row upwards.
struct CellBorders {
  std::vector<double> x;
  std::vector<double> y;
};

CellBorders borders_in(const Axes& axes, const Box& area) {
  CellBorders borders;
  for (const double border : axes.x_borders)
    borders.x.push_back(area.left + area.width * axes.x.place(border));
  for (const double border : axes.y_borders)
    borders.y.push_back(area.bottom() - area.height * axes.y.place(border));
  return borders;
}

// Runs of equal cells along each row, as rectangles of one path for each entry of the key.
std::vector<std::string> cell_paths(const MapPanel& panel, const CellBorders& borders,
                                    std::size_t entries) {
  std::vector<std::string> paths(entries);
  const std::size_t columns = panel.message_sizes.size();
  const auto& [x, y] = borders;
  for (std::size_t row = 0; row < panel.communicator_sizes.size(); ++row) {
    for (std::size_t column = 0; column < columns;) {
      const std::uint16_t entry = panel.cells[row * columns + column];
      std::size_t end = column + 1;
      while (end < columns && panel.cells[row * columns + end] == entry) ++end;
      paths[entry] += fmt::format("M{} {}H{}V{}H{}z", svg_number(x[column]), svg_number(y[row + 1]),
                                  svg_number(x[end]), svg_number(y[row]), svg_number(x[column]));
      column = end;
    }
  }
  return paths;
}

void draw_dots(Svg& svg, const MapPanel& panel, const Axes& axes, const Box& area,
               const std::vector<LegendEntry>& key) {
  if (panel.dotted.empty()) return;
  svg.open("interpolated");
  const std::size_t columns = panel.message_sizes.size();
  for (std::size_t cell = 0; cell < panel.dotted.size(); ++cell) {
    if (panel.dotted[cell] == 0) continue;
    const double x = axes.x.place(message_place(panel.message_sizes[cell % columns]));
    const double y = axes.y.place(static_cast<double>(panel.communicator_sizes[cell / columns]));
    svg.circle({area.left + x * area.width, area.bottom() - y * area.height}, 0.9,
               {.fill = ink_on(key[panel.cells[cell]].colour)});
  }
  svg.close();
}

void draw_panel(Svg& svg, const MapPanel& panel, const MapFigure& figure, const Box& area,
                Background background) {
  svg.open("panel");
  if (figure.style.titles) draw_panel_title(svg, area, panel.title, panel.subtitle, background);
  const Axes axes = axes_of(panel, area);
  const std::vector<std::string> paths =
      cell_paths(panel, borders_in(axes, area), figure.key.size());
  for (std::size_t entry = 0; entry < paths.size(); ++entry) {
    if (paths[entry].empty()) continue;
    svg.open(figure.key[entry].text);
    svg.path(paths[entry], {.fill = figure.key[entry].colour, .crisp = true});
    svg.close();
  }
  draw_dots(svg, panel, axes, area, figure.key);
  draw_axes(svg, area, axes.x, axes.y, false, background);
  svg.close();
}

std::vector<LegendEntry> legend_of(const MapFigure& figure) {
  if (!figure.has_legend) return {};
  std::vector<LegendEntry> legend = figure.key;
  legend.insert(legend.end(), figure.more.begin(), figure.more.end());
  return legend;
}

Layout layout_of(const MapFigure& figure) {
  return lay_out(figure.panels.size(), figure.style, figure.title, legend_of(figure));
}

// A size that a map has an axis of.
struct Size {
  Attribute attribute;
  Attribute derived;  // whether it is even, or a power of two
  std::uint64_t least;
  std::uint64_t usual_most;
};

// Values at which decisions change: each threshold and the value beside it; powers of two between
// them; and where the derived attribute is tested, the value beside each, which differs in it.
std::vector<std::uint64_t> telling_values(const model::Thresholds& thresholds, const Size& size) {
  std::set<std::uint64_t> values;
  for (const std::uint64_t threshold : thresholds[size.attribute]) {
    if (threshold < (std::uint64_t{1} << 50)) values.insert({threshold, threshold + 1});
  }
  const std::uint64_t most = std::max(size.usual_most, values.empty() ? 0 : 2 * *values.rbegin());
  std::erase_if(values, [&](std::uint64_t value) { return value < size.least; });
  for (std::uint64_t power = size.least; power <= most; power *= 2) values.insert(power);
  constexpr std::uint64_t kMostEach = 128;  // single sizes matter: powers of two
  if (size.attribute == Attribute::kCommunicatorSize && most <= kMostEach) {
    for (std::uint64_t value = size.least; value <= most; ++value) values.insert(value);
  }
  if (!thresholds[size.derived].empty()) {
    for (const std::uint64_t value : std::vector(values.begin(), values.end())) {
      values.insert(value + 1);
    }
  }
  return {values.begin(), values.end()};
}

template <typename Map>
MapPanel panel_of(const Map& map) {
  return {.title = map.title,
          .subtitle = map.subtitle,
          .communicator_sizes = map.communicator_sizes,
          .message_sizes = map.message_sizes,
          .cells = {},
          .dotted = {}};
}

}  // namespace

std::string draw(const MapFigure& figure, Background background) {
  const std::vector<LegendEntry> legend = legend_of(figure);
  const Layout layout = layout_of(figure);
  Svg svg(layout.width, layout.height, page_colour(background), figure.title);
  draw_title(svg, figure.title, background);
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    draw_panel(svg, figure.panels[p], figure, layout.areas[p], background);
  }
  draw_legend(svg, layout.legend, layout.width - 2 * layout.legend.x + 58, legend, background);
  return svg.finish();
}

MethodMap exact_map(const Timings& timings) {
  const DecisionMap map = make_decision_map(timings);
  MethodMap result{"exact", "", map.communicator_sizes, map.message_sizes, {}, {}, 0};
  for (std::size_t cell = 0; cell < map.best.size(); ++cell) {
    result.methods.push_back(map.methods[map.best[cell]]);
    result.interpolated.push_back(map.origin[cell] == CellOrigin::kMeasured ? 0 : 1);
    result.predicted += map.origin[cell] == CellOrigin::kPredicted ? 1 : 0;
  }
  return result;
}

MethodMap chosen_map(const Timings& timings, const Chooser& choose) {
  const InstanceGrid grid = make_map_grid(timings);
  MethodMap result{"", "", grid.communicator_sizes(), grid.message_sizes(), {}, {}, 0};
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const Instance at = instance_at(grid, timings, cell);
    result.methods.push_back(effective_method(choose(at), at));
  }
  return result;
}

MethodMap chosen_map(const model::Model& model, Collective collective) {
  const model::RuleTree tree = model.rules;
  const model::Thresholds thresholds = model::thresholds_of(tree, model::root_of(tree, collective));
  MethodMap result;
  result.communicator_sizes = telling_values(
      thresholds, {Attribute::kCommunicatorSize, Attribute::kCommunicatorSizeIsPowerOfTwo, 2, 16});
  result.message_sizes = telling_values(
      thresholds, {Attribute::kMessageSize, Attribute::kMessageSizeIsEven, 1, 1 << 20});
  for (const std::uint64_t ranks : result.communicator_sizes) {
    for (const std::uint64_t bytes : result.message_sizes) {
      const Instance at{collective, ranks, bytes};
      result.methods.push_back(effective_method(model.decide(at), at));
    }
  }
  return result;
}

PenaltyMap penalty_map(const Timings& timings, const PenaltyPoints& points) {
  const InstanceGrid grid = make_map_grid(timings);
  std::map<Instance, double> by_instance;
  for (std::size_t i = 0; i < points.at.size(); ++i) by_instance[points.at[i]] = points.values[i];
  for (const CannotRun& cannot : points.cannot_run) {
    by_instance[cannot.instance] = std::numeric_limits<double>::infinity();
  }
  PenaltyMap result{"", "", grid.communicator_sizes(), grid.message_sizes(), {}};
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const auto found = by_instance.find(instance_at(grid, timings, cell));
    result.penalty.push_back(found == by_instance.end() ? kNoTime : found->second);
  }
  return result;
}

std::uint16_t penalty_entry(double penalty) {
  const auto steps = penalty_steps(Background::kLight);  // their bounds are the same everywhere
  if (std::isinf(penalty)) return static_cast<std::uint16_t>(steps.size());
  if (std::isnan(penalty)) return static_cast<std::uint16_t>(steps.size() + 1);
  std::uint16_t step = 0;
  while (step + 1U < steps.size() && penalty >= steps[step + 1U].from) ++step;
  return step;
}

const char* dots_text(bool predicted) {
  return predicted ? "interpolated or predicted" : "interpolated";
}

std::string penalty_text(const PenaltySummary& summary) {
  const std::string text = fmt::format("mean {} %, max {} %", evaluate::percent_text(summary.mean),
                                       evaluate::percent_text(summary.max));
  if (summary.predicted == 0) return text;
  return fmt::format("{}, by predicted times at {} of {} instances", text, summary.predicted,
                     summary.instances);
}

MapFigure decision_figure(std::string title, const std::vector<MethodMap>& maps,
                          Background background) {
  std::vector<Method> all;
  for (const MethodMap& map : maps) {
    all.insert(all.end(), map.methods.begin(), map.methods.end());
  }
  const Palette palette(all, background);
  MapFigure figure{.title = std::move(title), .panels = {}, .key = {}, .more = {}};
  std::map<Method, std::uint16_t> entry;
  for (const Method& method : palette.methods()) {
    entry[method] = static_cast<std::uint16_t>(figure.key.size());
    figure.key.push_back({method.label(), palette.of(method)});
  }
  bool holes = false;
  bool predicted = false;
  for (const MethodMap& map : maps) {
    predicted |= map.predicted > 0;
    MapPanel panel = panel_of(map);
    for (const Method& method : map.methods) panel.cells.push_back(entry.at(method));
    if (std::ranges::count(map.interpolated, 1) > 0) {
      panel.dotted = map.interpolated;
      holes = true;
    }
    figure.panels.push_back(std::move(panel));
  }
  if (holes) figure.more.push_back({dots_text(predicted), text_colour(background), Mark::kDots});
  return figure;
}

MapFigure penalty_figure(std::string title, const std::vector<PenaltyMap>& maps,
                         Background background) {
  MapFigure figure{.title = std::move(title), .panels = {}, .key = {}, .more = {}};
  const auto steps = penalty_steps(background);
  for (const PenaltyStep& step : steps) figure.key.push_back({step.text, step.colour});
  const auto cannot_run = static_cast<std::uint16_t>(steps.size());
  const auto not_measured = static_cast<std::uint16_t>(steps.size() + 1);
  bool has_cannot_run = false;
  bool has_holes = false;
  for (const PenaltyMap& map : maps) {
    MapPanel panel = panel_of(map);
    for (const double penalty : map.penalty) {
      const std::uint16_t step = penalty_entry(penalty);
      has_cannot_run |= step == cannot_run;
      has_holes |= step == not_measured;
      panel.cells.push_back(step);
    }
    figure.panels.push_back(std::move(panel));
  }
  if (has_cannot_run || has_holes) figure.key.push_back({"cannot run", kCannotRunColour});
  if (has_holes) figure.key.push_back({"not measured", faint_colour(background)});
  return figure;
}

}  // namespace colltree::report
