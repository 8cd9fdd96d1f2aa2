// SPDX-License-Identifier: BSD-3-Clause
// c45_perf write N scattered|grid STEM     the data for the other programs
// c45_perf train N scattered|grid [M C]    seconds to grow and prune, peak memory
// c45_perf reference N scattered|grid      the same by the slow reference of the tests
// c45_perf sweep [STEM]                    -m 2..40 x -c 5..25 at the papers' 1248 cases,
//                                          made up or read
// Prints one JSON object.
#include <fmt/core.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <future>
#include <numeric>
#include <thread>

#include "base/error.h"
#include "base/json.h"
#include "engine/grow_presorted.h"
#include "engine/prune.h"
#include "made_data.h"
#include "reference_tree.h"
#include "release8/training.h"

namespace colltree::perf {

namespace {

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Peak of this process, bytes. Not getrusage: its peak is inherited from the parent's fork.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return 1024.0 * std::stod(line.substr(6));
  }
  return 0;
}

Json train(std::size_t cases, Layout layout, int weight, float confidence) {
  const double start_bytes = peak_bytes();
  const c45::Dataset data = made_data(cases, layout);
  c45::TrainOptions options;
  options.tree.weight = weight;
  options.tree.confidence_percent = confidence;
  const Stopwatch watch;
  const c45::Training training = c45::train(data.schema, data.cases, options);
  const double seconds = watch.seconds();
  const c45::TreeSize before = c45::size_of(training.trials[0].grown);
  const c45::TreeSize after = c45::size_of(training.trials[0].pruned);
  return {{"seconds", seconds},
          {"bytes_per_case", (peak_bytes() - start_bytes) / static_cast<double>(cases)},
          {"leaves_before", before.leaves},
          {"leaves_after", after.leaves},
          {"depth", before.max_depth}};
}

Json reference_train(std::size_t cases, Layout layout) {
  const c45::Dataset data = made_data(cases, layout);
  const Stopwatch watch;
  c45::reference::run(data.schema, data.cases, {});
  return {{"seconds", watch.seconds()}};
}

// Grows a tree for each weight and prunes it with each confidence level, on all cores: as many
// trees as it returns.
std::size_t grow_and_prune(const c45::Dataset& data, std::span<const int> weights,
                           std::span<const float> levels) {
  const c45::Thresholds thresholds(data.schema, data.cases);
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> trees = 0;
  const auto work = [&] {
    c45::PresortedGrower grower(data.schema, data.cases, thresholds);
    for (std::size_t i = next++; i < weights.size(); i = next++) {
      const c45::Tree grown = grower.grow({.weight = weights[i]});
      c45::CompletePruner pruner(grown, data.schema, data.cases);
      for (const float level : levels) {
        trees += pruner.prune(c45::confidence_fraction(level)).tree.nodes.empty() ? 0 : 1;
      }
    }
  };
  std::vector<std::future<void>> workers;
  for (std::size_t i = 0; i < std::thread::hardware_concurrency(); ++i) {
    workers.push_back(std::async(std::launch::async, work));
  }
  for (std::future<void>& worker : workers) worker.get();
  return trees;
}

Json sweep(const std::string& stem) {
  c45::Problems problems;
  const c45::Dataset data =
      stem.empty() ? made_data(1248, Layout::kGrid) : c45::read_dataset(stem, problems);
  std::vector<int> weights(39);
  std::iota(weights.begin(), weights.end(), 2);
  std::vector<float> levels(21);
  std::iota(levels.begin(), levels.end(), 5.0F);
  double best = 1e9;
  double grow_only = 1e9;
  std::size_t points = 0;
  for (int round = 0; round < 20; ++round) {
    const Stopwatch watch;
    points = grow_and_prune(data, weights, levels);
    best = std::min(best, watch.seconds());
    const Stopwatch grow_watch;
    grow_and_prune(data, weights, {});
    grow_only = std::min(grow_only, grow_watch.seconds());
  }
  return {{"seconds", best}, {"grow_seconds", grow_only}, {"trees", points}};
}

Json run(int argc, char** argv) {
  const auto word = [&](int i) { return i < argc ? std::string(argv[i]) : std::string(); };
  if (word(1) == "sweep") return sweep(word(2));
  if (argc < 4) throw UsageError("usage: see the head of c45_perf.cpp");
  const std::size_t cases = std::stoul(word(2));
  const Layout layout = word(3) == "grid" ? Layout::kGrid : Layout::kScattered;
  if (word(1) == "reference") return reference_train(cases, layout);
  if (word(1) == "write") {
    write_data(made_data(cases, layout), word(4));
    return Json::object();
  }
  return train(cases, layout, argc > 4 ? std::stoi(word(4)) : 2,
               argc > 5 ? std::stof(word(5)) : 25);
}

}  // namespace

}  // namespace colltree::perf

int main(int argc, char** argv) {
  fmt::print("{}\n", colltree::perf::run(argc, argv).dump());
  return 0;
}
