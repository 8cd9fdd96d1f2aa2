// SPDX-License-Identifier: BSD-3-Clause
#include "timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>

namespace colltree {

namespace {

constexpr std::uint64_t kSeed = 2007;
using Clock = std::chrono::steady_clock;

volatile std::uint64_t sink;  // the decisions must not be optimised away

double nanoseconds(Clock::duration time) {
  return std::chrono::duration<double, std::nano>(time).count();
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// More than the last-level cache that one core gets.
void fill_caches() {
  static std::vector<std::uint64_t> other(std::size_t{6} << 20);  // 48 MB
  for (std::size_t i = 0; i < other.size(); i += 8) ++other[i];
  sink = sink + other[0];
}

double one_pass(const Candidate& candidate, const std::vector<Query>& queries) {
  const auto begin = Clock::now();
  sink = sink + candidate.decide_all(queries);
  return nanoseconds(Clock::now() - begin);
}

}  // namespace

std::vector<Query> make_queries(Load load, std::size_t count) {
  std::mt19937_64 random(kSeed);
  std::uniform_int_distribution<std::uint64_t> ranks(2, 64);
  std::uniform_int_distribution<std::uint64_t> bytes(1, 16U << 20);
  std::uniform_real_distribution<double> exponent(0, 24);
  const auto any = [&]() -> Query {
    const std::uint64_t size = load == Load::kUniform
                                   ? bytes(random)
                                   : static_cast<std::uint64_t>(std::exp2(exponent(random)));
    return {ranks(random), size};
  };
  std::vector<Query> frequent;
  for (int i = 0; i < 8; ++i) frequent.push_back(any());
  std::vector<Query> queries;
  while (queries.size() < count) {
    const bool common = load == Load::kMix && random() % 10 != 0;
    queries.push_back(common ? frequent[random() % frequent.size()] : any());
  }
  return queries;
}

std::vector<double> warm_ns(const std::vector<std::unique_ptr<Candidate>>& candidates,
                            const std::vector<Query>& queries, int rounds) {
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      times[i].push_back(one_pass(*candidates[i], queries) / static_cast<double>(queries.size()));
    }
  }
  std::vector<double> least;
  for (const auto& one : times) least.push_back(*std::ranges::min_element(one));
  return least;
}

std::vector<double> cold_ns(const std::vector<std::unique_ptr<Candidate>>& candidates,
                            const std::vector<Query>& queries, int rounds) {
  std::vector<std::vector<double>> times(candidates.size());
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Query> one = {queries[static_cast<std::size_t>(round) % queries.size()]};
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      fill_caches();
      times[i].push_back(one_pass(*candidates[i], one));
    }
  }
  std::vector<double> medians;
  for (const auto& one : times) medians.push_back(median(one));
  return medians;
}

}  // namespace colltree
