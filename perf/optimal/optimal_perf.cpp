// SPDX-License-Identifier: BSD-3-Clause
// Time and memory of the exact search: optimal_perf [ROWS COLUMNS METHODS LEAVES]; without
// arguments the grids of docs/results/models.md. Two kinds of made costs: `regions` (each method
// has a region where it is best, with 10 % noise, as measured grids have) and `noise` (every cell
// on its own: the hardest there is, no frontier ends early).
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <random>
#include <string>

#include "model/optimal/frontier_table.h"

namespace colltree::optimal {

struct Size {
  std::size_t rows, columns, methods, leaves;
};

static CostCube made_costs(const Size& size, bool regions) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> latency, bandwidth;
  for (std::size_t m = 0; m < size.methods; ++m) {
    latency.push_back(uniform(random));
    bandwidth.push_back(uniform(random));
  }
  CostCube cube{.cells = size.rows * size.columns, .methods = size.methods};
  for (std::size_t cell = 0; cell < cube.cells; ++cell) {
    const double row = static_cast<double>(cell / size.columns) / static_cast<double>(size.rows);
    const double column =
        static_cast<double>(cell % size.columns) / static_cast<double>(size.columns);
    std::vector<double> times;
    for (std::size_t m = 0; m < size.methods; ++m) {
      const double time = std::exp(3 * latency[m] * (1 - column) + 4 * bandwidth[m] * column +
                                   2 * row * std::fabs(latency[m] - bandwidth[m]));
      times.push_back(regions ? time * (1 + 0.1 * uniform(random)) : 1 + uniform(random));
    }
    const double best = *std::min_element(times.begin(), times.end());
    for (const double time : times) cube.cost.push_back(std::round((time / best - 1) * 0x1p30));
  }
  return cube;
}

static double peak_mb() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

static void measure(const Size& size, bool regions) {
  const CostCube cube = made_costs(size, regions);
  const BoxSpace space({interval_axis(size.rows), interval_axis(size.columns)});
  FrontierTable table(cube, space, Combine::kSum, size.leaves);
  const std::clock_t start = std::clock();  // of this one thread: others may be busy
  table.fill({});
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const double cells = static_cast<double>(cube.cells) * 0x1p30;
  fmt::print("{:>4} x {:<4} {:>7} {:>6}  {:<8} {:>9} {:>8.3f} {:>9.0f} {:>8.0f}  {:.3f} {:.3f}\n",
             size.rows, size.columns, size.methods, size.leaves, regions ? "regions" : "noise",
             space.boxes(), seconds, static_cast<double>(table.memory_bytes()) / (1 << 20),
             peak_mb(), 100 * table.root()[0] / cells, 100 * table.root().back() / cells);
  std::fflush(stdout);
}

}  // namespace colltree::optimal

int main(int argc, char** argv) {
  std::vector<colltree::optimal::Size> sizes = {{12, 24, 29, 64}, {25, 24, 29, 64},
                                                {25, 48, 29, 64}, {32, 32, 30, 21},
                                                {48, 48, 30, 21}, {64, 64, 30, 21}};
  if (argc == 5) {
    const auto number = [&](int i) { return std::strtoul(argv[i], nullptr, 10); };
    sizes = {{number(1), number(2), number(3), number(4)}};
  }
  fmt::print(
      "  grid      methods leaves  costs        boxes    cpu_s  table_mb  peak_mb  "
      "penalty_pct of 1 leaf, of the last\n");
  for (const auto& size : sizes) {
    for (const bool regions : {true, false}) colltree::optimal::measure(size, regions);
  }
}
