// SPDX-License-Identifier: BSD-3-Clause
#include "release8/item_order.h"

#include <algorithm>
#include <numeric>

#include "engine/arithmetic.h"

namespace colltree::c45 {

namespace {

// One visit of a node with some cases. Visits nest: the branches, then (when updating) the largest
// branch with all cases without update, then perhaps the same with update to raise it.
struct Visit {
  enum class Stage : std::uint8_t { kBranches, kLargest, kRaised };

  std::uint32_t node = 0;
  std::size_t first = 0;
  std::size_t end = 0;
  bool update = false;
  Stage stage = Stage::kBranches;
  BranchWalk walk;
  float tree_errors = 0;
  float leaf_errors = 0;
  float largest_factor = 0;
  std::uint32_t largest = 0;
  std::vector<float> class_weight;  // only when updating
};

class Pruner {
 public:
  Pruner(Tree tree, const Schema& schema, const Cases& cases, ItemOrder& order, float confidence)
      : tree_(std::move(tree)),
        schema_(schema),
        cases_(cases),
        order_(order),
        pessimistic_(confidence) {}

  PruneResult run() {
    order_.reset_weights();
    open(0, 0, order_.items.size(), true);
    // A finished visit hands its estimate to the one below it: a loop, since raising nests deeply.
    while (!visits_.empty()) {
      if (finished_) {
        finished_ = false;
        deliver(visits_.back(), result_);
      } else {
        step();
      }
    }
    return {compacted(tree_), changed_};
  }

 private:
  void open(std::uint32_t index, std::size_t first, std::size_t end, bool update) {
    std::vector<float> weights(schema_.classes.size(), 0.0F);
    for (std::size_t i = first; i < end; ++i) {
      weights[cases_.label[order_.items[i]]] += order_.weight[order_.items[i]];
    }
    const float items = order_.sum(first, end);
    Node& node = tree_.nodes[index];
    // Ties keep the label that the node has.
    std::uint32_t best = node.label;
    for (std::uint32_t c = 0; c < weights.size(); ++c) {
      if (weights[c] > weights[best]) best = c;
    }
    Visit visit{.node = index, .first = first, .end = end, .update = update};
    const float errors = items - weights[best];
    visit.leaf_errors = pessimistic_.leaf(items, errors);
    if (update) {
      node.items = items;
      node.label = best;
    }
    if (node.is_leaf()) {
      visit.tree_errors = visit.leaf_errors;
      if (update) make_leaf(tree_, node, weights);
    } else {
      visit.walk.begin(order_, tree_, node, cases_, first, end);
      visit.walk.known_weight = order_.sum(visit.walk.known, end);
    }
    if (update) visit.class_weight = std::move(weights);
    visits_.push_back(std::move(visit));
  }

  void step() {
    Visit& visit = visits_.back();
    const Node node = tree_.nodes[visit.node];
    if (node.is_leaf()) return finish(visit.leaf_errors);
    if (visit.walk.branch < node.count) return next_branch(visit, node);
    if (!visit.update) return finish(visit.tree_errors);
    // All branches are known: now the largest one with all cases.
    visit.stage = Visit::Stage::kLargest;
    open(largest_branch(visit), visit.first, visit.end, false);
  }

  std::uint32_t largest_branch(const Visit& visit) const {
    return tree_.branches(tree_.nodes[visit.node])[visit.largest];
  }

  void next_branch(Visit& visit, const Node& node) {
    if (!visit.walk.enter(order_, tree_, node, cases_)) {
      ++visit.walk.branch;
      return;
    }
    if (visit.walk.factor >= visit.largest_factor) {
      visit.largest_factor = visit.walk.factor;
      visit.largest = visit.walk.branch;
    }
    open(tree_.branches(node)[visit.walk.branch], visit.first, visit.walk.branch_end, visit.update);
  }

  // The topmost visit ends with this estimate.
  void finish(float errors) {
    if (visits_.back().update) tree_.nodes[visits_.back().node].errors = errors;
    visits_.pop_back();
    result_ = errors;
    finished_ = true;
  }

  void deliver(Visit& visit, float errors) {
    switch (visit.stage) {
      case Visit::Stage::kBranches:
        visit.tree_errors += errors;
        visit.walk.leave(order_, tree_, tree_.nodes[visit.node], cases_);
        ++visit.walk.branch;
        return;
      case Visit::Stage::kLargest:
        return decide(visit, errors);
      case Visit::Stage::kRaised:
        tree_.nodes[visit.node] = tree_.nodes[largest_branch(visit)];
        return finish(errors);
    }
  }

  void decide(Visit& visit, float largest_errors) {
    Node& node = tree_.nodes[visit.node];
    if (visit.leaf_errors <= largest_errors + 0.1 && visit.leaf_errors <= visit.tree_errors + 0.1) {
      changed_ = true;
      make_leaf(tree_, node, visit.class_weight);
      finish(visit.leaf_errors);
    } else if (largest_errors <= visit.tree_errors + 0.1) {
      changed_ = true;
      visit.stage = Visit::Stage::kRaised;
      open(largest_branch(visit), visit.first, visit.end, true);
    } else {
      finish(visit.tree_errors);
    }
  }

  Tree tree_;
  const Schema& schema_;
  const Cases& cases_;
  ItemOrder& order_;
  Pessimistic pessimistic_;
  std::vector<Visit> visits_;
  bool changed_ = false;
  bool finished_ = false;
  float result_ = 0;
};

}  // namespace

ItemOrder::ItemOrder(std::size_t cases) : items(cases), weight(cases, 1.0F) {
  std::iota(items.begin(), items.end(), 0U);
}

void ItemOrder::reset_weights() { weight.assign(weight.size(), 1.0F); }

float ItemOrder::sum(std::size_t first, std::size_t end) const {
  float total = 0;
  for (std::size_t i = first; i < end; ++i) total += weight[items[i]];
  return total;
}

void ItemOrder::scale(std::size_t first, std::size_t end, float factor) {
  for (std::size_t i = first; i < end; ++i) weight[items[i]] *= factor;
}

void ItemOrder::unscale(std::size_t first, std::size_t end, float factor) {
  for (std::size_t i = first; i < end; ++i) weight[items[i]] /= factor;
}

void sort_as_release8(std::vector<std::uint32_t>& items, std::size_t first, std::size_t end,
                      const std::vector<float>& value) {
  struct Range {
    std::size_t first;
    std::size_t end;
  };
  std::vector<Range> open = {{first, end}};
  while (!open.empty()) {
    const Range range = open.back();
    open.pop_back();
    if (range.end - range.first < 2 || range.end < range.first) continue;
    const std::size_t last = range.end - 1;
    const float pivot = value[items[last]];
    const std::size_t high = bring_forward(
        items, range.first, last, [&](std::uint32_t item) { return value[item] <= pivot; });
    std::size_t middle = high;
    for (std::size_t i = high; i-- > range.first;) {
      if (value[items[i]] == pivot) std::swap(items[i], items[--middle]);
    }
    std::swap(items[high], items[last]);
    open.push_back({range.first, middle});
    open.push_back({high + 1, range.end});
  }
}

void BranchWalk::begin(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases,
                       std::size_t first_item, std::size_t end_item) {
  first = first_item;
  end = end_item;
  branch = 0;
  known = bring_forward(order.items, first, end, [&](std::uint32_t item) {
    return branch_of(tree, node, cases, item) == kNoBranch;
  });
}

bool BranchWalk::enter(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases) {
  branch_end = bring_forward(order.items, known, end, [&](std::uint32_t item) {
    return branch_of(tree, node, cases, item) == branch;
  });
  if (branch_end == known) return false;
  factor = order.sum(known, branch_end) / known_weight;
  order.scale(first, known, factor);
  return true;
}

void BranchWalk::leave(ItemOrder& order, const Tree& tree, const Node& node, const Cases& cases) {
  bring_forward(order.items, first, branch_end, [&](std::uint32_t item) {
    return branch_of(tree, node, cases, item) == kNoBranch;
  });
  order.unscale(first, known, factor);
}

PruneResult prune_ordered(const Tree& grown, const Schema& schema, const Cases& cases,
                          ItemOrder& order, float confidence) {
  return Pruner(grown, schema, cases, order, confidence).run();
}

}  // namespace colltree::c45
