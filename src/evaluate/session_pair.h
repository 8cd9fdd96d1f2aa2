// SPDX-License-Identifier: BSD-3-Clause
// Two sessions of one collective, to fit to the one and to judge by the other: both narrowed to the
// methods that both measured, so that what only one tried is neither "cannot run" nor a best that
// nobody could choose.
#pragma once

#include <optional>
#include <string>

#include "profile/profile.h"
#include "timings/timings.h"

namespace colltree {

struct SessionPair {
  std::string here_name;   // of the profile fitted to
  std::string there_name;  // of the one judged by
  SystemInfo here_system;
  SystemInfo there_system;
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
SystemInfo system_beside(const Profile& other, const std::string& here,
                         const std::optional<std::string>& wanted, std::string_view option);

// "Q.db" of "runs/Q.db".
std::string session_name(const std::string& path);

}  // namespace colltree
