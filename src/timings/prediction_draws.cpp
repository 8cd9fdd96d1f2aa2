// SPDX-License-Identifier: BSD-3-Clause
#include "timings/prediction_draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random.h"
#include "timings/grid_axis.h"

namespace colltree {

namespace {

// Neighbours were predicted from the same times and are wrong together: were each wrong by itself,
// a mean over many would pass for certain. What is wrong at a message size is half of it so on all
// communicators: there a protocol switches.
constexpr double kOctavesOfRanks = 1;
constexpr double kOctavesOfBytes = 2;
constexpr double kFarthest = 3;  // deviations

std::size_t block(std::uint64_t size, double octaves_of_block) {
  return static_cast<std::size_t>(std::max(0.0, octaves(size) / octaves_of_block) + 1);
}

double deviation(const Time& time) {
  return time.is_predicted() ? log_deviation(time.interval_or_itself()) : 0;
}

}  // namespace

PredictionDraws::PredictionDraws(const Timings& timings)
    : timings_(timings),
      default_column_(timings.default_column().value_or(timings.methods.size())),
      any_(counts_of(timings).predicted > 0) {}

Time PredictionDraws::time_of(std::size_t instance, std::size_t column) const {
  return column == default_column_ ? timings_.default_us[instance] : timings_.at(instance, column);
}

const std::vector<double>& PredictionDraws::errors(std::size_t instance, std::size_t column) {
  const Instance& at = timings_.instances[instance];
  const std::size_t bytes = block(at.message_size, kOctavesOfBytes);
  const std::size_t place = 1000 * block(at.communicator_size, kOctavesOfRanks) + bytes;
  std::vector<double>& drawn = errors_[{column, place}];
  if (!drawn.empty()) return drawn;
  SeededRandom of_block(1 + column * 1000000 + place);
  SeededRandom of_bytes(1 + column * 1000000 + bytes);
  for (std::size_t draw = 0; draw < kPredictionDraws; ++draw) {
    const double error = (of_block.normal() + of_bytes.normal()) / std::numbers::sqrt2;
    drawn.push_back(std::clamp(error, -kFarthest, kFarthest));
  }
  return drawn;
}

double PredictionDraws::drawn_us(std::size_t instance, std::size_t column, std::size_t draw) {
  const Time time = time_of(instance, column);
  if (!time.is_predicted()) return time.known_us();
  return time.known_us() * std::exp(deviation(time) * errors(instance, column)[draw]);
}

// The methods that may be the best, whatever predictions are off by.
std::vector<std::size_t> PredictionDraws::rivals_at(std::size_t instance) const {
  const auto farthest = [&](std::size_t m, double sign) {
    const Time time = timings_.at(instance, m);
    return time.known_us() * std::exp(sign * kFarthest * deviation(time));
  };
  double limit_us = kNoTime;
  for (std::size_t m = 0; m < timings_.methods.size(); ++m)
    limit_us = std::fmin(limit_us, farthest(m, 1));
  std::vector<std::size_t> rivals;
  for (std::size_t m = 0; m < timings_.methods.size(); ++m) {
    if (farthest(m, -1) <= limit_us) rivals.push_back(m);
  }
  return rivals;
}

std::vector<PredictionDraws::Drawn> PredictionDraws::at(std::size_t instance,
                                                        std::optional<std::size_t> chosen) {
  if (!any_) return {};
  const std::size_t asked = chosen.value_or(default_column_);
  const std::vector<std::size_t> rivals = rivals_at(instance);
  const auto is_predicted = [&](std::size_t column) {
    return time_of(instance, column).is_predicted();
  };
  if (!is_predicted(asked) && !is_predicted(default_column_) &&
      std::ranges::none_of(rivals, is_predicted))
    return {};
  std::vector<Drawn> all(kPredictionDraws);
  for (std::size_t draw = 0; draw < all.size(); ++draw) {
    all[draw] = {drawn_us(instance, asked, draw), drawn_us(instance, default_column_, draw)};
    for (const std::size_t m : rivals)
      all[draw].least_us = std::fmin(all[draw].least_us, drawn_us(instance, m, draw));
  }
  return all;
}

}  // namespace colltree
