// SPDX-License-Identifier: BSD-3-Clause
// campaign_round_time [INSTANCES METHODS]: how long an adaptive campaign over a grid of this size
// takes to choose its next round, as knowledge grows. Times are made up: each method has a latency
// and a bandwidth of its own, and ten percent for each communicator size. CSV on standard output:
// cells measured, seconds to take in what the round measured (with a new fit of the kernel, or
// without), seconds to choose the next one.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "base/random.h"
#include "surrogate/next_cells.h"

namespace colltree {
namespace {

surrogate::PredictionGrid square_grid(std::size_t instances) {
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(instances)));
  surrogate::PredictionGrid grid;
  for (std::size_t i = 0; i < side; ++i) {
    grid.communicator_sizes.push_back(i + 2);
    grid.message_sizes.push_back(
        static_cast<std::uint64_t>(std::exp2(24.0 * static_cast<double>(i) / side)) + i);
  }
  return grid;
}

class MadeUpTimes {
 public:
  MadeUpTimes(const surrogate::PredictionGrid& grid, std::size_t methods) : grid_(grid) {
    SeededRandom random(1);
    for (std::size_t m = 0; m < methods; ++m) {
      methods_.push_back(
          {std::exp(random.normal()), std::exp(random.normal()), random.uniform(), {}});
      for (std::size_t row = 0; row < grid.rows(); ++row)
        methods_.back().odd.push_back(std::exp(0.1 * random.normal()));
    }
  }

  double time_us(surrogate::GridCell cell) const {
    const auto ranks = static_cast<double>(grid_.communicator_sizes[cell.point / grid_.columns()]);
    const auto bytes = static_cast<double>(grid_.message_sizes[cell.point % grid_.columns()]);
    const Method& method = methods_[cell.method];
    return method.odd[cell.point / grid_.columns()] *
           (method.latency * (std::log2(ranks) + method.linear * ranks) +
            1e-3 * method.bandwidth * bytes * (1 + (1 - method.linear) * std::log2(ranks)));
  }

 private:
  struct Method {
    double latency;
    double bandwidth;
    double linear;
    std::vector<double> odd;  // by communicator size
  };
  const surrogate::PredictionGrid& grid_;
  std::vector<Method> methods_;
};

template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void run(std::size_t instances, std::size_t methods) {
  const surrogate::PredictionGrid grid = square_grid(instances);
  const MadeUpTimes times(grid, methods);
  surrogate::Surrogate surrogate(grid, methods, 1);
  for (std::size_t m = 0; m < methods; ++m)
    for (std::size_t point = 0; point < grid.points(); ++point) surrogate.allow({m, point});
  fmt::print("cells,update_s,choose_s\n");
  std::vector<surrogate::GridCell> round = surrogate::first_cells(surrogate);
  const std::size_t most = grid.points() * methods / 20;
  while (!round.empty() && surrogate.measured() < most) {
    for (const surrogate::GridCell cell : round) surrogate.record(cell, times.time_us(cell), 0.01);
    const double update_s = seconds([&] { surrogate.update(); });
    const std::size_t count = std::clamp<std::size_t>(surrogate.measured() / 25, 8, 200);
    const double choose_s = seconds([&] {
      round = surrogate::next_cells(surrogate, count,
                                    [](surrogate::GridCell, double time_us) { return time_us; });
    });
    fmt::print("{},{:.3f},{:.3f}\n", surrogate.measured(), update_s, choose_s);
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  colltree::run(argc > 1 ? std::stoul(argv[1]) : 10000, argc > 2 ? std::stoul(argv[2]) : 60);
}
