// SPDX-License-Identifier: BSD-3-Clause
// Windowing (-t -w -i): trees grown on a sample that takes in its own exceptions cycle by cycle,
// several trials, the best one kept (reference/c45-release8.md, section 10).
#pragma once

#include <optional>

#include "model/c45/grow_ordered.h"
#include "model/c45/options.h"
#include "model/c45/random.h"

namespace colltree::c45 {

struct WindowOptions {
  int trials = 10;
  std::optional<std::size_t> window;     // -w: cases in the first window
  std::optional<std::size_t> increment;  // -i: most exceptions added in a cycle
};

class Windowing {
 public:
  // Throws UsageError when the window is larger than the data.
  Windowing(const Schema& schema, const Cases& cases, const WindowOptions& options);
  // The unpruned tree of the next trial. Uses and permutes `order`, which holds all cases.
  Tree next_trial(OrderedGrower& grower, ItemOrder& order);

  std::size_t window() const { return window_; }
  std::size_t increment() const { return increment_; }

 private:
  void choose_targets(const Schema& schema);
  void shuffle(ItemOrder& order);
  void form(ItemOrder& order) const;
  std::size_t move_exceptions(const Tree& tree, ItemOrder& order, std::size_t window) const;

  const Cases& cases_;
  std::size_t window_;
  std::size_t increment_;
  std::vector<std::size_t> target_;  // by class: cases in the first window
  Random random_;
};

}  // namespace colltree::c45
