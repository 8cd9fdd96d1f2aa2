// SPDX-License-Identifier: BSD-3-Clause
// Rounds of default and deployed side by side as a file (docs/reference/formats/verification.md).
// `tune` writes it, so that a job that was killed continues, and `verify doctor` compares with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "deploy/side_by_side.h"

namespace colltree::deploy {

// The files in the folder of `tune`: the rounds, and the library's settings of that day
// (installed_library.h).
inline constexpr const char* kVerificationFile = "verification.csv";
inline constexpr const char* kSettingsFile = "library-settings.txt";

struct SideBySideLog {
  std::string mpi;                                         // "openmpi-4.1.4"
  MethodsArm deployed;                                     // the choice at each instance
  std::vector<std::map<Instance, evaluate::Pair>> rounds;  // without the instances that failed

  RoundsOfPairs pairs() const;  // an instance that failed in a round has fewer
  std::vector<evaluate::Pair> pairs_of(const Instance& instance) const;
  bool tells_placements() const;
  std::size_t sessions() const;  // the number of sessions that measured it
};

// Both throw ParseError.
SideBySideLog parse_side_by_side(const std::string& text, const std::string& file);
SideBySideLog read_side_by_side(const std::string& file);
std::string side_by_side_text(const SideBySideLog& log);

}  // namespace colltree::deploy
