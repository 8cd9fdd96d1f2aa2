// SPDX-License-Identifier: BSD-3-Clause
// What portable methods gain over the library's own, where both were measured on one machine: when
// the runtime library, which can run any of ours, pays, and when rules, which can only name the
// library's, are enough.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "profile/profile.h"
#include "timings/timings.h"

namespace colltree::evaluate {

// Over some instances; means are geometric, factors above 1 are faster.
struct SourceGainFigures {
  std::size_t instances = 0;
  double rules = 1;     // default / the best of the library's own and the default
  double portable = 1;  // default / the best portable one and the default
  double gain = 1;      // best of the library's own and the default / best portable and the default
  // Instances where one side is faster by more than 5 %; of them those where the intervals of the
  // two best methods do not meet either.
  std::size_t portable_faster = 0, portable_certain = 0;
  std::size_t library_faster = 0, library_certain = 0;
};

struct SourceGainBand {
  std::uint64_t least_bytes = 0;  // that occur
  std::uint64_t most_bytes = 0;
  SourceGainFigures figures;
};

struct SourceGain {
  Collective collective = Collective::kBcast;
  SourceGainFigures all;
  std::vector<SourceGainBand> bands;  // up to 2 KiB, up to 128 KiB, above; those that occur
  std::size_t left_out = 0;           // instances that one of the two has not
  // Of the default's two times, which differ by noise alone: the median of the relative difference.
  std::optional<double> default_apart;
};

inline constexpr double kClearlyFaster = 0.05;

// Of one collective, from the timings of both systems. The default is that of the library's own
// campaign. None where they have no instance with both in common.
std::optional<SourceGain> source_gain(const Timings& portable, const Timings& library);

// Two systems of a profile that are one machine with one MPI library, measured by both sources.
struct SourcePair {
  profile::SystemInfo portable;
  profile::SystemInfo library;
};
// The pair that `system` belongs to: the systems NAME and NAME-own, else the only two of the same
// host and MPI library. Without a `system` the profile's only two systems.
std::optional<SourcePair> find_source_pair(const profile::Profile& profile,
                                           const std::optional<std::string>& system);

// Every collective that both have.
struct SourceGains {
  SourcePair systems;
  std::vector<SourceGain> collectives;
};

// A table, and what its columns say.
std::string source_gains_text(const SourceGains& gains);
Json source_gains_json(const SourceGains& gains);

}  // namespace colltree::evaluate
