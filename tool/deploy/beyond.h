// SPDX-License-Identifier: BSD-3-Clause
// The choice of a model to deploy on communicators larger than any that was measured
// (docs/tasks/predicting.md). A tree that is left as it is extends its outermost regions there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/rule_tree.h"
#include "rules/rule_target.h"
#include "timings/timings.h"

namespace colltree::deploy {

struct Beyond {
  enum class Choice : std::uint8_t {
    kNearest,    // the choice on the largest that was measured
    kDefault,    // the library's own choice
    kPredicted,  // the best by a network model, up to `most_ranks`; above these as on the largest
  };
  Choice choice = Choice::kNearest;
  std::uint64_t most_ranks = 0;
};

// Jobs on more ranks than were measured run as without colltree, unless the rules cannot leave them
// to the library or nothing real can be harmed because the times are simulated.
Beyond usual_beyond(const Timings& timings, const rules::RuleTarget* target);

// "nearest", "default", "predicted:512". Throws UsageError.
Beyond parse_beyond(std::string_view text);

// A prediction is never more than a guess, so `tune` prints these figures of it.
struct BeyondPrediction {
  Collective collective = Collective::kBcast;
  std::uint64_t measured_ranks = 0;  // the most
  std::uint64_t most_ranks = 0;
  // The 95 % intervals of the chosen methods' times: high / low, the median of all instances.
  double interval_factor = 1;
  // The mean penalty of staying with the method of the largest measured communicator, by the
  // predicted times, a fraction.
  double penalty_of_nearest = 0;
};

using MeasuredMethods = std::map<Collective, std::vector<Method>>;

// Refuses, before anything is measured, what cannot be predicted. Throws UsageError: no more ranks
// than will be measured, no method that has a formula, or none that tells the network's parameters.
void require_possible(const Beyond& beyond, std::uint64_t ranks, const MeasuredMethods& methods);

// Puts a test for the most measured ranks above all tests of the tree, which is of one collective.
// The timings of the system tell the network's parameters (parametric/parameters.h); the nearest
// measured cells correct the prediction. Throws Error, which names `profile`, where the timings do
// not tell the parameters.
std::optional<BeyondPrediction> extend_beyond(model::RuleTree& tree, const Timings& timings,
                                              std::span<const Timings> system_timings,
                                              const Beyond& beyond, const std::string& profile);

}  // namespace colltree::deploy
