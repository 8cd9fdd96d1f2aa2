// SPDX-License-Identifier: BSD-3-Clause
#include "report/method_maps.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "coll/catalogue.h"
#include "evaluate/comparison.h"
#include "timings/decision_map.h"
#include "timings/instance_grid.h"

namespace colltree::report {

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

}  // namespace

MethodMap exact_map(const Timings& timings) {
  const DecisionMap map = make_decision_map(timings);
  MethodMap result{map.communicator_sizes(), map.message_sizes(), {}, {}, 0};
  for (std::size_t cell = 0; cell < map.best.size(); ++cell) {
    result.methods.push_back(map.methods[map.best[cell]]);
    result.interpolated.push_back(map.origin[cell] == CellOrigin::kMeasured ? 0 : 1);
    result.predicted += map.origin[cell] == CellOrigin::kPredicted ? 1 : 0;
  }
  return result;
}

MethodMap chosen_map(const Timings& timings, const Chooser& choose) {
  const InstanceGrid grid = make_map_grid(timings);
  MethodMap result{grid.communicator_sizes(), grid.message_sizes(), {}, {}, 0};
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const Instance instance = instance_at(grid, timings, cell);
    result.methods.push_back(effective_method(choose(instance), instance));
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
      const Instance instance{collective, ranks, bytes};
      result.methods.push_back(effective_method(model.decide(instance), instance));
    }
  }
  return result;
}

PenaltyMap penalty_map(const Timings& timings, const PenaltyPoints& points) {
  const InstanceGrid grid = make_map_grid(timings);
  std::map<Instance, double> by_instance;
  for (std::size_t i = 0; i < points.instances.size(); ++i)
    by_instance[points.instances[i]] = points.values[i];
  for (const CannotRun& cannot : points.cannot_run) {
    by_instance[cannot.instance] = std::numeric_limits<double>::infinity();
  }
  PenaltyMap result{grid.communicator_sizes(), grid.message_sizes(), {}};
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    const auto found = by_instance.find(instance_at(grid, timings, cell));
    result.penalty.push_back(found == by_instance.end() ? kNoTime : found->second);
  }
  return result;
}

std::size_t penalty_step(double penalty) {
  constexpr std::size_t kSteps = std::size(kPenaltySteps);
  if (std::isinf(penalty)) return kSteps;
  if (std::isnan(penalty)) return kSteps + 1;
  std::size_t step = 0;
  while (step + 1 < kSteps && penalty >= kPenaltySteps[step + 1].from) ++step;
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

}  // namespace colltree::report
