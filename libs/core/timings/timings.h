// SPDX-License-Identifier: BSD-3-Clause
// The table that everything after `measure` works on: the time of every method at every measured
// instance of one collective on one system. It is loaded from a profile (profile/load_timings.h)
// and knows no database.
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "coll/method.h"

namespace colltree {

// The time of a cell: measured, predicted or none at all. A reader of the number chooses between
// `known_us`, which accepts predictions, and `measured_us`.
inline constexpr double kNoTime = std::numeric_limits<double>::quiet_NaN();

enum class TimeKind : std::uint8_t {
  kImpossible,  // was not measured and nobody wanted it measured: the method cannot run there
  kMeasured,
  kPredicted,  // a campaign wanted it and did not measure it
};

class Time {
 public:
  Time() = default;  // impossible
  // `us` may be kNoTime. Without an interval the noise is unknown; for a single sample the interval
  // is the sample itself.
  static Time measured(double us) { return {us, kNoTime, kNoTime, false}; }
  static Time measured(double us, const Interval& of_95) {
    return {us, of_95.low, of_95.high, false};
  }
  // The interval is the uncertainty of the prediction.
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
  // kNoTime: the cell was not measured.
  double measured_us() const { return is_predicted_ ? kNoTime : us_; }
  // The 95 % confidence interval of the time; none: not known.
  std::optional<Interval> interval() const {
    if (std::isnan(low_us_)) return std::nullopt;
    return Interval{low_us_, high_us_};
  }
  // The interval, or the time itself if it has none.
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

// Many times, the numbers side by side. Intervals and kinds take no room until one is set.
class Times {
 public:
  Times() = default;
  // Measured; kNoTime: impossible.
  Times(std::initializer_list<double> measured_us) : us_(measured_us) {}
  Times(std::vector<double> measured_us) : us_(std::move(measured_us)) {}

  std::size_t size() const { return us_.size(); }
  bool empty() const { return us_.empty(); }
  Time operator[](std::size_t index) const {
    return {us_[index], low_us_.empty() ? kNoTime : low_us_[index],
            high_us_.empty() ? kNoTime : high_us_[index],
            !is_predicted_.empty() && is_predicted_[index] != 0};
  }
  // Measured or predicted; kNoTime: impossible.
  std::span<const double> known_us() const { return {us_.data(), us_.size()}; }
  std::size_t predicted() const;  // how many are

  void assign(std::size_t count, double measured_us);
  void set(std::size_t index, const Time& time);
  void set(std::size_t index, double measured_us) { set(index, Time::measured(measured_us)); }
  void push_back(const Time& time);
  void push_back(double measured_us) { push_back(Time::measured(measured_us)); }

 private:
  void make_room_for(const Time& time);

  std::vector<double> us_;
  std::vector<double> low_us_;              // empty: no interval is known
  std::vector<double> high_us_;             // likewise
  std::vector<std::uint8_t> is_predicted_;  // empty: none is
};

// The methods were narrowed to those that add up in one order (in_one_order).
struct OneOrder {
  Collective collective = Collective::kBcast;
  std::string order;  // text_of (coll/catalogue.h)
  std::uint64_t methods = 0;
  std::uint64_t of_methods = 0;
  // The cost of that: penalties of the best remaining method against the best of all methods, as
  // fractions.
  double mean_penalty = 0;
  double max_penalty = 0;

  bool operator==(const OneOrder&) const = default;
};

// The relation between methods and the jobs that measured them: jobs differ, by their nodes and by
// the load of the machine.
enum class Jobs : std::uint8_t {
  kShared,    // one job measured all methods of an instance
  kRepeated,  // several jobs measured a method: session_deviation says how they differ
  kNotKnown,  // nothing: what looks like a method may be a job
};

struct Timings {
  std::string system;
  std::string provenance;  // "simulated", "measured" or "imported"
  Collective collective = Collective::kBcast;
  std::vector<Method> methods;      // what may be chosen, in tie order; "default" may be the last
  std::vector<Instance> instances;  // sorted, each once
  Times time_us;                    // instances x methods, row by row; impossible: cannot run there
  Times default_us;  // by instance: the MPI library's own choice; impossible: not measured

  std::optional<OneOrder> one_order;  // none: all methods of the source

  // True if some imported cells hold copies of one figure as samples; they count as one sample.
  bool has_copied_samples = false;

  // Standard deviation of the logarithm of a method's time from one session to another; none: fewer
  // than 20 points were measured in two sessions.
  std::optional<double> session_deviation;
  Jobs jobs = Jobs::kShared;

  // The share of the loss allowed by the intervals of predicted times that came true when measured
  // times were predicted from all others (surrogate/complete.h).
  double loss_came_true = 1;

  std::string algorithms;  // whose the methods are: "portable", "openmpi", "mpich"; "" = not known
  std::string mpi;         // library and version they ran under, "openmpi-4.1.5"; "" = not known

  Time time_at(std::size_t instance, std::size_t method) const {
    return time_us[instance * methods.size() + method];
  }
  // The time of the method that really runs (coll/catalogue.h: effective_method) when `method` is
  // requested at this instance.
  Time time_of(std::size_t instance, const Method& method) const;
  // The column of `time_us` that time_of reads; none when it has no time.
  std::optional<std::size_t> column_of(std::size_t instance, const Method& method) const;

  // The column of the library's own choice; none if that is not among the methods.
  std::optional<std::size_t> default_column() const;

  // The extremes of the known times of all methods at the instance, predicted ones included;
  // kNoTime if there is none.
  double least_known_us(std::size_t instance) const;
  double greatest_known_us(std::size_t instance) const;
  // The method of the least known time, the first in tie order among ties; none without any.
  std::optional<std::size_t> best_at(std::size_t instance) const;
  // The same of measured times alone.
  std::optional<std::size_t> best_measured_at(std::size_t instance) const;

 private:
  std::span<const double> known_row(std::size_t instance) const {
    return time_us.known_us().subspan(instance * methods.size(), methods.size());
  }
};

// Times within this relative distance of the best count as ties; among ties the first method in
// catalogue order wins (the simplest algorithm, unsegmented before segmented).
inline constexpr double kTieTolerance = 1e-9;
double least_time(std::span<const double> times_us);  // kNoTime: there is none
// The first of the times within the tolerance of the least; none when there is no time.
std::optional<std::size_t> best_method(std::span<const double> times_us,
                                       double tie_tolerance = kTieTolerance);

// Methods as a table has them: catalogue order, then by segment size (unknown first), then by name.
std::vector<Method> in_tie_order(Collective collective, const std::set<Method>& methods);

// A hash over every point, method and time except those of the default, independent of the order of
// the collectives. Two profiles with the same hash hold the same session.
std::string hash_of(const std::vector<Timings>& timings);

// The numbers of cells that were measured and predicted; the library's own choice counts once.
struct TimeCounts {
  std::size_t measured = 0;
  std::size_t predicted = 0;
};
TimeCounts counts_of(const Timings& timings);

// The same table with these instances only (indices, ascending); every method stays.
Timings select_instances(const Timings& timings, std::span<const std::size_t> instances);
// The instances with `ranks_per_node` ranks on each node, or all ranks on one node if they are
// fewer.
Timings select_placement(const Timings& timings, std::uint64_t ranks_per_node);
// True if some communicator size was measured with several numbers of ranks per node.
bool has_several_placements(const Timings& timings);
// The numbers of ranks per node that occur, ascending; those of communicators on a single node only
// if there are no others.
std::vector<std::uint64_t> placements_of(const Timings& timings);
// The same table with these of its methods only; every instance stays.
Timings select_methods(const Timings& timings, std::span<const Method> methods);
// The methods of the first table that the second has, too, in the order of the first.
std::vector<Method> common_methods(const Timings& table, const Timings& second);

// The timings of only those methods that add up in one order (SumTree, coll/catalogue.h), for sums
// whose bits do not depend on the length of a message, its segments or the placement of ranks. The
// order is the same for all communicator sizes, because a tree's thresholds between two measured
// sizes may differ from one message size to another.
//
// Among the orders that have a method at every instance it takes the one whose best methods lose
// least on average; the first in tie order among ties. Collectives that do not add up keep all
// methods.
// The methods must be the portable ones. Throws Error when no order has a method everywhere.
Timings in_one_order(const Timings& timings);

}  // namespace colltree
