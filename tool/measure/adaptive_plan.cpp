// SPDX-License-Identifier: BSD-3-Clause
#include "measure/adaptive_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "base/random.h"
#include "base/statistics.h"
#include "surrogate/constants.h"
#include "timings/penalty.h"

namespace colltree::measure {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kConfidence = 0.95;

}  // namespace

AdaptivePlan::AdaptivePlan(std::span<const protocol::PlanCell> wanted, const Budget& budget,
                           Cost cost)
    : budget_(budget), cost_(std::move(cost)), wanted_(wanted.size()) {
  std::map<Collective, std::vector<Method>> methods;
  std::map<Collective, std::vector<Instance>> instances;
  for (const protocol::PlanCell& cell : wanted) {
    std::vector<Method>& known = methods[cell.instance.collective];
    if (std::ranges::count(known, cell.method) == 0) known.push_back(cell.method);
    instances[cell.instance.collective].push_back(cell.instance);
    settings_.emplace(setting_of(cell.method));
  }
  for (auto& [collective, known] : methods) {
    surrogate::Surrogate surrogate(surrogate::prediction_grid(instances[collective]), known.size(),
                                   kSeed);
    std::vector<std::uint64_t> ranks_per_node(surrogate.grid().rows());
    collectives_.emplace(collective, OfCollective{std::move(known), std::move(surrogate),
                                                  std::move(ranks_per_node)});
  }
  for (const protocol::PlanCell& cell : wanted) {
    OfCollective& its = state_of(cell);
    const surrogate::GridCell position = grid_cell(its, cell);
    its.surrogate.allow(position);
    its.ranks_per_node[position.point / its.surrogate.grid().columns()] =
        cell.instance.ranks_per_node;
    if (is_library_default(cell.method)) its.default_cells.push_back(position);
  }
  SeededRandom random(kSeed);
  for (auto& [collective, state] : collectives_) random.shuffle(state.default_cells);
}

AdaptivePlan::OfCollective& AdaptivePlan::state_of(const protocol::PlanCell& cell) {
  return collectives_.at(cell.instance.collective);
}

surrogate::GridCell AdaptivePlan::grid_cell(const OfCollective& state,
                                            const protocol::PlanCell& cell) const {
  return {static_cast<std::size_t>(std::ranges::find(state.methods, cell.method) -
                                   state.methods.begin()),
          state.surrogate.grid().point(cell.instance.communicator_size, cell.instance.message_size,
                                       cell.instance.ranks_per_node)};
}

protocol::PlanCell AdaptivePlan::plan_cell(Collective collective, const OfCollective& state,
                                           surrogate::GridCell cell) {
  const surrogate::PredictionGrid& grid = state.surrogate.grid();
  const std::size_t row = cell.point / grid.columns();
  const Instance instance{collective, grid.communicator_sizes[row],
                          grid.message_sizes[cell.point % grid.columns()]};
  return {protocol::placed(instance, state.ranks_per_node[row]), state.methods[cell.method]};
}

double AdaptivePlan::weight(const protocol::PlanCell& cell, double time_us) const {
  return budget_.cells ? 1 : cost_(cell, time_us);
}

void AdaptivePlan::measured(const protocol::PlanCell& cell, std::span<const double> samples_us) {
  const double its_weight = weight(cell, median(samples_us));
  spent_ += its_weight;
  if (is_library_default(cell.method)) state_of(cell).spent_on_default += its_weight;
  fresh_.emplace(cell, std::vector<double>(samples_us.begin(), samples_us.end()));
  ++measured_;
}

void AdaptivePlan::cannot_run(const protocol::PlanCell& cell) {
  state_of(cell).surrogate.forbid(grid_cell(state_of(cell), cell));
  --wanted_;
}

double AdaptivePlan::expected_loss(const OfCollective& state) {
  return state.surrogate.expected_penalty() * static_cast<double>(state.surrogate.grid().points());
}

double AdaptivePlan::expected_penalty() const {
  double sum = 0;
  std::size_t points = 0;
  for (const auto& [collective, state] : collectives_) {
    sum += expected_loss(state);
    points += state.surrogate.grid().points();
  }
  return sum / static_cast<double>(points);
}

std::size_t AdaptivePlan::left() const { return wanted_ - measured_; }

// The share of the cost of all cells, each as measured or expected, that has been spent.
double AdaptivePlan::spent_share() const {
  double spent = 0;
  double total = 0;
  for (const auto& [collective, state] : collectives_) {
    for (std::size_t m = 0; m < state.surrogate.methods(); ++m) {
      for (std::size_t point = 0; point < state.surrogate.grid().points(); ++point) {
        const surrogate::GridCell cell{m, point};
        if (!state.surrogate.is_known(cell)) continue;
        const double cost =
            cost_(plan_cell(collective, state, cell), std::exp(state.surrogate.mean(cell)));
        total += cost;
        if (state.surrogate.is_measured(cell)) spent += cost;
      }
    }
  }
  return total == 0 ? 0 : spent / total;
}

double AdaptivePlan::used(double used_s) const {
  if (budget_.seconds) return used_s / *budget_.seconds;
  if (budget_.cells) return static_cast<double>(measured_) / static_cast<double>(*budget_.cells);
  if (budget_.share) return spent_share_ / *budget_.share;
  return 0;
}

std::string AdaptivePlan::status(double used_s) const {
  std::string text = !started_ ? "getting to know the methods"
                     : expected_penalty() > 1
                         ? "expected penalty over 100 %"
                         : fmt::format("expected penalty {:.2g} %", 100 * expected_penalty());
  if (budget_.seconds || budget_.cells || budget_.share)
    text += fmt::format(", {:.0f} % of the budget", 100 * std::min(1.0, used(used_s)));
  return text;
}

void AdaptivePlan::rank(Collective collective, OfCollective& state, std::size_t count) {
  const surrogate::CellCost cost = [&](surrogate::GridCell cell, double time_us) {
    return weight(plan_cell(collective, state, cell), time_us);
  };
  for (const surrogate::GridCell cell : surrogate::next_cells(state.surrogate, count, cost)) {
    constexpr double kHopeless = -4;  // deviations behind the best
    const bool contested = state.surrogate.lead(cell) > kHopeless * state.surrogate.deviation(cell);
    queue_.push_back({plan_cell(collective, state, cell), contested});
  }
}

// Takes results in the order of the cells, because simulations end in any order.
void AdaptivePlan::take_in_fresh() {
  for (const auto& [cell, samples_us] : fresh_) {
    state_of(cell).surrogate.record(grid_cell(state_of(cell), cell), median(samples_us),
                                    log_deviation(median_interval(samples_us, kConfidence)));
  }
  fresh_.clear();
  for (auto& [collective, state] : collectives_) state.surrogate.update();
  if (budget_.share) spent_share_ = spent_share();
}

// The mean loss of time under a setting, in logarithms, beside a second setting, as small as it can
// be: at each point it is that of the method that loses least, and no best method under it can lose
// less. None where a collective has too few points that were measured under both.
std::optional<Interval> AdaptivePlan::least_loss(std::string_view setting,
                                                 std::string_view beside) const {
  constexpr std::size_t kFewestPoints = 3;
  std::vector<double> losses;
  for (const auto& [collective, state] : collectives_) {
    std::map<std::size_t, double> least;  // by point
    for (std::size_t m = 0; m < state.methods.size(); ++m) {
      if (setting_of(state.methods[m]) != setting) continue;
      const Method same = under_setting(without_setting(state.methods[m]), beside);
      const auto found = std::ranges::find(state.methods, same);
      if (found == state.methods.end()) continue;
      const auto its = static_cast<std::size_t>(found - state.methods.begin());
      for (std::size_t point = 0; point < state.surrogate.grid().points(); ++point) {
        if (!state.surrogate.is_measured({m, point}) || !state.surrogate.is_measured({its, point}))
          continue;
        const double loss = state.surrogate.mean({m, point}) - state.surrogate.mean({its, point});
        const auto known = least.try_emplace(point, loss).first;
        known->second = std::min(known->second, loss);
      }
    }
    if (least.size() < kFewestPoints) return std::nullopt;
    for (const auto& [point, loss] : least) losses.push_back(loss);
  }
  if (budget_.by_calls) {
    const auto [low, high] = std::ranges::minmax(losses);
    return Interval{low, high};
  }
  return mean_interval(losses, {}, {});
}

// One setting is chosen for the whole job, so that one that loses on average cannot win, wherever
// it may be the best.
void AdaptivePlan::drop_hopeless() {
  const std::set<std::string> candidates = settings_;
  for (const std::string& setting : candidates) {
    const bool loses = std::ranges::any_of(candidates, [&](const std::string& beside) {
      const auto loss = setting == beside ? std::nullopt : least_loss(setting, beside);
      return loss && loss->low > 0;
    });
    if (!setting.empty() && loses) drop(setting);
  }
}

void AdaptivePlan::drop(const std::string& setting) {
  settings_.erase(setting);
  for (auto& [collective, state] : collectives_) {
    for (std::size_t m = 0; m < state.methods.size(); ++m) {
      if (setting_of(state.methods[m]) != setting) continue;
      for (std::size_t point = 0; point < state.surrogate.grid().points(); ++point) {
        const surrogate::GridCell cell{m, point};
        if (!state.surrogate.is_allowed(cell) || state.surrogate.is_measured(cell)) continue;
        state.surrogate.forbid(cell);
        --wanted_;
      }
    }
  }
}

// Queues cells of the library's own choice until it has its share of what was spent, counting the
// cells already queued. Every collective gets the same share.
void AdaptivePlan::queue_default(OfCollective& state, Collective collective) {
  const auto expected = [&](const protocol::PlanCell& cell) {
    return budget_.cells ? 1 : expected_cost_s(cell);
  };
  double spent = spent_;
  double on_default = state.spent_on_default;
  std::set<protocol::PlanCell> queued;
  for (const Ranked& ranked : queue_) {
    spent += expected(ranked.cell);
    if (ranked.cell.instance.collective != collective || !is_library_default(ranked.cell.method))
      continue;
    on_default += expected(ranked.cell);
    queued.insert(ranked.cell);
  }
  const double share = surrogate::kShareOfDefault / static_cast<double>(collectives_.size());
  while (!state.default_cells.empty() && on_default < share * spent) {
    const surrogate::GridCell position = state.default_cells.back();
    state.default_cells.pop_back();
    const protocol::PlanCell cell = plan_cell(collective, state, position);
    if (!state.surrogate.is_allowed(position) || state.surrogate.is_measured(position) ||
        queued.contains(cell))
      continue;
    queue_.push_back({cell, false});
    spent += expected(cell);
    on_default += expected(cell);
  }
}

bool AdaptivePlan::until_reached() const {
  return budget_.until && started_ && expected_penalty() <= *budget_.until;
}

std::string AdaptivePlan::why_stopped(double used_s) const {
  constexpr double kUsedUp = 0.95;  // the rest is what a round and the job's end need
  if (left() == 0 || used(used_s) >= (is_full_ ? kUsedUp : 1)) return "";
  if (is_full_) return "what is left holds no further round and the end of the job";
  if (until_reached()) return "the best known is expected to lose less than --until";
  return "no further cell is expected to change a decision";
}

// Cells for all collectives, as each may still gain.
void AdaptivePlan::refill() {
  constexpr double kShareOfMeasured = 0.04;
  constexpr std::size_t kFewest = 8;
  constexpr std::size_t kMost = 200;
  take_in_fresh();
  drop_hopeless();
  if (until_reached()) return;
  const std::size_t count = std::clamp(
      static_cast<std::size_t>(kShareOfMeasured * static_cast<double>(measured_)), kFewest, kMost);
  double total = 0;
  for (const auto& [collective, state] : collectives_) total += expected_loss(state);
  for (auto& [collective, state] : collectives_) {
    const double share = total == 0 ? 1 : expected_loss(state) / total;
    rank(collective, state,
         std::max<std::size_t>(2, static_cast<std::size_t>(share * static_cast<double>(count))));
  }
  if (!queue_.empty()) {
    for (auto& [collective, state] : collectives_) queue_default(state, collective);
  }
  std::ranges::reverse(queue_);
  started_ = true;
}

std::vector<protocol::PlanCell> AdaptivePlan::first() const {
  std::vector<protocol::PlanCell> cells;
  for (const auto& [collective, state] : collectives_) {
    for (const surrogate::GridCell cell : surrogate::first_cells(state.surrogate))
      cells.push_back(plan_cell(collective, state, cell));
  }
  return cells;
}

// The collectives in turn: the first cells may be cut short.
void AdaptivePlan::start() {
  begun_ = true;
  if (!fresh_.empty()) take_in_fresh();  // of a campaign that goes on: not to be measured again
  std::map<Collective, std::vector<surrogate::GridCell>> first;
  std::size_t most = 0;
  for (auto& [collective, state] : collectives_) {
    first[collective] = surrogate::first_cells(state.surrogate);
    most = std::max(most, first[collective].size());
  }
  for (std::size_t i = most; i-- > 0;) {
    for (auto& [collective, state] : collectives_) {
      if (i < first[collective].size())
        queue_.push_back({plan_cell(collective, state, first[collective][i]), false});
    }
  }
  if (budget_.seconds) queue_every_default();
}

// Every choice is compared with it. Cheap ones first: a budget may be too small for all.
void AdaptivePlan::queue_every_default() {
  std::erase_if(queue_,
                [](const Ranked& ranked) { return is_library_default(ranked.cell.method); });
  std::vector<protocol::PlanCell> cells;
  for (auto& [collective, state] : collectives_) {
    for (const surrogate::GridCell position : std::exchange(state.default_cells, {})) {
      if (state.surrogate.is_allowed(position) && !state.surrogate.is_measured(position))
        cells.push_back(plan_cell(collective, state, position));
    }
  }
  std::ranges::stable_sort(cells, std::greater<>(), [](const protocol::PlanCell& cell) {
    return std::pair(cell.instance.communicator_size, cell.instance.message_size);
  });
  for (const protocol::PlanCell& cell : cells) queue_.push_back({cell, false});
}

double AdaptivePlan::expected_cost_s(const protocol::PlanCell& cell) {
  const OfCollective& known = state_of(cell);
  const surrogate::GridCell position = grid_cell(known, cell);
  constexpr double kUnknown_us = 1e4;
  return cost_(cell, known.surrogate.is_known(position) ? std::exp(known.surrogate.mean(position))
                                                        : kUnknown_us);
}

// A round may take longer than it was expected to: where others use the machine a cell is measured
// up to three times, and where ranks outnumber cores a call waits for its turn.
void AdaptivePlan::note_pace(double used_s) {
  if (round_s_ > 0)
    slowness_ = std::sqrt(slowness_ * std::max(1.0, (used_s - round_began_s_) / round_s_));
  round_began_s_ = used_s;
  round_s_ = 0;
}

AdaptivePlan::Round AdaptivePlan::next(double used_s, double end_s) {
  constexpr double kShareOfBudget = 0.02;  // in one round: it is not looked at the clock within
  is_full_ = budget_.seconds && used(used_s + end_s) >= 1;
  if (is_full_ || used(used_s) >= 1) return {};
  constexpr double kFirstShareOfBudget = 0.4;  // for cells that were chosen without knowledge
  if (!begun_) start();
  const auto of_default = [](const Ranked& ranked) {
    return is_library_default(ranked.cell.method);
  };
  const bool defaults = budget_.seconds && !queue_.empty() && of_default(queue_.back());
  // Times of the default alone decide nothing: from half of the budget on they wait for the others.
  if (defaults && used(used_s) > 0.5) std::ranges::stable_partition(queue_, of_default);
  if (defaults || first_end_ == 0)
    first_end_ = used(used_s) + kFirstShareOfBudget * (1 - used(used_s));
  if (!started_ && used(used_s) > first_end_) queue_.clear();
  if (queue_.empty()) refill();
  note_pace(used_s);
  const double left_s = budget_.seconds.value_or(INFINITY) - used_s - end_s;
  Round round;
  while (!queue_.empty()) {
    const Ranked& ranked = queue_.back();
    if (!round.cells.empty() && ranked.contested != round.contested) break;
    const double cost_s = expected_cost_s(ranked.cell);
    const double limit_s = budget_.seconds.value_or(INFINITY) * kShareOfBudget / slowness_;
    is_full_ = round.cells.empty() && cost_s * slowness_ > left_s;
    if (is_full_) break;
    if (!round.cells.empty() && round_s_ + cost_s > limit_s) break;
    round_s_ += cost_s;
    if (budget_.cells && measured_ + round.cells.size() >= *budget_.cells) break;
    round.contested = ranked.contested;
    round.cells.push_back(ranked.cell);
    queue_.pop_back();
  }
  return round;
}

}  // namespace colltree::measure
