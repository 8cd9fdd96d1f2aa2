// SPDX-License-Identifier: BSD-3-Clause
// Pruning of complete data. All weights are counts, so estimates do not depend on the order of the
// cases, and a subtree's estimate for its own cases is kept in its root. What the largest branch
// would be worth with all cases of its parent is then found by sending only the other branches'
// cases down into it.
#include <algorithm>
#include <numeric>

#include "model/c45/pessimistic.h"
#include "model/c45/prune.h"

namespace colltree::c45 {

namespace {

class Pruner {
 public:
  Pruner(Tree tree, const Schema& schema, const Cases& cases, float confidence)
      : tree_(std::move(tree)),
        cases_(cases),
        pessimistic_(confidence),
        ids_(cases.size()),
        count_(schema.classes.size(), 0) {
    std::iota(ids_.begin(), ids_.end(), 0U);
  }

  PruneResult run() {
    steps_ = {{Step::kVisit, 0, 0, static_cast<std::uint32_t>(ids_.size()), 0}};
    while (!steps_.empty()) {
      const Step step = steps_.back();
      steps_.pop_back();
      switch (step.what) {
        case Step::kVisit:
          visit(step);
          break;
        case Step::kDecide:
          decide(step);
          break;
        case Step::kRaise:
          tree_.nodes[step.node] = tree_.nodes[step.branch];
          break;
      }
    }
    return {compacted(tree_), changed_};
  }

 private:
  struct Step {
    enum What : std::uint8_t {
      kVisit,   // estimate the node with its cases, branches first
      kDecide,  // all branches are estimated: keep, leaf, or raise
      kRaise,   // `branch` has been estimated with all cases: it takes the node's place
    } what;
    std::uint32_t node;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t branch;
  };
  // A node on the way down with additional cases, extra_[begin, end).
  struct Descent {
    std::uint32_t node;
    std::uint32_t begin;
    std::uint32_t end;
    std::uint32_t bounds;  // into bounds_: where each branch's cases end
    std::uint32_t next;
    float errors;
  };

  void add_case(std::uint32_t id) { add(cases_.label[id], 1); }
  void add(std::uint32_t label, std::uint32_t cases) {
    if (count_[label] == 0) present_.push_back(label);
    count_[label] += cases;
  }
  void clear_counts() {
    for (const std::uint32_t c : present_) count_[c] = 0;
    present_.clear();
  }
  std::uint32_t most() const {
    std::uint32_t best = 0;
    for (const std::uint32_t c : present_) best = std::max(best, count_[c]);
    return best;
  }

  float leaf_estimate(std::uint32_t items) const {
    return pessimistic_.leaf(static_cast<float>(items), static_cast<float>(items - most()));
  }

  // Keeps the label on ties, else takes the lowest class.
  std::uint32_t best_label(std::uint32_t label) const {
    const std::uint32_t best = most();
    if (count_[label] == best) return label;
    std::uint32_t lowest = static_cast<std::uint32_t>(count_.size());
    for (const std::uint32_t c : present_) {
      if (count_[c] == best) lowest = std::min(lowest, c);
    }
    return lowest;
  }

  void set_leaf(Node& node) {
    std::ranges::sort(present_);
    node.test = TestKind::kLeaf;
    node.first = static_cast<std::uint32_t>(tree_.distribution.size());
    node.count = static_cast<std::uint32_t>(present_.size());
    for (const std::uint32_t c : present_) {
      tree_.distribution.push_back({c, static_cast<float>(count_[c])});
    }
  }

  void visit(const Step& step) {
    clear_counts();
    for (std::uint32_t i = step.begin; i < step.end; ++i) add_case(ids_[i]);
    Node& node = tree_.nodes[step.node];
    node.items = static_cast<float>(step.end - step.begin);
    node.label = best_label(node.label);
    if (node.is_leaf()) {
      node.errors = leaf_estimate(step.end - step.begin);
      set_leaf(node);
      return;
    }
    node.errors = leaf_estimate(step.end - step.begin);  // until decide()
    const auto bounds = static_cast<std::uint32_t>(bounds_.size());
    partition(node, ids_, step.begin, step.end);
    steps_.push_back({Step::kDecide, step.node, step.begin, step.end, 0});
    const auto branches = tree_.branches(node);
    std::uint32_t begin = step.begin;
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      const std::uint32_t end = bounds_[bounds + b];
      if (end > begin) {
        steps_.push_back({Step::kVisit, branches[b], begin, end, 0});
      } else {
        tree_.nodes[branches[b]].items = 0;
      }
      begin = end;
    }
    bounds_.resize(bounds);
  }

  // Groups ids[begin, end) by branch; appends each branch's end to bounds_.
  void partition(const Node& node, std::vector<std::uint32_t>& ids, std::uint32_t begin,
                 std::uint32_t end) {
    if (node.test == TestKind::kThreshold) {
      const float* value = cases_.numbers[node.attribute].data();
      std::uint32_t low = begin;
      std::uint32_t high = end;
      const float cut = node.cut;
      while (low < high) {
        if (value[ids[low]] <= cut) {
          ++low;
        } else {
          std::swap(ids[low], ids[--high]);
        }
      }
      bounds_.push_back(low);
      bounds_.push_back(end);
      return;
    }
    std::uint32_t from = begin;
    for (std::uint32_t b = 0; b < node.count; ++b) {
      for (std::uint32_t i = from; i < end; ++i) {
        if (branch_of(tree_, node, cases_, ids[i]) == b) std::swap(ids[i], ids[from++]);
      }
      bounds_.push_back(from);
    }
  }

  void decide(const Step& step) {
    Node& node = tree_.nodes[step.node];
    const auto branches = tree_.branches(node);
    float tree_errors = 0;
    float largest_factor = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      const Node& branch = tree_.nodes[branches[b]];
      if (!(branch.items > 0)) continue;
      tree_errors += branch.errors;
      const float factor = branch.items / node.items;
      if (factor >= largest_factor) {
        largest_factor = factor;
        largest = b;
      }
    }
    const float leaf_errors = node.errors;
    const float largest_errors = estimate_largest(step, largest);
    if (leaf_errors <= largest_errors + 0.1 && leaf_errors <= tree_errors + 0.1) {
      changed_ = true;
      clear_counts();
      for (std::uint32_t i = step.begin; i < step.end; ++i) add_case(ids_[i]);
      set_leaf(node);
    } else if (largest_errors <= tree_errors + 0.1) {
      changed_ = true;
      steps_.push_back({Step::kRaise, step.node, 0, 0, branches[largest]});
      steps_.push_back({Step::kVisit, branches[largest], step.begin, step.end, 0});
    } else {
      node.errors = tree_errors;
    }
  }

  // The largest branch with all cases of the node: its own, already in it, and the others'.
  float estimate_largest(const Step& step, std::uint32_t largest) {
    const auto branches = tree_.branches(tree_.nodes[step.node]);
    std::uint32_t begin = step.begin;
    for (std::uint32_t b = 0; b < largest; ++b) begin += size(branches[b]);
    extra_.assign(ids_.begin() + step.begin, ids_.begin() + begin);
    extra_.insert(extra_.end(), ids_.begin() + begin + size(branches[largest]),
                  ids_.begin() + step.end);
    return estimate_with_extra(branches[largest]);
  }

  std::uint32_t size(std::uint32_t index) const {
    return static_cast<std::uint32_t>(tree_.nodes[index].items);
  }

  float estimate_with_extra(std::uint32_t root) {
    const auto all = static_cast<std::uint32_t>(extra_.size());
    if (all == 0) return tree_.nodes[root].errors;
    float result = 0;
    descents_.clear();
    descend(root, 0, all);
    while (!descents_.empty()) {
      Descent& top = descents_.back();
      const Node& node = tree_.nodes[top.node];
      if (node.is_leaf() || top.next == node.count) {
        result = node.is_leaf() ? leaf_with_extra(node, top) : top.errors;
        bounds_.resize(top.bounds);
        descents_.pop_back();
        if (!descents_.empty()) descents_.back().errors += result;
        continue;
      }
      const std::uint32_t begin = top.next == 0 ? top.begin : bounds_[top.bounds + top.next - 1];
      const std::uint32_t end = bounds_[top.bounds + top.next];
      const std::uint32_t child = tree_.branches(node)[top.next++];
      if (begin < end) {
        descend(child, begin, end);
      } else if (tree_.nodes[child].items > 0) {
        top.errors += tree_.nodes[child].errors;
      }
    }
    return result;
  }

  void descend(std::uint32_t index, std::uint32_t begin, std::uint32_t end) {
    descents_.push_back({index, begin, end, static_cast<std::uint32_t>(bounds_.size()), 0, 0.0F});
    const Node& node = tree_.nodes[index];
    if (!node.is_leaf()) partition(node, extra_, begin, end);
  }

  float leaf_with_extra(const Node& leaf, const Descent& descent) {
    clear_counts();
    if (leaf.items > 0) {
      for (const ClassWeight& entry : tree_.leaf_distribution(leaf)) {
        add(entry.label, static_cast<std::uint32_t>(entry.weight));
      }
    }
    for (std::uint32_t i = descent.begin; i < descent.end; ++i) add_case(extra_[i]);
    return leaf_estimate(static_cast<std::uint32_t>(leaf.items) + descent.end - descent.begin);
  }

  Tree tree_;
  const Cases& cases_;
  Pessimistic pessimistic_;
  std::vector<std::uint32_t> ids_;    // a node being worked on owns a range
  std::vector<std::uint32_t> extra_;  // cases sent down the largest branch
  std::vector<std::uint32_t> count_;  // by class, for present_
  std::vector<std::uint32_t> present_;
  std::vector<std::uint32_t> bounds_;
  std::vector<Descent> descents_;
  std::vector<Step> steps_;
  bool changed_ = false;
};

}  // namespace

PruneResult prune_complete(const Tree& grown, const Schema& schema, const Cases& cases,
                           float confidence) {
  return Pruner(grown, schema, cases, confidence).run();
}

}  // namespace colltree::c45
