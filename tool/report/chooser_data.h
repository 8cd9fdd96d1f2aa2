// SPDX-License-Identifier: BSD-3-Clause
// One chooser as the page reads it (docs/tasks/looking.md), and what it is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "model/rule_tree.h"
#include "report/choosers.h"
#include "timings/timings.h"

namespace colltree::report {

// Rounds a number for the page to `digits` significant digits, because there are many numbers and
// further digits help no reader. Null for not a number and infinities.
Json short_number(double value, int digits);

// The digits of times (us) and of penalties (fractions).
inline constexpr int kTimeDigits = 6;
inline constexpr int kPenaltyDigits = 5;

// Numbers the methods for the page: those of the timings first, in tie order, then whatever else a
// model names. It also knows which of them a picture shows, because only these need a colour.
class MethodIndex {
 public:
  explicit MethodIndex(const Timings& timings)
      : methods_(timings.methods), shown_(methods_.size()) {}

  // Its number; a method that is asked for here is shown somewhere.
  std::size_t operator()(const Method& method);

  const std::vector<Method>& methods() const { return methods_; }
  bool is_shown(std::size_t method) const { return shown_[method]; }

 private:
  std::vector<Method> methods_;
  std::vector<bool> shown_;
};

// The tree under the collective's root, as an array whose first node is the root; children come
// after their parents: [attribute, threshold, low, high] (value <= threshold goes to low) or, of a
// leaf, [method].
Json tree_json(const model::RuleTree& tree, Collective collective, MethodIndex& index);

// The page shows where on the grid something is gained or lost: both axes are cut into thirds of
// their measured sizes, which makes nine regions (fewer where an axis has fewer than three sizes).
struct SizeRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
};

struct GridRegion {
  SizeRange communicator_sizes;
  SizeRange message_sizes;
  std::vector<std::size_t> instances;  // of the table; at least one
};

// Sorted by communicator size, then message size; each instance is in one of the regions.
std::vector<GridRegion> regions_of(const Timings& timings);

// {id, detail, start, held_out, no_held_out, advice, fit_command, model_file, entries: [{leaves,
// method, runs, penalty, performance_penalty, versus_default_interval, cannot_run, faster_than_all,
// tree, regions}]}
Json chooser_json(const ReportChooser& chooser, const Timings& timings,
                  const std::vector<GridRegion>& regions, MethodIndex& index);

}  // namespace colltree::report
