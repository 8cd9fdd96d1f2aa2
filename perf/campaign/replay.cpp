// SPDX-License-Identifier: BSD-3-Clause
// campaign_replay P.db SYSTEM COLLECTIVE SEED [NOISE]: an adaptive campaign and its peers over a
// complete profile, whose times answer in place of a cluster. CSV on standard output: way, share of
// the cells, share of the time, mean penalty over all instances of the map that comes of it, and
// what the campaign expected that to be (all in %).
//   adaptive      surrogate/next_cells.h, expensive cells last
//   random        random cells, the same model
//   coarse        a coarse grid of both sizes, log-log interpolation between
//   plan          instead: the random cells themselves, for a forest (perf/tables/campaign.py)
// NOISE: relative standard deviation of each measured time.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/random.h"
#include "base/text.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"
#include "surrogate/next_cells.h"
#include "timings/interpolation.h"

namespace colltree {
namespace {

constexpr double kLimit = 0.125;  // of the time
constexpr double kMarks[] = {0.01, 0.02, 0.03, 0.05, 0.08, 0.12};

class Replay {
 public:
  Replay(Timings timings, std::uint64_t seed, double noise)
      : timings_(std::move(timings)), seed_(seed), noise_(noise) {
    grid_ = surrogate::prediction_grid(timings_.instances);
    for (std::size_t i = 0; i < timings_.instances.size(); ++i) {
      const Instance& at = timings_.instances[i];
      const std::size_t point =
          grid_.point(at.communicator_size, at.message_size, at.ranks_per_node);
      instance_[point] = i;
      for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
        if (timings_.time_at(i, m).is_impossible()) continue;
        cells_.push_back({m, point});
        total_us_ += timings_.time_at(i, m).known_us();
      }
    }
  }

  void adaptive() {
    surrogate::Surrogate surrogate = fresh();
    const double overhead_us = 0.2 * total_us_ / static_cast<double>(cells_.size());
    const surrogate::CellCost cost = [&](surrogate::GridCell, double time_us) {
      return time_us + overhead_us;
    };
    begin("adaptive");
    for (std::vector<surrogate::GridCell> batch = surrogate::first_cells(surrogate);
         !batch.empty() && !over();
         batch = surrogate::next_cells(surrogate,
                                       std::max<std::size_t>(8, surrogate.measured() / 25), cost)) {
      for (const surrogate::GridCell cell : batch) record(surrogate, cell);
      surrogate.update();
      tell(surrogate.measured(), penalty(surrogate), 100 * surrogate.expected_penalty());
    }
  }

  void random() {
    surrogate::Surrogate surrogate = fresh();
    SeededRandom random(seed_);
    std::vector<surrogate::GridCell> order = cells_;
    random.shuffle(order);
    begin("random");
    std::size_t next = 0;
    while (next < order.size() && !over()) {
      const std::size_t until =
          std::min(order.size(), std::max<std::size_t>(next + 8, next * 26 / 25));
      for (; next < until; ++next) record(surrogate, order[next]);
      surrogate.update();
      tell(next, penalty(surrogate), 100 * surrogate.expected_penalty());
    }
  }

  // Every k-th size of both axes, for all k; ends included.
  void coarse() {
    for (std::size_t k = std::max(grid_.rows(), grid_.columns()) - 1; k >= 1; --k) {
      begin("coarse");
      std::vector<std::size_t> kept;
      std::size_t measured = 0;
      for (const auto& [point, i] : instance_) {
        if (!on_coarse(point / grid_.columns(), grid_.rows(), k) ||
            !on_coarse(point % grid_.columns(), grid_.columns(), k))
          continue;
        kept.push_back(i);
        for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
          if (timings_.time_at(i, m).is_impossible()) continue;
          spent_us_ += timings_.time_at(i, m).known_us();
          ++measured;
        }
      }
      std::ranges::sort(kept);
      if (over() && k > 1) return;
      const LogLogTimes times(select_instances(timings_, kept));
      double sum = 0;
      for (const auto& [point, i] : instance_) {
        const double time_us = timings_.time_of(i, times.choose(timings_.instances[i])).known_us();
        sum += (std::isnan(time_us) ? timings_.greatest_known_us(i) : time_us) /
                   timings_.least_known_us(i) -
               1;
      }
      fmt::print("coarse,{:.3f},{:.3f},{:.4f},\n",
                 100.0 * static_cast<double>(measured) / static_cast<double>(cells_.size()),
                 100 * spent_us_ / total_us_, 100 * sum / static_cast<double>(instance_.size()));
    }
  }

  // Everything that perf/tables/campaign.py needs for it: cells in the order of measuring, with
  // their times.
  void forest_plan() {
    SeededRandom random(seed_);
    std::vector<surrogate::GridCell> order = cells_;
    random.shuffle(order);
    for (const surrogate::GridCell cell : order) {
      fmt::print("forest-plan,{},{},{},{}\n",
                 grid_.communicator_sizes[cell.point / grid_.columns()],
                 grid_.message_sizes[cell.point % grid_.columns()], cell.method,
                 format_double(time_us(cell)));
    }
  }

 private:
  static bool on_coarse(std::size_t i, std::size_t size, std::size_t k) {
    return i % k == 0 || i + 1 == size;
  }

  double time_us(surrogate::GridCell cell) const {
    return timings_.time_at(instance_.at(cell.point), cell.method).known_us();
  }

  surrogate::Surrogate fresh() const {
    surrogate::Surrogate surrogate(grid_, timings_.methods.size(), seed_);
    for (const surrogate::GridCell cell : cells_) surrogate.allow(cell);
    return surrogate;
  }

  void begin(std::string way) {
    way_ = std::move(way);
    spent_us_ = 0;
    mark_ = 0;
    noise_random_ = SeededRandom(seed_ * 1000 + 7);
  }

  bool over() const { return spent_us_ > kLimit * total_us_; }

  void record(surrogate::Surrogate& surrogate, surrogate::GridCell cell) {
    spent_us_ += time_us(cell);
    const double seen_us =
        noise_ > 0 ? time_us(cell) * std::exp(noise_ * noise_random_.normal()) : time_us(cell);
    surrogate.record(cell, seen_us, noise_);
  }

  double penalty(const surrogate::Surrogate& surrogate) const {
    double sum = 0;
    for (const auto& [point, i] : instance_) {
      const double chosen_us = surrogate.choice(point)
                                   ? timings_.time_at(i, surrogate.choice(point)->best).known_us()
                                   : timings_.greatest_known_us(i);
      sum += chosen_us / timings_.least_known_us(i) - 1;
    }
    return 100 * sum / static_cast<double>(instance_.size());
  }

  // Once for each mark that was passed.
  void tell(std::size_t measured, double penalty, double expected) {
    const double share = spent_us_ / total_us_;
    bool passed = false;
    for (; mark_ < std::size(kMarks) && share >= kMarks[mark_]; ++mark_) passed = true;
    if (!passed) return;
    fmt::print("{},{:.3f},{:.3f},{:.4f},{:.4f}\n", way_,
               100.0 * static_cast<double>(measured) / static_cast<double>(cells_.size()),
               100 * share, penalty, expected);
  }

  Timings timings_;
  std::uint64_t seed_;
  double noise_;
  surrogate::PredictionGrid grid_;
  std::map<std::size_t, std::size_t> instance_;  // by point
  std::vector<surrogate::GridCell> cells_;
  double total_us_ = 0;
  std::string way_;
  double spent_us_ = 0;
  std::size_t mark_ = 0;
  SeededRandom noise_random_{1};
};

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  using namespace colltree;
  if (argc < 5) {
    fmt::print("usage: campaign_replay P.db SYSTEM COLLECTIVE SEED [NOISE [plan]]\n");
    return 2;
  }
  const profile::Profile profile(argv[1], profile::OpenMode::kRead);
  profile::LoadOptions options;
  options.default_candidate = false;
  Replay replay(surrogate::complete(
                    profile::load_timings(profile, argv[2], parse_collective(argv[3]), options)),
                std::stoull(argv[4]), argc > 5 ? std::stod(argv[5]) : 0);
  if (argc > 6) {
    replay.forest_plan();
    return 0;
  }
  replay.adaptive();
  replay.random();
  replay.coarse();
  return 0;
}
