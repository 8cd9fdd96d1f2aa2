// SPDX-License-Identifier: BSD-3-Clause
// The time of a cell: measured, predicted or none at all. Whoever reads the number says whether a
// prediction will do: `known_us` or `measured_us`.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/statistics.h"

namespace colltree {

inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

enum class TimeKind : std::uint8_t {
  kImpossible,  // was not measured and nobody wanted it measured: the method cannot run there
  kMeasured,
  kPredicted,  // a campaign wanted it and did not measure it
};

class Time {
 public:
  Time() = default;  // impossible
  // `us` may be kNoTime. Without an interval nothing is known of its noise; of a single sample the
  // interval is the sample itself.
  static Time measured(double us) { return {us, kNoTime, kNoTime, false}; }
  static Time measured(double us, const Interval& of_95) {
    return {us, of_95.low, of_95.high, false};
  }
  // The interval is the prediction's own: how far it may be off.
  static Time predicted(double us, const Interval& of_95) {
    return {us, of_95.low, of_95.high, true};
  }

  TimeKind kind() const {
    if (std::isnan(us_)) return TimeKind::kImpossible;
    return is_predicted_ ? TimeKind::kPredicted : TimeKind::kMeasured;
  }
  bool is_impossible() const { return std::isnan(us_); }
  bool is_predicted() const { return kind() == TimeKind::kPredicted; }

  // Measured or predicted; kNoTime: impossible.
  double known_us() const { return us_; }
  // kNoTime: was not measured.
  double measured_us() const { return is_predicted_ ? kNoTime : us_; }
  // Between these the time lies with 95 % confidence; none: not known.
  std::optional<Interval> interval() const {
    if (std::isnan(low_us_)) return std::nullopt;
    return Interval{low_us_, high_us_};
  }
  // The same; of a time without interval the time itself.
  Interval interval_or_itself() const { return interval().value_or(Interval{us_, us_}); }

 private:
  friend class Times;
  Time(double us, double low_us, double high_us, bool is_predicted)
      : us_(us), low_us_(low_us), high_us_(high_us), is_predicted_(is_predicted) {}

  double us_ = kNoTime;
  double low_us_ = kNoTime;
  double high_us_ = kNoTime;
  bool is_predicted_ = false;
};

// Many of them, the numbers side by side. Intervals and kinds take no room until there are any.
class Times {
 public:
  Times() = default;
  // Measured; kNoTime: impossible.
  Times(std::initializer_list<double> measured_us) : us_(measured_us) {}
  Times(std::vector<double> measured_us) : us_(std::move(measured_us)) {}

  std::size_t size() const { return us_.size(); }
  bool empty() const { return us_.empty(); }
  Time operator[](std::size_t at) const {
    return {us_[at], low_us_.empty() ? kNoTime : low_us_[at],
            high_us_.empty() ? kNoTime : high_us_[at],
            !is_predicted_.empty() && is_predicted_[at] != 0};
  }
  // Measured or predicted; kNoTime: impossible.
  std::span<const double> known_us() const { return us_; }
  std::size_t predicted() const;  // how many are

  void assign(std::size_t count, double measured_us);
  void set(std::size_t at, const Time& time);
  void set(std::size_t at, double measured_us) { set(at, Time::measured(measured_us)); }
  void push_back(const Time& time);
  void push_back(double measured_us) { push_back(Time::measured(measured_us)); }

 private:
  void make_room_for(const Time& time);

  std::vector<double> us_;
  std::vector<double> low_us_;              // empty: no interval is known
  std::vector<double> high_us_;             // likewise
  std::vector<std::uint8_t> is_predicted_;  // empty: none is
};

}  // namespace colltree
