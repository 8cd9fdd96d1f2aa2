// SPDX-License-Identifier: BSD-3-Clause
#include "surrogate/surrogate.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "surrogate/complete.h"
#include "surrogate/next_cells.h"
#include "timings/test_times.h"

namespace colltree::surrogate {
namespace {

// Three methods whose best changes with both sizes; the third cannot run on odd sizes.
struct Made {
  PredictionGrid grid{{2, 3, 4, 5, 6, 7, 8, 12, 16}, {}};
  Made() {
    for (std::uint64_t size = 1; size <= 1 << 20; size *= 4) grid.message_sizes.push_back(size);
  }
  std::uint64_t ranks(std::size_t point) const {
    return grid.communicator_sizes[point / grid.columns()];
  }
  double time_us(GridCell cell) const {
    const auto p = static_cast<double>(ranks(cell.point));
    const auto m = static_cast<double>(grid.message_sizes[cell.point % grid.columns()]);
    if (cell.method == 0) return p * 2 + p * m / 400;
    if (cell.method == 1) return 9 + 4 * std::log2(p) + std::log2(p) * m / 300;
    return 40 + m / 150;
  }
  bool can_run(GridCell cell) const { return cell.method < 2 || ranks(cell.point) % 2 == 0; }
  Surrogate surrogate(std::uint64_t seed = 1) const {
    Surrogate made(grid, 3, seed);
    for (std::size_t m = 0; m < 3; ++m) {
      for (std::size_t point = 0; point < grid.points(); ++point) {
        if (can_run({m, point})) made.allow({m, point});
      }
    }
    return made;
  }
  double penalty(const Surrogate& surrogate) const {
    double sum = 0;
    for (std::size_t point = 0; point < grid.points(); ++point) {
      double least = time_us({0, point});
      for (std::size_t m = 1; m < 3; ++m) {
        if (can_run({m, point})) least = std::min(least, time_us({m, point}));
      }
      sum += time_us({surrogate.choice(point)->best, point}) / least - 1;
    }
    return sum / static_cast<double>(grid.points());
  }
};

double unit_cost(GridCell, double) { return 1; }

// The cells that were measured, in order.
std::vector<GridCell> campaign(const Made& made, Surrogate& surrogate, std::size_t cells) {
  std::vector<GridCell> measured;
  std::vector<GridCell> batch = first_cells(surrogate);
  while (!batch.empty() && measured.size() < cells) {
    for (const GridCell cell : batch) {
      surrogate.record(cell, made.time_us(cell), 0);
      measured.push_back(cell);
    }
    surrogate.update();
    batch = next_cells(surrogate, 4, unit_cost);
  }
  return measured;
}

TEST(Surrogate, FindsTheBestWithFewCells) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  const std::vector<GridCell> measured = campaign(made, surrogate, 70);
  EXPECT_LT(made.penalty(surrogate), 0.005);  // 70 of 250 cells
  EXPECT_LT(surrogate.expected_penalty(), 0.02);
  std::set<GridCell> once(measured.begin(), measured.end());
  EXPECT_EQ(once.size(), measured.size());
  for (const GridCell cell : measured) EXPECT_TRUE(made.can_run(cell));
}

TEST(Surrogate, KnowsThatItDoesNotKnowYet) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  campaign(made, surrogate, 1);
  EXPECT_GT(surrogate.expected_penalty(), 0.02);
}

// By what the first cells say of each other; without that it expects 40 times what is lost.
TEST(Surrogate, ExpectsNoWonderOfTheFirstCells) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  campaign(made, surrogate, 1);
  EXPECT_LT(surrogate.expected_penalty(), 8 * made.penalty(surrogate));
}

// Times that nothing foretells: what is chosen loses much, and the expectation must say so.
TEST(Surrogate, ExpectsWhatIsLost) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  const auto time_us = [&](GridCell cell) {
    const double odd = std::sin(1e3 * static_cast<double>(cell.point * 3 + cell.method));
    return made.time_us(cell) * std::exp(0.5 * odd);
  };
  std::vector<GridCell> batch = first_cells(surrogate);
  while (surrogate.measured() < 60) {
    for (const GridCell cell : batch) surrogate.record(cell, time_us(cell), 0);
    surrogate.update();
    batch = next_cells(surrogate, 4, unit_cost);
  }
  double lost = 0;
  for (std::size_t point = 0; point < made.grid.points(); ++point) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t m = 0; m < 3; ++m) {
      if (made.can_run({m, point})) least = std::min(least, time_us({m, point}));
    }
    lost += time_us({surrogate.choice(point)->best, point}) / least - 1;
  }
  lost /= static_cast<double>(made.grid.points());
  EXPECT_GT(surrogate.expected_penalty(), lost / 2);
  EXPECT_LT(surrogate.expected_penalty(), lost * 2);
}

TEST(Surrogate, ChoosesTheSameForTheSameSeedAndTimes) {
  const Made made;
  Surrogate one = made.surrogate(5);
  Surrogate other = made.surrogate(5);
  EXPECT_EQ(campaign(made, one, 60), campaign(made, other, 60));
  EXPECT_EQ(one.expected_penalty(), other.expected_penalty());
}

TEST(Surrogate, NeverWantsWhatIsForbidden) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  for (std::size_t point = 0; point < made.grid.points(); ++point) surrogate.forbid({1, point});
  for (const GridCell cell : campaign(made, surrogate, 60)) EXPECT_NE(cell.method, 1U);
  for (std::size_t point = 0; point < made.grid.points(); ++point)
    EXPECT_NE(surrogate.choice(point)->best, 1U);
}

TEST(Surrogate, ReachesAtLeastAsFarBeyondWhatWasMeasured) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  for (std::size_t m = 0; m < 3; ++m) {
    for (std::size_t point = 0; point < made.grid.points(); ++point) {
      const GridCell cell{m, point};
      if (made.can_run(cell) && point % made.grid.columns() <= 6)
        surrogate.record(cell, made.time_us(cell), 0.02);
    }
  }
  surrogate.update();
  const Surrogate::Reach reach = surrogate.reach();
  EXPECT_GT(reach.within, 0);
  EXPECT_GE(reach.beyond, reach.within);
  EXPECT_TRUE(surrogate.is_beyond({1, made.grid.points() - 1}));
  EXPECT_FALSE(surrogate.is_beyond({1, 6}));
}

TEST(Surrogate, CountsTheLossThatCameTrueAtMeasuredCells) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  EXPECT_DOUBLE_EQ(surrogate.loss_came_true(2, 3), kShareElsewhere * kUsualShare)
      << "nothing was measured";
  campaign(made, surrogate, 60);
  const double share = surrogate.loss_came_true(2, 3);
  EXPECT_GT(share, 0);
  EXPECT_LT(surrogate.loss_came_true(8, 3), share) << "wider errors let expect more";
  EXPECT_TRUE(std::isfinite(surrogate.loss_came_true(1e6, 3)));
}

TEST(NextCells, DearCellsComeLast) {
  const Made made;
  Surrogate surrogate = made.surrogate();
  campaign(made, surrogate, 1);
  double cheap_us = 0;
  double any_us = 0;
  for (const GridCell cell :
       next_cells(surrogate, 10, [](GridCell, double time_us) { return time_us; }))
    cheap_us += made.time_us(cell);
  for (const GridCell cell : next_cells(surrogate, 10, unit_cost)) any_us += made.time_us(cell);
  EXPECT_LT(cheap_us, any_us);
}

TEST(FirstCells, TryEveryCommunicatorSize) {
  const Made made;
  std::set<std::uint64_t> ranks;
  std::set<std::size_t> methods;
  for (const GridCell cell : first_cells(made.surrogate())) {
    ranks.insert(made.ranks(cell.point));
    methods.insert(cell.method);
  }
  EXPECT_EQ(ranks.size(), made.grid.rows());
  EXPECT_EQ(methods.size(), 3U);
}

TEST(ErrorTail, IsAsWideAsTheSurprises) {
  EXPECT_NEAR(expected_excess(0, 1), 0.3989423, 1e-6);
  EXPECT_EQ(expected_excess(2, 0), 2);
  EXPECT_EQ(expected_excess(-2, 0), 0);
  double weights = 0;
  const ErrorTail usual;
  for (const auto& width : usual.widths()) weights += width.weight;
  EXPECT_NEAR(weights, 1, 1e-9);
  std::vector<double> small(100);
  std::vector<double> large(100);
  for (std::size_t i = 0; i < 100; ++i) {
    small[i] = (i % 2 == 0 ? 0.3 : -0.3);
    large[i] = (i % 2 == 0 ? 3 : -3);
  }
  EXPECT_LT(ErrorTail::fitted(small).expected_excess(-1, 1),
            ErrorTail::fitted(large).expected_excess(-1, 1) / 5);
  const double without_one = ErrorTail::fitted(small).expected_excess(-5, 1);
  small[7] = 30;
  EXPECT_GT(ErrorTail::fitted(small).expected_excess(-5, 1), 100 * without_one);
}

Timings table(const Made& made, double share_measured) {
  Timings timings;
  timings.system = "made-up";
  timings.methods = {{"linear", 0}, {"binomial", 0}};
  for (std::size_t point = 0; point < made.grid.points(); ++point) {
    timings.instances.push_back({Collective::kBcast, made.ranks(point),
                                 made.grid.message_sizes[point % made.grid.columns()]});
    for (std::size_t m = 0; m < 2; ++m) {
      const bool measured = static_cast<double>((point * 2 + m) % 10) < 10 * share_measured;
      timings.time_us.push_back(measured ? made.time_us({m, point}) : kNoTime);
    }
    timings.default_us.push_back(kNoTime);
  }
  testing::set_intervals(timings.time_us, 1, 1);
  return timings;
}

TEST(Complete, PredictsWhatWasWantedAndNoMore) {
  const Made made;
  Timings timings = table(made, 0.5);
  const Timings before = timings;
  profile::WantedTimes wanted;
  for (const Instance& at : timings.instances) wanted.emplace(at, Method{"linear", 0});
  predict_times(timings, wanted);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const bool was_measured = !before.time_at(i, 0).is_impossible();
    EXPECT_EQ(timings.time_at(i, 0).is_predicted(), !was_measured);
    EXPECT_FALSE(timings.time_at(i, 1).is_predicted());
    EXPECT_EQ(timings.time_at(i, 1).kind(), before.time_at(i, 1).kind());
    if (was_measured) {
      EXPECT_EQ(timings.time_at(i, 0).known_us(), before.time_at(i, 0).known_us());
    } else {
      EXPECT_NEAR(timings.time_at(i, 0).known_us() / made.time_us({0, i}), 1, 0.3);
      EXPECT_LT(timings.time_at(i, 0).interval()->low, timings.time_at(i, 0).known_us());
      EXPECT_GT(timings.time_at(i, 0).interval()->high, timings.time_at(i, 0).known_us());
    }
  }
}

// On every second communicator size five times as slow from 256 B on, measured up to 64 KiB: the
// smaller sizes foretold the largest ones badly.
TEST(Complete, IsLessCertainBeyondTheMeasuredSizes) {
  const Made made;
  Timings timings = table(made, 1);
  Surrogate surrogate(made.grid, 3, 1);
  profile::WantedTimes wanted;
  for (std::size_t point = 0; point < made.grid.points(); ++point) {
    const std::size_t column = point % made.grid.columns();
    wanted.emplace(timings.instances[point], Method{"linear", 0});
    surrogate.allow({0, point});
    for (std::size_t m = 0; m < 2; ++m) {
      const double time_us =
          made.time_us({m, point}) * (column >= 4 && point / made.grid.columns() % 2 == 0 ? 5 : 1);
      const bool measured = column <= 8 && column != 3;
      timings.time_us.set(point * 2 + m, Time::measured(measured ? time_us : kNoTime));
      if (measured) surrogate.record({m, point}, time_us, 0);
    }
  }
  surrogate.update();
  predict_times(timings, wanted);
  const auto reach = [&](std::size_t point) {
    const Interval interval = *timings.time_at(point, 0).interval();
    return std::log(interval.high / interval.low) / 2 / surrogate.deviation({0, point});
  };
  ASSERT_GT(surrogate.reach().beyond, surrogate.reach().within);
  EXPECT_NEAR(reach(3), surrogate.reach().within, 1e-9);
  EXPECT_NEAR(reach(9), surrogate.reach().beyond, 1e-9);
}

// Twice as many ranks on a node, 1.3 times the time.
TEST(Complete, PredictsOverPlacements) {
  const Made made;
  const Timings one = table(made, 0.5);
  Timings timings = one;
  for (const std::uint64_t ranks : {2, 4}) {
    for (std::size_t i = 0; i < one.instances.size(); ++i) {
      timings.instances.push_back(one.instances[i]);
      timings.instances.back().ranks_per_node = ranks;
      for (std::size_t m = 0; m < 2; ++m)
        timings.time_us.push_back(one.time_at(i, m).known_us() * std::pow(1.3, std::log2(ranks)));
      timings.default_us.push_back(kNoTime);
    }
  }
  for (std::size_t i = 0; i < one.instances.size(); ++i) timings.instances[i].ranks_per_node = 1;
  testing::set_intervals(timings.time_us, 1, 1);
  std::vector<std::size_t> order(timings.instances.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [&](std::size_t i) { return timings.instances[i]; });
  Timings sorted = select_instances(timings, order);
  const Timings before = sorted;
  profile::WantedTimes wanted;
  for (const Instance& at : sorted.instances) wanted.emplace(at, Method{"linear", 0});
  predict_times(sorted, wanted);
  for (std::size_t i = 0; i < sorted.instances.size(); ++i) {
    const std::size_t of_one = order[i] % one.instances.size();
    const double factor =
        std::pow(1.3, std::log2(static_cast<double>(sorted.instances[i].ranks_per_node)));
    EXPECT_EQ(sorted.time_at(i, 0).is_predicted(), before.time_at(i, 0).is_impossible());
    EXPECT_NEAR(sorted.time_at(i, 0).known_us() / made.time_us({0, of_one}) / factor, 1, 0.3);
  }
  const Timings of_two = complete(profile::StoredTimings{before, wanted, 2});
  ASSERT_EQ(of_two.instances.size(), one.instances.size());
  EXPECT_EQ(of_two.time_at(0, 0).known_us(), select_placement(sorted, 2).time_at(0, 0).known_us());
}

TEST(Complete, PlacementsThatCannotBeToldApartAreRefused) {
  const Made made;
  Timings timings = table(made, 1);
  timings.instances[1].nodes = 2;
  try {
    predict_times(timings, {{timings.instances[0], Method{"linear", 0}}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "bcast on made-up: communicators of one size were measured with several "
                 "placements that their ranks per node do not tell apart, so what was not measured "
                 "cannot be predicted; measure all of it, without --budget and --until");
  }
}

}  // namespace
}  // namespace colltree::surrogate
