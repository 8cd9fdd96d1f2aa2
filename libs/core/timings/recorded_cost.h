// SPDX-License-Identifier: BSD-3-Clause
// The time that the collectives of a recorded job took, and the time that the best methods of a
// profile would have saved.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "timings/call_mix.h"
#include "timings/timings.h"

namespace colltree {

// Shares of the run are means over the ranks that the record covers.
struct RecordedRowCost {
  RecordedCalls calls;
  double share = 0;          // of the run
  double waiting_share = 0;  // of the run, the part in which ranks waited for the last of them
  bool in_profile = false;   // the profile has times near this instance
  double saved_share = 0;    // of the run, had the profile's best method run there: of the work
  Method best;               // that method
  bool predicted = false;    // a time of the two was not measured
};

struct RecordedCost {
  Collective collective = Collective::kBcast;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rank_calls = 0;
  double total_us = 0;  // over the ranks
  double share = 0;
  double decided_share = 0;   // of the rank calls: by the model or COLLTREE_FORCE
  double profiled_share = 0;  // of the run, of rows that the profile knows
  double saved_share = 0;
  std::vector<RecordedRowCost> rows;  // most expensive first
};

// The share of the run, as a mean over the ranks that the record covers.
double share_of_run(const CallRecord& record, double total_us);

// Divides the time of the collective calls into shares: decided by the model, left to the library
// or passed on, with the reasons.
struct TimeShares {
  double total_us = 0;  // of all timed calls, over the ranks
  double decided = 0;   // by methods of ours
  std::map<std::string, double> by_why;
};
TimeShares time_shares(const CallRecord& record);

// The shares of the run that a function took at a call site, by size class.
struct SiteCost {
  CallSite site;
  std::string function;
  std::optional<std::uint64_t> size_class;  // the power of two at or below; none: not known
  std::uint64_t calls = 0;
  double share = 0;
  double sampled_share = 0;  // of which samples say how much was waiting
  double waiting_share = 0;
  double saved_share = 0;
};

// The most expensive first; what was passed on without a time is left out.
std::vector<SiteCost> site_costs(const CallRecord& record, const std::vector<RecordedCost>& costs);

// Collectives by cost, the most expensive first. `timings` are those of a profile and may be empty.
// A row belongs to the nearest instance of the profile: by communicator size, then by message size,
// each by its logarithm; a row farther away than a factor of two in either is not in the profile.
std::vector<RecordedCost> recorded_cost(const CallRecord& record,
                                        const std::vector<Timings>& timings);

}  // namespace colltree
