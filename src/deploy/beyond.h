// SPDX-License-Identifier: BSD-3-Clause
// What a model to deploy chooses on communicators larger than any that was measured
// (docs/tasks/predicting.md). Without more ado a tree extends its outermost regions there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/rule_tree.h"
#include "timings/timings.h"

namespace colltree::deploy {

struct Beyond {
  enum class Choice : std::uint8_t {
    kNearest,    // what is chosen on the largest that was measured
    kDefault,    // the library's own choice
    kPredicted,  // the best by a network model, up to `most_ranks`; above these as on the largest
  };
  Choice choice = Choice::kNearest;
  std::uint64_t most_ranks = 0;
};

// "nearest", "default", "predicted:512". Throws UsageError.
Beyond parse_beyond(std::string_view text);

// What was predicted, to be said: never more than a guess.
struct BeyondPrediction {
  Collective collective = Collective::kBcast;
  std::uint64_t measured_ranks = 0;  // the most
  std::uint64_t most_ranks = 0;
  // The 95 % intervals of the chosen methods' times: high / low, the median of all instances.
  double interval_factor = 1;
  // What staying with the method of the largest measured communicator would lose on average, by the
  // predicted times, a fraction.
  double penalty_of_nearest = 0;
};

using MeasuredMethods = std::map<Collective, std::vector<Method>>;

// Before anything is measured. Throws UsageError: no more ranks than will be measured, no method
// that has a formula, or none that tells the network's parameters.
void require_possible(const Beyond& beyond, std::uint64_t ranks, const MeasuredMethods& methods);

// The tree of one collective with a test for the most ranks above all others. The prediction is by
// the parameters that `all` timings of the system tell (parametric/parameters.h), corrected by the
// nearest measured cells. Throws Error where they do not tell them; `profile` is what it names.
std::optional<BeyondPrediction> extend_beyond(model::RuleTree& tree, const Timings& timings,
                                              std::span<const Timings> all, const Beyond& beyond,
                                              const std::string& profile);

}  // namespace colltree::deploy
