// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/decision_timing.h"

#include <chrono>
#include <random>
#include <vector>

#include "base/error.h"
#include "base/statistics.h"
#include "colltree/decision.h"

namespace colltree::deploy {

namespace {

constexpr std::size_t kInstances = 1 << 14;
constexpr int kRounds = 31;

std::vector<colltree_instance> random_instances() {
  std::mt19937_64 random(2007);
  std::uniform_int_distribution<std::uint64_t> communicator(2, 64);
  std::uniform_int_distribution<std::uint64_t> message(1, 16 << 20);
  std::vector<colltree_instance> instances(kInstances);
  for (colltree_instance& instance : instances)
    instance = {communicator(random), message(random), 0, 0};
  return instances;
}

// Median over rounds of the mean time of a call; the sum of results keeps calls from being dropped.
template <typename Call>
double ns_per_call(const Call& call) {
  static const std::vector<colltree_instance> instances = random_instances();
  std::vector<double> rounds;
  volatile long sink = 0;
  for (int round = 0; round < kRounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    long sum = 0;
    for (const colltree_instance& instance : instances) sum += call(instance);
    sink = sum;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    rounds.push_back(took.count() / static_cast<double>(instances.size()));
  }
  static_cast<void>(sink);
  return median(rounds);
}

}  // namespace

double decision_file_ns(const std::string& cdt, Collective collective) {
  char error[256] = "";
  colltree_decision* decision = colltree_decision_use(cdt.data(), cdt.size(), error, sizeof error);
  if (decision == nullptr) throw Error(error);
  const int number = colltree_decision_collective(std::string(name(collective)).c_str());
  const double ns = ns_per_call([&](const colltree_instance& instance) {
    return colltree_decide(decision, number, &instance);
  });
  colltree_decision_free(decision);
  return ns;
}

double chooser_ns(const std::function<Method(const Instance&)>& choose, Collective collective) {
  constexpr std::size_t kCalls = 512;
  const std::vector<colltree_instance> instances = random_instances();
  volatile std::size_t sink = 0;
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < kCalls; ++i) {
    sink = choose({collective, instances[i].communicator_size, instances[i].message_size})
               .algorithm.size();
  }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  static_cast<void>(sink);
  return took.count() / kCalls;
}

}  // namespace colltree::deploy
