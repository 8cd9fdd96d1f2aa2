// SPDX-License-Identifier: BSD-3-Clause
// Measurements that are repeated: several sessions of one collective, and what noise alone costs;
// rounds of the default and of rules side by side, and what the rules gain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "evaluate/comparison.h"
#include "profile/load_timings.h"
#include "profile/profile.h"
#include "timings/penalty.h"
#include "timings/timings.h"

namespace colltree::evaluate {

// A model is fitted to one session and judged by the other. Both are narrowed to the methods that
// both measured, so that a method that only one tried is neither "cannot run" nor a best that
// nobody could choose.
struct SessionPair {
  std::string here_name;   // of the profile fitted to
  std::string there_name;  // of the one judged by
  profile::SystemInfo here_system;
  profile::SystemInfo there_system;
  Timings here;                     // where a method of both has a time
  Timings there;                    // of these the instances that both have
  std::size_t other_methods = 0;    // that only one of the two has
  std::size_t other_instances = 0;  // of `there`, that `here` has not

  // Simulated times and times of a machine: two things, which only a label may bring together.
  bool mixes_simulated() const;
};

// Throws Error when they hold the same times, or have no method or no instance in common.
SessionPair make_session_pair(SessionPair whole);

// The system to read of another profile: the one of the same name as here, else its only one.
profile::SystemInfo system_beside(const profile::Profile& profile, const std::string& here);

// "Q.db" of "runs/Q.db".
std::string session_name(const std::string& path);

// Even the exact map loses because times vary: the best method by one set of timings is judged by
// another of the same instances. Below this no model's figure means anything. The two directions
// differ: the choice of a quiet session may lose much in a busy session, and not the reverse.
struct NoiseFloor {
  PenaltyPoints points;            // instances that both have
  std::size_t same_best = 0;       // of these: where both name the same method
  std::size_t judged = 0;          // comparisons, those that cannot run included
  std::size_t common_methods = 0;  // what was chosen from; several pairs: of the pair with fewest
  std::size_t other_methods = 0;   // that only one of the two has: left out of both

  void add(const NoiseFloor& pair);  // another pair of sets
  double share_same() const;         // 0 when nothing was judged
};

// Judges the best methods of `from` by the times of `to`, among the methods that both have.
NoiseFloor transferred(const Timings& from, const Timings& to);

struct NoiseFloorRequest {
  const std::string& profile;  // file
  profile::LoadOptions load;
  const std::string& system;
  Collective collective;
  std::vector<std::string> sessions;  // other profiles of the same points
  std::uint64_t seed = 1;             // of the halves and of the bootstrap
};

// "noise floor" between split halves of the samples, where they are repeated; between the campaigns
// of the system in this profile; against each other session. Each gives two rows, "A -> B" and
// "B -> A": the best methods of the first judged by the second, among the methods of both. What is
// not there gives no row. Throws Error when another session has no point or no method in common.
std::vector<ComparisonRow> noise_floor_rows(const NoiseFloorRequest& request);

// The chooser of these rows.
extern const char* const kNoiseFloor;
// A line that says why the table has no such row and what gives one to it; "" where it has one.
std::string no_noise_floor(const std::vector<Timings>& loaded, const Comparison& comparison);

// The rows between two sessions that were loaded already: there, then back.
std::vector<ComparisonRow> noise_floor_between(const SessionPair& pair, std::uint64_t seed);

// Medians of one instance in one round, in microseconds.
struct Pair {
  double default_us = 0;
  double tuned_us = 0;
  std::size_t session = 0;  // rounds of one job, or of jobs in a row, have the same
};

struct Gain {
  double factor = 1;  // time of the default / time under the rules: geometric mean over the rounds
  Interval interval{1, 1};  // 95 %
};

// `instances`: at each one pair a round, all of the same number of rounds (at least 1). The rounds
// are drawn with replacement, the same for all instances: what disturbed one round disturbed all of
// it. One instance gives its own gain, several the geometric mean of theirs. Each of several
// sessions is one draw, by its mean: the interval is Student's, and holds how far they differ.
Gain gain_of(const std::vector<std::vector<Pair>>& instances, std::uint64_t seed);

// The interval of one instance, without assumptions: the median of all possible rounds lies in it
// with the confidence (base/statistics.h). It is 0 to infinity when there are too few rounds. With
// several sessions it holds their 95 % interval (gain_of), too.
Interval gain_interval(const std::vector<Pair>& rounds, double confidence);
// The medians over the rounds: of the gain; of both times.
double median_gain(const std::vector<Pair>& rounds);
Pair medians(const std::vector<Pair>& rounds);

// Most sessions whose interval is known.
inline constexpr std::size_t kMostSessions = 12;

// "faster", "slower" or "no significant difference", when the interval holds 1.
std::string_view verdict(const Gain& gain);

// A deployed choice is compared with what it was when it was verified on the machine: rounds of the
// default and the choice side by side, now and then.
enum class Standing : std::uint8_t { kHolds, kDrifted, kCannotTell };
std::string_view name(Standing standing);  // "holds", "drifted", "cannot tell"

// All probes together raise a false alarm with a probability of at most this.
inline constexpr double kFalseAlarms = 0.05;
// A gain that has changed by less than this factor has not drifted.
inline constexpr double kTolerated = 1.05;
// A choice holds where a loss of its gain by this factor can be ruled out.
inline constexpr double kRuledOut = 1.3;

// One instance.
struct Drift {
  Standing standing = Standing::kCannotTell;
  double then = 1;
  Interval then_interval{1, 1};
  double now = 1;
  Interval now_interval{1, 1};
};

// The number of rounds that each probe needs, at least twelve: the outermost rounds do not count
// when few are judged.
std::size_t rounds_for(std::size_t probes);

// Drifted: the intervals of then and now are further apart than what is tolerated, to either side.
// `then` empty: nothing is known but that the choice shall not be slower than the default; drifted
// only if it is. `probes`: how many are judged together.
Drift judge_drift(const std::vector<Pair>& then, const std::vector<Pair>& now, std::size_t probes);

// Drifted if one is; holds if all do.
Standing judge_all(std::span<const Drift> drifts);

}  // namespace colltree::evaluate
