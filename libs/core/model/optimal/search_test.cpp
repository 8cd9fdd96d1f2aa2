// SPDX-License-Identifier: BSD-3-Clause
// Every objective against every tree with every choice of methods, on tiny measured grids.
#include "model/optimal/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/error.h"
#include "model/optimal/test_grid.h"
#include "model/test_models.h"

namespace colltree::optimal {
namespace {

using testing::AllTrees;
using testing::Cells;
using testing::Partition;
using testing::pick;
using testing::Random;

struct Case {
  std::size_t rows, columns;
  bool power_of_two;
  MeasuredGrid grid;
};

// Rows are the sizes 2, 3, 4, ...
Case random_case(Random& random, std::size_t most_rows, std::size_t most_columns,
                 std::size_t most_methods) {
  Case made{.rows = pick(random, 1, most_rows),
            .columns = pick(random, 1, most_columns),
            .power_of_two = pick(random, 0, 2) == 0};
  MeasuredGrid& grid = made.grid;
  std::vector<std::uint64_t> ranks, bytes;
  for (std::size_t i = 0; i < made.rows; ++i) ranks.push_back(i + 2);
  for (std::size_t i = 0; i < made.columns; ++i) bytes.push_back(std::uint64_t{1} << (4 * i));
  grid.collectives = {Collective::kBcast};
  grid.axes = {make_axis(Attribute::kCommunicatorSize, ranks),
               make_axis(Attribute::kMessageSize, bytes)};
  const std::size_t methods = pick(random, 1, most_methods);
  for (std::size_t m = 0; m < methods; ++m) grid.methods.push_back({std::to_string(m), 0});
  const std::uint64_t most_us = pick(random, 0, 1) == 0 ? 3 : 200;  // many ties, or few
  const bool weights = pick(random, 0, 1) == 0;
  for (std::size_t cell = 0; cell < made.rows * made.columns; ++cell) {
    const bool measured = cell == 0 || pick(random, 0, 7) != 0;
    grid.instance.push_back(measured ? std::optional<std::size_t>(0) : std::nullopt);
    grid.weight.push_back(!measured ? 0 : weights ? static_cast<double>(pick(random, 0, 3)) : 1);
    if (cell == 0) grid.weight[0] = 1;
    const std::size_t always = pick(random, 0, methods - 1);
    for (std::size_t m = 0; m < methods; ++m) {
      const bool runs = measured && (m == always || pick(random, 0, 15) != 0);
      grid.time_us.push_back(runs ? static_cast<double>(pick(random, 1, most_us + 1)) : kNoTime);
      grid.exists.push_back(true);
    }
  }
  return made;
}

std::vector<Cells> tests_of(const Case& made) {
  std::vector<Cells> tests;
  const auto where = [&](auto condition) {
    Cells cells = 0;
    for (std::size_t cell = 0; cell < made.grid.cells(); ++cell) {
      if (condition(cell / made.columns, cell % made.columns)) cells |= Cells{1} << cell;
    }
    tests.push_back(cells);
  };
  for (std::size_t r = 0; r < made.rows; ++r) {
    where([&](std::size_t row, std::size_t) { return row <= r; });
  }
  for (std::size_t c = 0; c < made.columns; ++c) {
    where([&](std::size_t, std::size_t column) { return column <= c; });
  }
  if (made.power_of_two) {
    where([](std::size_t row, std::size_t) { return std::has_single_bit(row + 2); });
  }
  return tests;
}

// What the objective means, said once more: from the times of the chosen methods themselves.
double objective_of(const MeasuredGrid& grid, const std::vector<std::size_t>& chosen,
                    const Objective& objective) {
  double sum = 0, weight = 0, greatest = 0;
  std::vector<std::pair<double, double>> points;
  for (std::size_t cell = 0; cell < grid.cells(); ++cell) {
    if (!grid.instance[cell]) continue;
    const double time_us = grid.time_us[grid.value_index(cell, chosen[cell])];
    if (std::isnan(time_us)) return kNotAllowed;
    double best = kNoTime;
    for (std::size_t m = 0; m < grid.methods.size(); ++m) {
      best = std::fmin(best, grid.time_us[grid.value_index(cell, m)]);
    }
    const double penalty = (time_us - best) / best;
    const double w = grid.weight[cell];
    sum += w * (objective.kind == Objective::Kind::kTime ? time_us : penalty);
    weight += w;
    if (w > 0) greatest = std::max(greatest, penalty);
    if (w > 0) points.emplace_back(penalty, w);
  }
  if (objective.kind == Objective::Kind::kMax) return greatest;
  if (objective.kind != Objective::Kind::kQuantile) return sum / weight;
  std::ranges::sort(points);
  double below = 0;
  for (const auto& [penalty, w] : points) {
    below += w;
    if (below >= weight * objective.percent / 100 - 1e-9) return penalty;
  }
  return kNotAllowed;
}

std::vector<double> brute_force(const Case& made, const Objective& objective, std::size_t most) {
  AllTrees trees((Cells{1} << made.grid.cells()) - 1, tests_of(made));
  std::vector<double> frontier;
  double best = kNotAllowed;
  for (std::size_t leaves = 1; leaves <= most; ++leaves) {
    for (const Partition& partition : trees.partitions(leaves)) {
      testing::each_choice(leaves, made.grid.methods.size(),
                           [&](const std::vector<std::size_t>& choice) {
                             std::vector<std::size_t> chosen(made.grid.cells());
                             for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
                               for (std::size_t cell = 0; cell < chosen.size(); ++cell) {
                                 if (partition[leaf] >> cell & 1) chosen[cell] = choice[leaf];
                               }
                             }
                             best = std::min(best, objective_of(made.grid, chosen, objective));
                           });
    }
    frontier.push_back(best);
  }
  return frontier;
}

void expect_optimal(const Case& made, const Objective& objective, std::size_t most) {
  const std::vector<double> expected = brute_force(made, objective, most);
  const BoxSpace space = box_space(made.grid, made.power_of_two);
  SearchOptions options{.objective = objective, .leaves = most};
  if (expected.back() == kNotAllowed) {
    EXPECT_THROW(search(made.grid, space, options), Error);
    return;
  }
  const Solution solution = search(made.grid, space, options);
  const bool ratio =
      objective.kind != Objective::Kind::kMax && objective.kind != Objective::Kind::kQuantile;
  for (std::size_t k = 1; k <= most; ++k) {
    const std::size_t i = solution.index(k);
    if (expected[k - 1] == kNotAllowed) {
      ASSERT_EQ(solution.value[i], kNotAllowed) << name(objective) << " " << k;
      continue;
    }
    ASSERT_NEAR(solution.value[i], expected[k - 1], ratio ? 1e-9 : 0) << name(objective) << k;
    ASSERT_TRUE(solution.is_exact(k));
    if (solution.trees[i].empty()) continue;
    ASSERT_LE(leaves_of(solution.trees[i]), k);
    ASSERT_NEAR(objective_of(made.grid, chosen_methods(solution.trees[i], space), objective),
                expected[k - 1], 1e-9)
        << name(objective) << k;
  }
  ASSERT_FALSE(solution.trees[solution.index(most)].empty());
}

class Search : public ::testing::TestWithParam<const char*> {};

TEST_P(Search, AgreesWithEveryTreeAndChoice) {
  Random random(11);
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    const bool wide = i % 4 == 0;
    const Case made = wide ? random_case(random, 3, 4, 2) : random_case(random, 3, 3, 3);
    expect_optimal(made, parse_objective(GetParam()), pick(random, 1, wide ? 5 : 3));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(EveryObjective, Search,
                         ::testing::Values("mean", "max", "time", "p95", "p50", "p80"));

// With the search stopped the bounds must hold and the trees must be what they claim.
void expect_bounds(const Case& made, const Objective& objective, std::size_t most,
                   SearchLimits limits) {
  const std::vector<double> expected = brute_force(made, objective, most);
  const BoxSpace space = box_space(made.grid, made.power_of_two);
  const SearchOptions options{.objective = objective, .leaves = most, .limits = limits};
  Solution solution;
  try {
    solution = search(made.grid, space, options);
  } catch (const Error&) {
    return;  // no tree was found
  }
  for (std::size_t k = 1; k <= most; ++k) {
    const std::size_t i = solution.index(k);
    ASSERT_LE(solution.lower_bound[i], expected[k - 1] + 1e-9);
    ASSERT_GE(solution.value[i], expected[k - 1] - 1e-9);
  }
  const std::size_t wanted = solution.index(most);
  const double value =
      objective_of(made.grid, chosen_methods(solution.trees[wanted], space), objective);
  ASSERT_LE(value, solution.value[wanted] + 1e-9);
  ASSERT_LE(leaves_of(solution.trees[wanted]), most);
}

TEST_P(Search, StoppedSearchesStateTrueBounds) {
  Random random(12);
  const Objective objective = parse_objective(GetParam());
  for (int i = 0; i < 200; ++i) {
    SCOPED_TRACE(i);
    const Case made = random_case(random, 3, 3, 3);
    const std::size_t most = pick(random, 1, 3);
    const std::size_t boxes = box_space(made.grid, made.power_of_two).boxes();
    expect_bounds(made, objective, most, {.deadline = SearchLimits::Clock::now()});
    expect_bounds(made, objective, most, {.memory_bytes = 16 * boxes});  // for bounds only
    if (HasFatalFailure()) return;
  }
}

TEST(SearchRefusal, NamesTheFewestLeavesThatCanRunEverywhere) {
  Random random(1);
  Case made = random_case(random, 1, 1, 1);
  MeasuredGrid& grid = made.grid;
  grid.axes = {make_axis(Attribute::kCommunicatorSize, {2}),
               make_axis(Attribute::kMessageSize, {1, 2, 3})};
  grid.methods = {{"a", 0}, {"b", 0}};
  grid.instance = {0, 1, 2};
  grid.weight = {1, 1, 1};
  grid.time_us = {1, kNoTime, kNoTime, 1, 1, kNoTime};
  grid.exists = {true, true, true, true, true, true};
  for (const char* objective : {"mean", "max", "p95", "time"}) {
    try {
      search(grid, box_space(grid, false), {.objective = parse_objective(objective), .leaves = 2});
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "no tree of 2 leaves keeps clear of methods that cannot run; at least 3 are "
                   "needed");
    }
  }
}

TEST(Objective, NamesAreReadBack) {
  for (const char* name : {"mean", "max", "time", "p1", "p95", "p99"}) {
    EXPECT_EQ(optimal::name(parse_objective(name)), name);
  }
  for (const char* wrong : {"p0", "p100", "median", "p", "p9x", ""}) {
    EXPECT_THROW(parse_objective(wrong), UsageError) << wrong;
  }
}

}  // namespace
}  // namespace colltree::optimal
