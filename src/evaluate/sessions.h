// SPDX-License-Identifier: BSD-3-Clause
// Several sessions of one collective, and what noise alone costs. A pair of them is there to fit to
// the one and to judge by the other: both narrowed to the methods that both measured, so that what
// only one tried is neither "cannot run" nor a best that nobody could choose.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluate/comparison.h"
#include "profile/load_timings.h"
#include "profile/profile.h"
#include "timings/penalty.h"
#include "timings/timings.h"

namespace colltree::evaluate {

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

// What the other profile is asked for: the system of this name, else the one of the same name as
// here, else its only one. Throws Error, which names the option to say it with.
profile::SystemInfo system_beside(const profile::Profile& other, const std::string& here,
                                  const std::optional<std::string>& wanted,
                                  std::string_view option);

// "Q.db" of "runs/Q.db".
std::string session_name(const std::string& path);

// What even the exact map loses because times vary: the best method by one set of timings, judged
// by another of the same instances. Below this no model's figure means anything. One direction is
// not the other: what a quiet session chose may lose much in a busy one, and not the reverse.
struct NoiseFloor {
  PenaltyPoints points;            // instances that both have
  std::size_t same_best = 0;       // of these: where both name the same method
  std::size_t judged = 0;          // comparisons, those that cannot run included
  std::size_t common_methods = 0;  // what was chosen from; several pairs: of the pair with fewest
  std::size_t other_methods = 0;   // that only one of the two has: left out of both

  void add(const NoiseFloor& other);  // another pair of sets
  double share_same() const;          // 0 when nothing was judged
};

// Methods of `from` chosen, times of `to`, among the methods that both have.
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
// Why there is no row of this collective, and what gives one: `option` names another session.
std::string no_noise_floor(const std::vector<Timings>& loaded, Collective collective,
                           std::string_view option);

// The rows between two sessions that were loaded already: there, then back.
std::vector<ComparisonRow> noise_floor_between(const SessionPair& pair, std::uint64_t seed);

}  // namespace colltree::evaluate
