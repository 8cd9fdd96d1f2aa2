// SPDX-License-Identifier: BSD-3-Clause
// Pruning of complete data. All weights are counts, so estimates do not depend on the order of the
// cases, and a subtree's estimate for its own cases is kept in its root. What the largest branch
// would be worth with all cases of its parent is then found by sending only the other branches'
// cases down into it.

#include "engine/prune.h"

#include <numeric>
#include <optional>

#include "engine/subtree_estimate.h"

namespace colltree::c45 {

class CompletePruner::Work {
 public:
  Work(const Tree& grown, const Schema& schema, const Cases& cases)
      : cases_(cases), classes_(schema.classes.size()), counts_(classes_), here_(compacted(grown)) {
    here_.ids.resize(cases.size());
    std::iota(here_.ids.begin(), here_.ids.end(), 0U);
    // The first visit of every node: no estimate yet, only which cases are where.
    steps_ = {{Step::kVisit, 0, 0, static_cast<std::uint32_t>(cases.size()), 0}};
    run();
    first_ = here_;
  }

  PruneResult prune(float confidence) {
    if (pessimistic_ && !sent_) sent_.emplace(*first_, cases_);
    pessimistic_.emplace(confidence);
    estimate_.emplace(here_, cases_, classes_, *pessimistic_);
    here_ = *first_;
    changed_ = false;
    // Branches come after their nodes, so backwards is bottom-up.
    for (auto index = static_cast<std::uint32_t>(here_.tree.nodes.size()); index-- > 0;) {
      const Node& node = here_.tree.nodes[index];
      const PlacedTree::Place place = here_.places[index];
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

  void count(const Step& step) {
    counts_.clear();
    for (std::uint32_t i = step.begin; i < step.end; ++i) counts_.add(cases_.label[here_.ids[i]]);
  }

  void visit(const Step& step) {
    count(step);
    Node& node = here_.tree.nodes[step.node];
    node.items = static_cast<float>(step.end - step.begin);
    node.label = counts_.best_label(node.label);
    PlacedTree::Place& place = here_.places[step.node];
    place.begin = step.begin;
    place.items = step.end - step.begin;
    place.most = counts_.most();
    if (node.is_leaf()) {
      if (pessimistic_) {
        node.errors = pessimistic_->leaf(node.items, static_cast<float>(place.items - place.most));
      }
      make_leaf(here_.tree, node, counts_);
      return;
    }
    bounds_.clear();
    partition(here_.tree, node, cases_, here_.ids, step.begin, step.end, bounds_);
    // The first visit decides nothing.
    if (pessimistic_) steps_.push_back({Step::kDecide, step.node, step.begin, step.end, 0});
    const auto branches = here_.tree.branches(node);
    std::uint32_t begin = step.begin;
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      const std::uint32_t end = bounds_[b];
      if (end > begin) {
        steps_.push_back({Step::kVisit, branches[b], begin, end, 0});
      } else {
        here_.places[branches[b]].items = 0;
      }
      begin = end;
    }
  }

  void decide(const Step& step) {
    Node& node = here_.tree.nodes[step.node];
    const auto branches = here_.tree.branches(node);
    float tree_errors = 0;
    float largest_factor = 0;
    std::uint32_t largest = 0;
    for (std::uint32_t b = 0; b < branches.size(); ++b) {
      if (here_.size(branches[b]) == 0) continue;
      here_.places[step.node].raised_below |= here_.places[branches[b]].raised_below;
      tree_errors += here_.tree.nodes[branches[b]].errors;
      const float factor = static_cast<float>(here_.size(branches[b])) / node.items;
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
      count(step);
      make_leaf(here_.tree, node, counts_);
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
        here_.size(step.node) == first_->places[step.node].items) {
      return estimate_->with_sent(branch, *sent_, step.node, enough);
    }
    std::uint32_t begin = step.begin;
    for (std::uint32_t b = 0; b < largest; ++b) begin += here_.size(branches[b]);
    extra_.assign(here_.ids.begin() + step.begin, here_.ids.begin() + begin);
    extra_.insert(extra_.end(), here_.ids.begin() + begin + here_.size(branch),
                  here_.ids.begin() + step.end);
    return estimate_->with_cases(branch, extra_, enough);
  }

  const Cases& cases_;
  std::size_t classes_;
  ClassCounts counts_;
  PlacedTree here_;
  std::optional<PlacedTree> first_;         // after the first visit
  std::optional<SentCases> sent_;           // from the second pruning on
  std::optional<Pessimistic> pessimistic_;  // nothing during the first visit
  std::optional<SubtreeEstimate> estimate_;
  std::vector<std::uint32_t> extra_;   // cases sent down the largest branch
  std::vector<std::uint32_t> bounds_;  // where each branch's cases end
  std::vector<Step> steps_;
  bool changed_ = false;
};

CompletePruner::CompletePruner(const Tree& grown, const Schema& schema, const Cases& cases)
    : work_(std::make_unique<Work>(grown, schema, cases)) {}

CompletePruner::~CompletePruner() = default;

PruneResult CompletePruner::prune(float confidence) { return work_->prune(confidence); }

namespace {

// By discrete attribute, the values that can still occur below the tests made so far.
using Possible = std::vector<std::vector<bool>>;

struct Step {
  std::uint32_t node = 0;
  std::uint32_t next_branch = 0;
  std::vector<bool> before;  // of the node's attribute
};

void narrow(const Tree& tree, const Node& node, std::uint32_t branch, std::vector<bool>& possible) {
  for (std::size_t v = 1; v <= possible.size(); ++v) {
    const bool taken = node.test == TestKind::kValues
                           ? v == branch + 1
                           : tree.group_of[node.groups + v - 1] == branch;
    if (!taken) possible[v - 1] = false;
  }
}

void trim_last_branch(Tree& tree, Node& node, const std::vector<bool>& possible) {
  const std::uint32_t last = node.count - 1;
  bool any = false;
  for (std::uint32_t v = 1; v <= node.values; ++v) {
    std::uint32_t& branch = tree.group_of[node.groups + v - 1];
    if (branch != last) continue;
    if (possible[v - 1]) {
      any = true;
    } else {
      branch = kNoBranch;
    }
  }
  if (!any) --node.count;
}

}  // namespace

void drop_impossible_values(Tree& tree, const Schema& schema) {
  Possible possible;
  for (const Attribute& attribute : schema.attributes) {
    possible.emplace_back(attribute.values.size(), true);
  }
  std::vector<Step> path = {{.node = 0}};
  while (!path.empty()) {
    Step& step = path.back();
    Node& node = tree.nodes[step.node];
    const bool discrete = !node.is_leaf() && node.test != TestKind::kThreshold;
    if (step.next_branch == 0) {
      if (node.test == TestKind::kGroups) trim_last_branch(tree, node, possible[node.attribute]);
      if (discrete) step.before = possible[node.attribute];
    } else if (discrete) {
      possible[node.attribute] = step.before;
    }
    if (node.is_leaf() || step.next_branch == node.count) {
      path.pop_back();
      continue;
    }
    const std::uint32_t branch = step.next_branch++;
    if (discrete) narrow(tree, node, branch, possible[node.attribute]);
    path.push_back({.node = tree.branches(node)[branch]});
  }
  tree = compacted(tree);
}

Trial pruned_trial(Tree grown, PruneResult pruned, const Schema& schema,
                   const TreeOptions& options) {
  if (options.group) drop_impossible_values(pruned.tree, schema);
  return {std::move(grown), std::move(pruned.tree), pruned.changed};
}

}  // namespace colltree::c45
