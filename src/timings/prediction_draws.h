// SPDX-License-Identifier: BSD-3-Clause
// What figures become when predicted times are off by as much as their intervals say: the times of
// a table drawn anew, many times, always the same for a table.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "timings/timings.h"

namespace colltree {

inline constexpr std::size_t kPredictionDraws = 64;

class PredictionDraws {
 public:
  // The table must live as long.
  explicit PredictionDraws(const Timings& timings);

  // Of one draw: the time of the chosen, of the default and the least of all methods.
  struct Drawn {
    double chosen_us = kNoTime;
    double default_us = kNoTime;
    double least_us = kNoTime;
  };
  // A draw after the other; none where no prediction can change the figures of the instance.
  // `chosen`: a column of the table; none: the default. Cost: draws x methods that may be best.
  std::vector<Drawn> at(std::size_t instance, std::optional<std::size_t> chosen);

 private:
  Time time_of(std::size_t instance, std::size_t column) const;
  const std::vector<double>& errors(std::size_t instance, std::size_t column);
  std::vector<std::size_t> rivals_at(std::size_t instance) const;
  double drawn_us(std::size_t instance, std::size_t column, std::size_t draw);

  const Timings& timings_;
  std::size_t default_column_;  // behind the methods where it is none of them
  bool any_ = false;
  // Of a method within a block of neighbouring sizes: a standard normal number for each draw.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> errors_;
};

}  // namespace colltree
