// SPDX-License-Identifier: BSD-3-Clause
// Noise-aware trees of samples with two modes, judged by the true medians, which the plain trees of
// the same samples are judged by too.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "base/statistics.h"
#include "model/kinds/optimal.h"

namespace colltree::model {
namespace {

constexpr std::size_t kSamples = 50;

// A number of the samples is slower by a factor, as beside another job; the median is one of the
// fast samples.
struct Modes {
  double slow_share;
  double factor;
};

struct Session {
  Timings truth;
  Timings measured;
};

// Start-up time and time per byte of each method differ: their lines cross.
double true_time_us(std::size_t method, const Instance& at) {
  const auto m = static_cast<double>(method);
  const double ranks = static_cast<double>(at.communicator_size);
  const double bytes = static_cast<double>(at.message_size);
  return (2 + 3 * m) * std::log2(ranks) + bytes * std::pow(ranks, 1 - 0.2 * m) / (400 + 300 * m);
}

Session bimodal_session(std::uint64_t seed, const Modes& modes) {
  SeededRandom random(seed);
  const auto uniform = [&] { return static_cast<double>(random.below(1U << 20U)) / (1U << 20U); };
  Timings truth{.system = "s", .provenance = "measured"};
  truth.methods = {{"linear", 0}, {"binomial", 0}, {"binary", 1024}, {"pipeline", 8192}};
  for (const std::uint64_t ranks : {2, 4, 6, 8, 12, 16, 24, 32}) {
    for (std::uint64_t bytes = 4; bytes <= 1U << 20U; bytes *= 4) {
      truth.instances.push_back({Collective::kBcast, ranks, bytes});
      truth.default_us.push_back(kNoTime);
    }
  }
  Timings measured = truth;
  for (const Instance& at : truth.instances) {
    for (std::size_t m = 0; m < truth.methods.size(); ++m) {
      const double time_us = true_time_us(m, at);
      std::vector<double> samples;
      std::vector<double> many;
      for (std::size_t s = 0; s < kSamples; ++s) {
        const double slow = uniform() < modes.slow_share ? modes.factor : 1;
        samples.push_back(time_us * slow * (1 + 0.04 * uniform()));
      }
      // The median of fast and slow: so far into the fast ones.
      truth.time_us.push_back(time_us * (1 + 0.04 * 0.5 / (1 - modes.slow_share)));
      measured.time_us.push_back(Time::measured(median(samples), median_interval(samples, 0.95)));
    }
  }
  return {truth, measured};
}

double true_loss(const Session& session, bool noise_aware) {
  OptimalOptions options;
  options.leaves = 10;
  options.noise_aware = noise_aware;
  const Model model = fit_optimal({session.measured}, options);
  const Timings& truth = session.truth;
  double sum = 0;
  for (std::size_t i = 0; i < truth.instances.size(); ++i) {
    double best = kNoTime;
    for (std::size_t m = 0; m < truth.methods.size(); ++m)
      best = std::fmin(best, truth.at(i, m).known_us());
    sum += truth.time_of(i, model.decide(truth.instances[i])).known_us() / best - 1;
  }
  return sum / static_cast<double>(truth.instances.size());
}

TEST(NoiseAware, IsNoWorseThanPlainOnSamplesWithTwoModes) {
  for (const Modes& modes : {Modes{0.3, 1.5}, {0.4, 1.5}, {0.4, 3}, {0.45, 1.5}, {0.45, 3}}) {
    SCOPED_TRACE(modes.slow_share * 100 + modes.factor);
    double plain = 0;
    double aware = 0;
    constexpr int kSessions = 5;
    for (std::uint64_t seed = 1; seed <= kSessions; ++seed) {
      const Session session = bimodal_session(seed, modes);
      plain += true_loss(session, false) / kSessions;
      aware += true_loss(session, true) / kSessions;
    }
    EXPECT_LE(aware, plain + 0.002);
  }
}

}  // namespace
}  // namespace colltree::model
