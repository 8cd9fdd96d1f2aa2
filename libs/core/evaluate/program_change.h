// SPDX-License-Identifier: BSD-3-Clause
// A program under two commands, run in turns with its calls recorded: what the second command
// costs beside the first, in total and for each kind of call.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "timings/call_mix.h"

namespace colltree::evaluate {

// Calls that are added up.
struct CallsKey {
  std::string function;  // as the record has it: "bcast", "gatherv"
  std::uint64_t communicator_size = 0;
  std::optional<std::uint64_t> size_class;  // as in SiteCost; none: not known
  std::string site;                         // in the program; "": not known

  auto operator<=>(const CallsKey&) const = default;
};

// One run. The times of calls are means over the ranks that the record covers.
struct ProgramRun {
  double whole_s = 0;  // from the start of the launcher to its end
  double after_init_s = 0;
  double collective_s = 0;
  std::map<CallsKey, double> calls_s;
};
// Sites with the same text of `where` are one.
ProgramRun program_run(double whole_s, const CallRecord& record);

using ProgramPair = std::array<ProgramRun, 2>;  // under the first command and the second

// With fewer pairs no interval has 95 % confidence: it is without ends.
inline constexpr std::size_t kFewestPairs = 6;

struct Estimate {
  double middle = 0;  // the median
  Interval interval;  // 95 %, by order statistics
};

// The first command is a, the second b. Difference and ratio are of pairs: b - a and b / a. No
// ratio (NaN) where some run has none of these calls.
struct Change {
  Estimate a_s, b_s, difference_s, ratio;
};

inline constexpr std::string_view kNoDifference = "no significant difference";
// "slower", "faster" (b, with 95 % confidence) or kNoDifference.
std::string_view verdict(const Change& change);

struct ProgramChange {
  Change whole, after_init, collectives;
  std::vector<std::pair<CallsKey, Change>> calls;  // what changed most first
};

// At least one pair.
ProgramChange change_of(const std::vector<ProgramPair>& pairs);
// The change of the time of the whole command, without its parts: change_of computes it, too.
Change whole_change(const std::vector<ProgramPair>& pairs);

}  // namespace colltree::evaluate
