// SPDX-License-Identifier: BSD-3-Clause
#include "release8/grow_ordered.h"

#include <algorithm>

namespace colltree::c45 {

OrderedGrower::OrderedGrower(const Schema& schema, const Cases& cases, const Thresholds& thresholds,
                             const TreeOptions& options)
    : Grower(schema, cases, thresholds), min_weight_(static_cast<float>(options.weight)) {
  options_ = options;
}

Tree OrderedGrower::grow(ItemOrder& order, std::size_t count) {
  order_ = &order;
  start(options_);
  open(0, count, true, 0);
  while (!frames_.empty()) advance();
  return compacted(tree_);
}

// Decides whether the node is a leaf; if not, picks its test and leaves a frame to walk.
void OrderedGrower::open(std::size_t first, std::size_t end, bool all_known, std::uint32_t index) {
  Frame frame{.node = index, .first = first, .end = end, .all_known = all_known};
  frame.class_weight.assign(schema_.classes.size(), 0.0F);
  for (std::size_t i = first; i < end; ++i) {
    const std::uint32_t item = order_->items[i];
    frame.class_weight[cases_.label[item]] += order_->weight[item];
  }
  const float items = all_known ? static_cast<float>(end - first) : order_->sum(first, end);
  const auto best = std::ranges::max_element(frame.class_weight);
  Node& node = tree_.nodes[index];
  node.label = static_cast<std::uint32_t>(best - frame.class_weight.begin());
  node.items = items;
  node.errors = items - *best;
  make_leaf(tree_, node, frame.class_weight);
  frames_.push_back(std::move(frame));
  if (*best == items || items < 2 * min_weight_) return;
  const std::vector<Split> splits = evaluate(frames_.back(), items);
  const auto chosen = choose(splits, averaged_, options_.gain_only);
  if (chosen) build_test(frames_.back(), *chosen, splits[*chosen]);
}

std::vector<Split> OrderedGrower::evaluate(const Frame& frame, float items) {
  std::vector<Split> splits(schema_.attributes.size());
  for (std::size_t a = 0; a < splits.size(); ++a) {
    switch (schema_.attributes[a].kind) {
      case AttributeKind::kContinuous:
        splits[a] = evaluate_continuous(frame, a, items);
        break;
      case AttributeKind::kDiscrete:
        if (tested_[a] == 0) splits[a] = evaluate_discrete(frame, a, items);
        break;
      case AttributeKind::kIgnored:
        break;
    }
  }
  return splits;
}

Split OrderedGrower::evaluate_discrete(const Frame& frame, std::size_t attribute, float items) {
  const std::size_t values = schema_.attributes[attribute].values.size();
  ValueTable table;
  table.reset(values, schema_.classes.size());
  for (std::size_t i = frame.first; i < frame.end; ++i) {
    const std::uint32_t item = order_->items[i];
    table.at(cases_.values[attribute][item], cases_.label[item]) += order_->weight[item];
  }
  table.sum_rows();
  const bool grouped = options_.group && values > 2;
  if (grouped && items <= table.row_weight[0] && options_.strict_r8) min_weight_ = 1;
  return c45::evaluate_discrete(table, items, min_weight_, options_);
}

void OrderedGrower::build_test(Frame& frame, std::size_t attribute, const Split& split) {
  add_test(frame.node, attribute, split);
  const Node& tested = tree_.nodes[frame.node];
  frame.counts_as_tested = tested.test == TestKind::kValues;
  tested_[attribute] += frame.counts_as_tested;
  BranchWalk& walk = frame.walk;
  walk.begin(*order_, tree_, tested, cases_, frame.first, frame.end);
  const bool any_unknown = walk.known > walk.first;
  walk.known_weight =
      any_unknown ? tested.items - order_->sum(walk.first, walk.known) : tested.items;
  frame.children_known = frame.all_known && !any_unknown;
}

// One step of the topmost node: its next branch, or its end.
void OrderedGrower::advance() {
  Frame& frame = frames_.back();
  const Node node = tree_.nodes[frame.node];
  if (node.is_leaf() || frame.walk.branch == node.count) {
    close();
    return;
  }
  const std::uint32_t child = tree_.branches(node)[frame.walk.branch];
  if (frame.walk.enter(*order_, tree_, node, cases_)) {
    open(frame.walk.first, frame.walk.branch_end, frame.children_known, child);
  } else {
    empty_leaf(child, frame);
    ++frame.walk.branch;
  }
}

void OrderedGrower::empty_leaf(std::uint32_t index, const Frame& parent) {
  Node& leaf = tree_.nodes[index];
  leaf.label = tree_.nodes[parent.node].label;
  make_leaf(tree_, leaf, parent.class_weight);
}

void OrderedGrower::close() {
  const Frame frame = std::move(frames_.back());
  frames_.pop_back();
  Node& node = tree_.nodes[frame.node];
  if (!node.is_leaf()) {
    tested_[node.attribute] -= frame.counts_as_tested;
    // Collapse: the subtree must make fewer errors than the node would as a leaf.
    const float best = frame.class_weight[node.label];
    node.errors = frame.errors;
    if (frame.errors >= node.items - best - kEpsilon) make_leaf(tree_, node, frame.class_weight);
  }
  if (frames_.empty()) return;
  Frame& parent = frames_.back();
  const Node& above = tree_.nodes[parent.node];
  parent.errors += node.errors;
  parent.walk.leave(*order_, tree_, above, cases_);
  ++parent.walk.branch;
}

// The continuous test of grow_ordered.h: fractional weights, summed in item order.

// Weight of the known cases. The order of these sums shows in the last bit, and the last bit shows
// in trees: all cases in the order before the unknown ones move, less the unknown ones summed by
// class and then over the classes.
Split OrderedGrower::evaluate_continuous(const Frame& frame, std::size_t attribute, float items) {
  const std::vector<float>& value = cases_.numbers[attribute];
  std::vector<float> unknown(schema_.classes.size(), 0.0F);
  float all = 0;
  for (std::size_t i = frame.first; i < frame.end; ++i) {
    const std::uint32_t item = order_->items[i];
    all += order_->weight[item];
    if (value[item] == kUnknownNumber) unknown[cases_.label[item]] += order_->weight[item];
  }
  const std::size_t first =
      bring_forward(order_->items, frame.first, frame.end,
                    [&](std::uint32_t item) { return value[item] == kUnknownNumber; });
  float unknown_weight = 0;
  for (const float w : unknown) unknown_weight += w;
  const float known = all - unknown_weight;
  if (known < 2 * min_weight_) return {};
  sort_as_release8(order_->items, first, frame.end, value);
  const Weights weights{known, unknown_weight, items};
  const std::vector<Cut> tried = cuts(value, first, frame.end, weights);
  Split split;
  if (tried.empty()) return split;
  const auto cost =
      static_cast<float>(log2_of(static_cast<float>(tried.size())) / static_cast<double>(items));
  float best = 0;
  for (const Cut& cut : tried) {
    const float penalised = cut.gain - cost;
    if (!(penalised > best)) continue;
    best = penalised;
    split.gain = penalised;
    split.info = cut.info;
    split.low = value[order_->items[cut.at]];
    split.high = value[order_->items[cut.at + 1]];
  }
  return split;
}

std::vector<OrderedGrower::Cut> OrderedGrower::cuts(const std::vector<float>& value,
                                                    std::size_t first, std::size_t end,
                                                    const Weights& weights) const {
  const auto [known, unknown, items] = weights;
  const std::vector<std::uint32_t>& order = order_->items;
  std::vector<float> left(schema_.classes.size(), 0.0F);
  std::vector<float> right(schema_.classes.size(), 0.0F);
  for (std::size_t i = first; i < end; ++i) {
    right[cases_.label[order[i]]] += order_->weight[order[i]];
  }
  const float base = entropy_bits(right) / known;
  const float unknown_rate = static_cast<float>(1.0 - known / items);
  const float least = min_split(known, schema_.classes.size(), min_weight_);
  std::vector<Cut> result;
  float low = 0;
  for (std::size_t i = first; i + 1 < end; ++i) {
    const float w = order_->weight[order[i]];
    const std::uint32_t c = cases_.label[order[i]];
    low += w;
    left[c] += w;
    right[c] -= w;
    if (low < least) continue;
    if (low > known - least) break;
    if (!(value[order[i]] < value[order[i + 1]] - 1e-5)) continue;
    const float high = known - low;
    // The sum over the unknown cases: in float32 not the same as what the known ones leave.
    const float sides[] = {unknown, low, high};
    Cut cut{i, kNotAvailable, entropy_bits(sides) / items};
    if (low >= min_weight_ && high >= min_weight_) {
      const float bits = (entropy_bits(left) + entropy_bits(right)) / known;
      cut.gain = (1 - unknown_rate) * (base - bits);
    }
    result.push_back(cut);
  }
  return result;
}

}  // namespace colltree::c45
