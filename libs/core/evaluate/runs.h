// SPDX-License-Identifier: BSD-3-Clause
// Times of the same instances side by side: of several runs of one collective, such as the
// outputs of a benchmark under two libraries; and of two systems that are one machine, measured
// with portable methods and with the library's own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/statistics.h"
#include "profile/profile.h"
#include "timings/timings.h"

namespace colltree::evaluate {

struct ComparedRun {
  std::string name;  // "ucx.db"
  Timings timings;   // loaded with LoadOptions::default_alone
};

struct RunTime {
  double time_us = kNoTime;
  std::optional<Interval> interval;  // 95 %; none: a single time, whose noise is not known
  std::string method;
};

// A run has a column for its default, or for its only method, and one for its best method where it
// has several.
struct RunColumn {
  std::string run;
  std::string what;  // "default", "ring", "best"
  bool is_best = false;
};

struct RunRow {
  Instance instance;           // of the first column
  std::vector<RunTime> times;  // by column; kNoTime: that run does not have the instance
};

struct SideBySide {
  Collective collective = Collective::kBcast;
  std::vector<RunColumn> columns;  // the others are compared with the first
  std::vector<RunRow> rows;        // the first column and at least one other have a time
  std::size_t unmatched = 0;       // instances of the first column that no other has
};

// Instances are the same when communicator and message size are and the placements do not differ:
// an output that says nothing of nodes matches any. Predicted times are none. Throws Error when no
// instance is common.
SideBySide set_side_by_side(std::span<const ComparedRun> runs);

std::string side_by_side_text(const SideBySide& beside);
Json side_by_side_json(const SideBySide& beside);

// The classes of message sizes of this house: up to 2 KiB, where latency decides, up to 128 KiB,
// and above, where bandwidth does.
inline constexpr std::size_t kBands = 3;
std::size_t band_of(std::uint64_t message_size);
// "up to 2K", "up to 128K", "above"
std::string band_name(std::size_t band);

// The gain of portable methods over the library's own shows when the runtime library, which can run
// any of ours, pays, and when rules, which can only name the library's, are enough.
// Means are geometric, factors above 1 are faster.
struct SourceGainFigures {
  std::uint64_t least_bytes = 0;  // that occur
  std::uint64_t most_bytes = 0;
  std::size_t instances = 0;
  double rules = 1;     // default / the best of the library's own and the default
  double portable = 1;  // default / the best portable one and the default
  double gain = 1;      // best of the library's own and the default / best portable and the default
  // Instances where one side is faster by more than 5 %; of them those where the intervals of the
  // two best methods do not meet either.
  std::size_t portable_faster = 0, portable_certain = 0;
  std::size_t library_faster = 0, library_certain = 0;
};

struct SourceGain {
  Collective collective = Collective::kBcast;
  SourceGainFigures overall;
  std::vector<SourceGainFigures> bands;  // those that occur
  std::size_t left_out = 0;              // instances that one of the two has not
  // The median of the relative difference of the default's two times, which differ by noise alone.
  std::optional<double> default_apart;
};

// The two tables are of one collective. The default is that of the library's own campaign. None
// where they have no instance with both in common.
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
