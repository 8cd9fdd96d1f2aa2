// SPDX-License-Identifier: BSD-3-Clause
// Pruning of complete data. All weights are counts, so estimates do not depend on the order of the
// cases, and a subtree's estimate for its own cases is kept in its root. What the largest branch
// would be worth with all cases of its parent is then found by sending only the other branches'
// cases down into it.
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "model/c45/pessimistic.h"
#include "model/c45/prune.h"
#include "model/c45/sent_cases.h"

namespace colltree::c45 {

class CompletePruner::Work {
 public:
  Work(const Tree& grown, const Schema& schema, const Cases& cases)
      : cases_(cases), count_(schema.classes.size(), 0), here_(compacted(grown)) {
    here_.ids.resize(cases.size());
    std::iota(here_.ids.begin(), here_.ids.end(), 0U);
    // The first visit of every node: no estimate yet, only which cases are where.
    steps_ = {{Step::kVisit, 0, 0, static_cast<std::uint32_t>(cases.size()), 0}};
    run();
    first_ = here_;
  }

  PruneResult prune(float confidence) {
    if (pessimistic_ && !sent_) {
      sent_.emplace(first_->tree, cases_, std::span<const std::uint32_t>(first_->ids),
                    std::span<const Place>(first_->places));
    }
    pessimistic_.emplace(confidence);
    here_ = *first_;
    changed_ = false;
    // Branches come after their nodes, so backwards is bottom-up.
    for (auto index = static_cast<std::uint32_t>(here_.tree.nodes.size()); index-- > 0;) {
      const Node& node = here_.tree.nodes[index];
      const Place place = here_.places[index];
      if (place.items == 0) continue;
      if (node.is_leaf()) {
        here_.tree.nodes[index].errors =
            pessimistic_->leaf(node.items, node.items - static_cast<float>(place.most));
      } else {
        decide({Step::kDecide, index, place.begin, place.begin + place.items, 0});
        run();
      }
    }
    return {compacted(here_.tree), changed_};
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

  // Where a node's cases are: ids[begin, begin + items). `most` counts its best class. A node that
  // no case reaches keeps what growing left in it, but has no items here.
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t items = 0;
    std::uint32_t most = 0;
    bool replaced = false;      // another node was raised to here
    bool raised_below = false;  // the tests on the way to its leaves are no longer the grown ones
  };
  struct State {
    explicit State(const Tree& grown) : tree(grown), places(grown.nodes.size()) {}
    Tree tree;
    std::vector<std::uint32_t> ids;
    std::vector<Place> places;  // by node
  };

  void run() {
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
          here_.tree.nodes[step.node] = here_.tree.nodes[step.branch];
          here_.places[step.node] = here_.places[step.branch];
          here_.places[step.node].replaced = true;
          here_.places[step.node].raised_below = true;
          break;
      }
    }
  }

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
    return pessimistic_->leaf(static_cast<float>(items), static_cast<float>(items - most()));
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
    node.first = static_cast<std::uint32_t>(here_.tree.distribution.size());
    node.count = static_cast<std::uint32_t>(present_.size());
    for (const std::uint32_t c : present_) {
      here_.tree.distribution.push_back({c, static_cast<float>(count_[c])});
    }
  }

  void visit(const Step& step) {
    clear_counts();
    for (std::uint32_t i = step.begin; i < step.end; ++i) add_case(here_.ids[i]);
    Node& node = here_.tree.nodes[step.node];
    node.items = static_cast<float>(step.end - step.begin);
    node.label = best_label(node.label);
    Place& place = here_.places[step.node];
    place.begin = step.begin;
    place.items = step.end - step.begin;
    place.most = most();
    if (node.is_leaf()) {
      if (pessimistic_) node.errors = leaf_estimate(step.end - step.begin);
      set_leaf(node);
      return;
    }
    const auto bounds = static_cast<std::uint32_t>(bounds_.size());
    partition(node, here_.ids, step.begin, step.end);
    // The first visit decides nothing.
    if (pessimistic_) steps_.push_back({Step::kDecide, step.node, step.begin, step.end, 0});
    const auto branches = here_.tree.branches(node);
    std::uint32_t begin = step.begin;
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      const std::uint32_t end = bounds_[bounds + b];
      if (end > begin) {
        steps_.push_back({Step::kVisit, branches[b], begin, end, 0});
      } else {
        here_.places[branches[b]].items = 0;
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
        if (branch_of(here_.tree, node, cases_, ids[i]) == b) std::swap(ids[i], ids[from++]);
      }
      bounds_.push_back(from);
    }
  }

  void decide(const Step& step) {
    Node& node = here_.tree.nodes[step.node];
    const auto branches = here_.tree.branches(node);
    float tree_errors = 0;
    float largest_factor = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      if (size(branches[b]) == 0) continue;
      here_.places[step.node].raised_below |= here_.places[branches[b]].raised_below;
      tree_errors += here_.tree.nodes[branches[b]].errors;
      const float factor = static_cast<float>(size(branches[b])) / node.items;
      if (factor >= largest_factor) {
        largest_factor = factor;
        largest = b;
      }
    }
    const float leaf_errors = pessimistic_->leaf(
        node.items, node.items - static_cast<float>(here_.places[step.node].most));
    // Whatever the largest branch is worth beyond this, the decision is the same.
    const double enough = leaf_errors <= tree_errors + 0.1 ? leaf_errors - 0.1 : tree_errors + 0.1;
    const float largest_errors = estimate_largest(step, largest, enough);
    if (leaf_errors <= largest_errors + 0.1 && leaf_errors <= tree_errors + 0.1) {
      changed_ = true;
      here_.places[step.node].raised_below = false;
      node.errors = leaf_errors;
      clear_counts();
      for (std::uint32_t i = step.begin; i < step.end; ++i) add_case(here_.ids[i]);
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
  float estimate_largest(const Step& step, std::uint32_t largest, double enough) {
    const auto branches = here_.tree.branches(here_.tree.nodes[step.node]);
    const std::uint32_t branch = branches[largest];
    if (sent_ && !here_.places[step.node].replaced && !here_.places[branch].raised_below &&
        size(step.node) == first_->places[step.node].items) {
      return estimate_with_sent(branch, sent_->of(step.node), enough);
    }
    std::uint32_t begin = step.begin;
    for (std::uint32_t b = 0; b < largest; ++b) begin += size(branches[b]);
    extra_.assign(here_.ids.begin() + step.begin, here_.ids.begin() + begin);
    extra_.insert(extra_.end(), here_.ids.begin() + begin + size(branches[largest]),
                  here_.ids.begin() + step.end);
    return estimate_with_extra(branches[largest], enough);
  }

  std::uint32_t size(std::uint32_t index) const { return here_.places[index].items; }

  // A lower bound of an estimate while cases are being added to a subtree. A leaf's estimate never
  // falls when cases are added (it rises with the cases at given errors, and with both together),
  // so the subtree's own estimate and what the leaves visited so far have added bound the result;
  // `rounding` covers what float32 sums may lose against that.
  class LowerBound {
   public:
    LowerBound(float own, std::size_t added, std::size_t nodes, double enough)
        : bound_(own),
          limit_(enough +
                 (own + static_cast<double>(added)) * 6e-8 * (100.0 + static_cast<double>(nodes)) +
                 1e-3) {}
    // True once the result is known to be above `enough`.
    bool add(float estimate, float own) {
      bound_ += static_cast<double>(estimate) - own;
      return bound_ > limit_;
    }

   private:
    double bound_;
    double limit_;
  };
  static constexpr float kAboveEnough = std::numeric_limits<float>::infinity();

  float own_errors(std::uint32_t index) const {
    return size(index) > 0 ? here_.tree.nodes[index].errors : 0.0F;
  }

  // The subtree at `root` with further cases whose places are known. kAboveEnough once the result
  // must be above `enough`.
  float estimate_with_sent(std::uint32_t root, std::span<const SentCases::Entry> sent,
                           double enough) {
    if (sent.empty()) return here_.tree.nodes[root].errors;
    LowerBound bound(here_.tree.nodes[root].errors, sent.size(), here_.tree.nodes.size(), enough);
    float result = 0;
    descents_.clear();
    descents_.push_back({root, 0, 0, 0, 0, 0.0F});
    for (std::size_t next = 0; !descents_.empty();) {
      Descent& top = descents_.back();
      const Node& node = here_.tree.nodes[top.node];
      if (!node.is_leaf() && top.next < node.count) {
        const std::uint32_t child = here_.tree.branches(node)[top.next++];
        if (next < sent.size() && sent[next].leaf < sent_->subtree_end(child)) {
          descents_.push_back({child, 0, 0, 0, 0, 0.0F});
        } else {
          top.errors += own_errors(child);
        }
        continue;
      }
      result = top.errors;
      if (node.is_leaf()) {
        start_leaf(top.node);
        const std::size_t first = next;
        while (next < sent.size() && sent[next].leaf < sent_->subtree_end(top.node)) {
          add(sent[next++].label, 1);
        }
        result = leaf_estimate(size(top.node) + static_cast<std::uint32_t>(next - first));
        if (bound.add(result, own_errors(top.node))) return kAboveEnough;
      }
      descents_.pop_back();
      if (!descents_.empty()) descents_.back().errors += result;
    }
    return result;
  }

  // The same when only the cases are known, in extra_.
  float estimate_with_extra(std::uint32_t root, double enough) {
    const auto all = static_cast<std::uint32_t>(extra_.size());
    if (all == 0) return here_.tree.nodes[root].errors;
    float result = 0;
    LowerBound bound(here_.tree.nodes[root].errors, all, here_.tree.nodes.size(), enough);
    descents_.clear();
    descend(root, 0, all);
    while (!descents_.empty()) {
      Descent& top = descents_.back();
      const Node& node = here_.tree.nodes[top.node];
      if (node.is_leaf() || top.next == node.count) {
        result = node.is_leaf() ? leaf_with_extra(top) : top.errors;
        if (node.is_leaf() && bound.add(result, own_errors(top.node))) {
          bounds_.resize(descents_.front().bounds);
          return kAboveEnough;
        }
        bounds_.resize(top.bounds);
        descents_.pop_back();
        if (!descents_.empty()) descents_.back().errors += result;
        continue;
      }
      const std::uint32_t begin = top.next == 0 ? top.begin : bounds_[top.bounds + top.next - 1];
      const std::uint32_t end = bounds_[top.bounds + top.next];
      const std::uint32_t child = here_.tree.branches(node)[top.next++];
      if (begin < end) {
        descend(child, begin, end);
      } else {
        top.errors += own_errors(child);
      }
    }
    return result;
  }

  void descend(std::uint32_t index, std::uint32_t begin, std::uint32_t end) {
    descents_.push_back({index, begin, end, static_cast<std::uint32_t>(bounds_.size()), 0, 0.0F});
    const Node& node = here_.tree.nodes[index];
    if (!node.is_leaf()) partition(node, extra_, begin, end);
  }

  void start_leaf(std::uint32_t index) {
    clear_counts();
    if (size(index) == 0) return;
    for (const ClassWeight& entry : here_.tree.leaf_distribution(here_.tree.nodes[index])) {
      add(entry.label, static_cast<std::uint32_t>(entry.weight));
    }
  }

  float leaf_with_extra(const Descent& descent) {
    start_leaf(descent.node);
    for (std::uint32_t i = descent.begin; i < descent.end; ++i) add_case(extra_[i]);
    return leaf_estimate(size(descent.node) + descent.end - descent.begin);
  }

  const Cases& cases_;
  std::optional<Pessimistic> pessimistic_;  // nothing during the first visit
  std::vector<std::uint32_t> extra_;        // cases sent down the largest branch
  std::vector<std::uint32_t> count_;        // by class, for present_
  std::vector<std::uint32_t> present_;
  std::vector<std::uint32_t> bounds_;
  std::vector<Descent> descents_;
  std::vector<Step> steps_;
  bool changed_ = false;
  State here_;
  std::optional<State> first_;     // after the first visit
  std::optional<SentCases> sent_;  // from the second pruning on
};

CompletePruner::CompletePruner(const Tree& grown, const Schema& schema, const Cases& cases)
    : work_(std::make_unique<Work>(grown, schema, cases)) {}

CompletePruner::~CompletePruner() = default;

PruneResult CompletePruner::prune(float confidence) { return work_->prune(confidence); }

}  // namespace colltree::c45
