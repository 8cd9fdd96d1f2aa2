// SPDX-License-Identifier: BSD-3-Clause
// A program under two commands, run in turns with its calls recorded: what the second command
// costs beside the first, in total and for each kind of call, and when that is known well enough.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"
#include "timings/call_mix.h"

namespace colltree::evaluate {

// Calls that are added up, or a total of a run, which has a name only.
struct CallsKey {
  std::string function;  // as the record has it: "bcast", "gatherv"
  std::optional<std::uint64_t> communicator_size;
  std::optional<std::uint64_t> size_class;  // as in SiteCost; none: not known
  std::string site;                         // in the program; "": not known

  auto operator<=>(const CallsKey&) const = default;
};

inline constexpr std::array kTotals = {"whole command", "after MPI_Init", "in collectives"};

// One run. The times of calls are means over the ranks that the record covers.
struct ProgramRun {
  std::array<double, kTotals.size()> totals_s{};  // the first: from the launcher's start to its end
  std::map<CallsKey, double> calls_s;
};
// Sites with the same text of `where` are one.
ProgramRun program_run(double whole_s, const CallRecord& record);

using ProgramPair = std::array<ProgramRun, 2>;  // under the first command and the second

// The pairs that intervals need which hold together with 95 % confidence, each of `judged` with 1 -
// 0.05 / judged: from the smallest to the largest of n values the confidence is 1 - 2^(1 - n).
constexpr std::size_t fewest_pairs(std::size_t judged) {
  return 1 + static_cast<std::size_t>(std::bit_width(20 * judged));
}
inline constexpr std::size_t kFewestPairs = fewest_pairs(1);

// NaN: not known.
struct Estimate {
  double middle = NAN;          // the median
  Interval interval{NAN, NAN};  // by order statistics; fewer pairs than it needs give none
};

// The first command is a, the second b. Difference and ratio are of pairs: b - a and b / a. No
// ratio where some run has none of these calls.
struct Change {
  CallsKey key;
  Estimate a_ms, b_ms, difference_ms, ratio;
};

inline constexpr std::string_view kNoDifference = "no significant difference";
// "slower", "faster" (b, by the interval) or kNoDifference.
std::string_view verdict(const Change& change);

struct ProgramChange {
  std::size_t pairs = 0;
  std::vector<Change> totals;  // kTotals, each with 95 % confidence
  std::vector<Change> calls;   // together with 95 % confidence; what changed most first
};
// At least one pair.
ProgramChange change_of(const std::vector<ProgramPair>& pairs);

struct StopRule {
  double half_width = 0.02;  // of the interval of the ratio of the whole times, as a fraction
  double budget_s = 600;
  std::size_t fewest_pairs = kFewestPairs;  // beyond the budget
  bool judges_calls = true;
};
// The interval is narrow and all calls have theirs, or a pair that takes as long as the longest
// would pass the budget.
bool are_enough(const std::vector<ProgramPair>& pairs, const StopRule& rule);

}  // namespace colltree::evaluate
