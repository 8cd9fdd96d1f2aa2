// SPDX-License-Identifier: BSD-3-Clause
#include "report/method_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "coll/catalogue.h"
#include "evaluate/figures.h"
#include "timings/decision_map.h"
#include "timings/instance_grid.h"

namespace colltree {

namespace {

// A size that a map has an axis of.
struct Size {
  Attribute attribute;
  Attribute derived;  // whether it is even, or a power of two
  std::uint64_t least;
  std::uint64_t usual_most;
};

// Values at which decisions change: each threshold and the value beside it; powers of two between
// them; and where the derived attribute is tested, the value beside each, which differs in it.
std::vector<std::uint64_t> telling_values(const Thresholds& thresholds, const Size& size) {
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

MethodMap exact_map(const Timings& timings) {
  const DecisionMap map = make_decision_map(timings);
  MethodMap result{"exact", "", map.communicator_sizes, map.message_sizes, {}, {}};
  for (std::size_t cell = 0; cell < map.best.size(); ++cell) {
    result.methods.push_back(map.methods[map.best[cell]]);
    result.interpolated.push_back(map.origin[cell] == CellOrigin::kInterpolated ? 1 : 0);
  }
  return result;
}

MethodMap chosen_map(const Timings& timings, const Chooser& choose) {
  const InstanceGrid grid = make_map_grid(timings);
  MethodMap result{"", "", grid.communicator_sizes(), grid.message_sizes(), {}, {}};
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const Instance at = instance_at(grid, timings, cell);
    result.methods.push_back(effective_method(choose(at), at));
  }
  return result;
}

MethodMap chosen_map(const DecisionFunction& model, Collective collective) {
  const RuleTree tree = model.lower();
  const Thresholds thresholds = thresholds_of(tree, root_of(tree, collective));
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

std::string penalty_text(const PenaltySummary& summary) {
  return fmt::format("mean {} %, max {} %", percent_text(summary.mean), percent_text(summary.max));
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
  for (const MethodMap& map : maps) {
    MapPanel panel = panel_of(map);
    for (const Method& method : map.methods) panel.cells.push_back(entry.at(method));
    if (std::ranges::count(map.interpolated, 1) > 0) {
      panel.dotted = map.interpolated;
      holes = true;
    }
    figure.panels.push_back(std::move(panel));
  }
  if (holes) figure.more.push_back({"interpolated", text_colour(background), Mark::kDots});
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

}  // namespace colltree
