// SPDX-License-Identifier: BSD-3-Clause
#include "timings/time.h"

#include <algorithm>

namespace colltree {

std::size_t Times::predicted() const {
  return static_cast<std::size_t>(std::ranges::count(is_predicted_, std::uint8_t{1}));
}

void Times::assign(std::size_t count, double measured_us) {
  *this = Times(std::vector<double>(count, measured_us));
}

void Times::make_room_for(const Time& time) {
  if (low_us_.empty() && time.interval()) {
    low_us_.assign(us_.size(), kNoTime);
    high_us_.assign(us_.size(), kNoTime);
  }
  if (is_predicted_.empty() && time.is_predicted_) is_predicted_.assign(us_.size(), 0);
}

void Times::set(std::size_t at, const Time& time) {
  make_room_for(time);
  us_[at] = time.us_;
  if (!low_us_.empty()) {
    low_us_[at] = time.low_us_;
    high_us_[at] = time.high_us_;
  }
  if (!is_predicted_.empty()) is_predicted_[at] = time.is_predicted_ ? 1 : 0;
}

void Times::push_back(const Time& time) {
  us_.push_back(kNoTime);
  if (!low_us_.empty()) {
    low_us_.push_back(kNoTime);
    high_us_.push_back(kNoTime);
  }
  if (!is_predicted_.empty()) is_predicted_.push_back(0);
  set(us_.size() - 1, time);
}

}  // namespace colltree
