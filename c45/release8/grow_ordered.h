// SPDX-License-Identifier: BSD-3-Clause
// Grows a tree exactly as release 8 does, with its permutation of the cases. Needed where that
// permutation shows: unknown values, and windowing. Complete data without windows take
// grow_presorted.h, which gives the same tree in O(n log n).
#pragma once

#include "engine/grower.h"
#include "release8/item_order.h"

namespace colltree::c45 {

class OrderedGrower : private Grower {
 public:
  OrderedGrower(const Schema& schema, const Cases& cases, const Thresholds& thresholds,
                const TreeOptions& options);
  // A tree on the cases order.items[0, count); permutes them. Weights must be 1.
  Tree grow(ItemOrder& order, std::size_t count);

 private:
  struct Frame {
    std::uint32_t node = 0;
    std::size_t first = 0;
    std::size_t end = 0;
    bool all_known = true;
    std::vector<float> class_weight;
    BranchWalk walk;
    bool children_known = true;
    float errors = 0;
    bool counts_as_tested = false;
  };

  void open(std::size_t first, std::size_t end, bool all_known, std::uint32_t node);
  void advance();
  void close();
  std::vector<Split> evaluate(const Frame& frame, float items);
  Split evaluate_discrete(const Frame& frame, std::size_t attribute, float items);
  Split evaluate_continuous(const Frame& frame, std::size_t attribute, float items);
  // Of the cases at a node, by whether their value of an attribute is known.
  struct Weights {
    float known = 0;
    float unknown = 0;
    float all = 0;
  };
  // A place where the sorted cases may be cut: behind items[at].
  struct Cut {
    std::size_t at;
    float gain;
    float info;
  };
  std::vector<Cut> cuts(const std::vector<float>& value, std::size_t first, std::size_t end,
                        const Weights& weights) const;
  void build_test(Frame& frame, std::size_t attribute, const Split& split);
  void empty_leaf(std::uint32_t index, const Frame& parent);

  float min_weight_;  // -m, or 1 after release 8's defect struck (--strict-r8)
  ItemOrder* order_ = nullptr;
  std::vector<Frame> frames_;
};

}  // namespace colltree::c45
