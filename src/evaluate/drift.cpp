// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/drift.h"

#include <algorithm>
#include <cmath>

namespace colltree {

namespace {

// Each of the two intervals may miss on either side.
double confidence_of_each(std::size_t probes) {
  return 1 - kFalseAlarms / (2 * static_cast<double>(probes));
}

}  // namespace

std::string_view name(Standing standing) {
  switch (standing) {
    case Standing::kHolds:
      return "holds";
    case Standing::kDrifted:
      return "drifted";
    case Standing::kCannotTell:
      break;
  }
  return "cannot tell";
}

std::size_t rounds_for(std::size_t probes) {
  constexpr double kFewestRounds = 12;
  return static_cast<std::size_t>(
      std::max(kFewestRounds, std::ceil(1 - std::log2(1 - confidence_of_each(probes)))));
}

Drift judge_drift(const std::vector<Pair>& then, const std::vector<Pair>& now, std::size_t probes) {
  const double confidence = confidence_of_each(probes);
  Drift drift;
  drift.now = median_gain(now);
  drift.now_interval = gain_interval(now, confidence);
  if (!then.empty()) {
    drift.then = median_gain(then);
    drift.then_interval = gain_interval(then, confidence);
  }
  const double loss = drift.then_interval.low / drift.now_interval.high;
  const double win = then.empty() ? 0 : drift.now_interval.low / drift.then_interval.high;
  if (std::max(loss, win) > kTolerated) {
    drift.standing = Standing::kDrifted;
  } else if (drift.then_interval.high / drift.now_interval.low < kRuledOut) {
    drift.standing = Standing::kHolds;
  }
  return drift;
}

Standing judge_all(std::span<const Drift> drifts) {
  const auto count = [&](Standing standing) {
    return std::ranges::count(drifts, standing, &Drift::standing);
  };
  if (count(Standing::kDrifted) > 0) return Standing::kDrifted;
  return count(Standing::kCannotTell) > 0 || drifts.empty() ? Standing::kCannotTell
                                                            : Standing::kHolds;
}

}  // namespace colltree
