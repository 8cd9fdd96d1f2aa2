// SPDX-License-Identifier: BSD-3-Clause
// Makes of a fitted model one that was seen to be better. Where it leaves the library's own choice,
// a sample of instances is measured with both (side_by_side.h), and a region that is not faster
// goes back to the library. The measurements are new ones: they remove the selection bias of the
// timings that chose the methods.
#pragma once

#include <vector>

#include "deploy/side_by_side.h"
#include "model/rule_tree.h"
#include "timings/timings.h"

namespace colltree::deploy {

// Chooses about `most` instances of the timings, in their order. A region is a leaf of the tree
// that is not the library's own choice. Each gets at least three instances where it has three, and
// more the more it promises to save; a region between the measured sizes, where the timings have
// none, gets one.
std::vector<Instance> instances_to_verify(const model::RuleTree& tree, const Timings& timings,
                                          std::size_t most);

// A few instances that the tree leaves to the library, evenly among them: rules slow these calls
// too, because the library looks for a rule in each. None where it leaves all to the library.
std::vector<Instance> instances_left_alone(const model::RuleTree& tree, const Timings& timings);

inline constexpr std::size_t kVerifiedInstances = 40;  // of a collective, without a budget of time

// The number of instances that can be verified within `budget_s`, from 1 to kVerifiedInstances, by
// the median time of the library's own choice. The calls at one instance end after `cell_budget_s`.
std::size_t instances_in_time(const Timings& timings, double budget_s, double cell_budget_s);

enum class Verdict : std::uint8_t {
  kKept,     // it is faster than the library's own choice
  kCut,      // parts of it are
  kDropped,  // it is not
  kAlone,    // the model left it to the library before
};
std::string_view name(Verdict verdict);  // "kept", ...

struct VerifiedRegion {
  Collective collective = Collective::kBcast;
  Method method;
  std::vector<Instance> instances;  // those that were measured
  std::size_t slower = 0;           // of them, by the median over the rounds
  evaluate::Gain gain;              // over all of them
  Verdict verdict = Verdict::kKept;
};

struct Verification {
  model::RuleTree tree;  // the verified one
  std::vector<VerifiedRegion> regions;
  bool changed() const;
};

// Kept: the gain over all instances of the region is above 1 with 95 % confidence, and none of them
// was slower. Cut: some were slower, and one is faster with 95 % confidence; an optimal tree of few
// leaves divides them, and what was slower never stays. Dropped: all else, also where nothing could
// be measured. Where pairs hold instances that the tree leaves to the library, they are the last
// region; if they are slower under the rules with 95 % confidence, and that costs the instances of
// the table more than the kept regions save (in logarithms of the time), everything is dropped.
Verification verify_regions(const model::RuleTree& tree, const Timings& timings,
                            const RoundsOfPairs& pairs);

// Verifies rules that leave no part of a collective to the library (rule_target.h: is_all_or_none):
// it keeps the whole tree, of one collective, where the gain over all its instances is above 1 with
// 95 % confidence, else nothing of it.
void keep_all_or_none(const model::RuleTree& tree, const RoundsOfPairs& pairs,
                      Verification& verification);

}  // namespace colltree::deploy
