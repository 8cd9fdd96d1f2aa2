// SPDX-License-Identifier: BSD-3-Clause
#include "engine/grow_presorted.h"

#include <algorithm>
#include <numeric>

namespace colltree::c45 {

PresortedGrower::PresortedGrower(const Schema& schema, const Cases& cases,
                                 const Thresholds& thresholds)
    : Grower(schema, cases, thresholds),
      sorted_(schema.attributes.size()),
      lists_(schema.attributes.size()),
      ids_(cases.size()),
      scan_(cases.size(), schema.classes.size()),
      here_{.classes = ClassCounts(schema.classes.size())} {
  high_side_.resize(cases.size());
  bool discrete = false;
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    discrete |= schema.attributes[a].kind == AttributeKind::kDiscrete;
    if (schema.attributes[a].kind != AttributeKind::kContinuous) continue;
    sorted_[a].resize(cases.size());
    std::iota(sorted_[a].begin(), sorted_[a].end(), 0U);
    const std::vector<float>& value = cases.numbers[a];
    std::ranges::sort(sorted_[a], {}, [&](std::uint32_t id) { return value[id]; });
  }
  if (discrete) branch_.resize(cases.size());
}

void PresortedGrower::start(const TreeOptions& options) {
  Grower::start(options);
  cut_at_.resize(schema_.attributes.size());
  std::iota(ids_.begin(), ids_.end(), 0U);
  for (std::size_t a = 0; a < sorted_.size(); ++a) {
    lists_[a].clear();
    lists_[a].reserve(sorted_[a].size());
    for (const std::uint32_t id : sorted_[a]) {
      lists_[a].push_back({cases_.numbers[a][id], id, cases_.label[id]});
    }
  }
  best_weight_.assign(1, 0.0F);
}

Tree PresortedGrower::grow(const TreeOptions& options) {
  start(options);
  tasks_ = {{0, 0, static_cast<std::uint32_t>(cases_.size()), false}};
  while (!tasks_.empty()) {
    const Task task = tasks_.back();
    tasks_.pop_back();
    if (task.closes_discrete) {
      --tested_[task.node];
    } else {
      split_node(task);
    }
  }
  collapse();
  return compacted(tree_);
}

void PresortedGrower::count_classes(std::uint32_t begin, std::uint32_t end) {
  here_.classes.clear();
  const auto list = std::ranges::find_if(lists_, [](const auto& l) { return !l.empty(); });
  if (list != lists_.end()) {
    for (std::uint32_t i = begin; i < end; ++i) here_.classes.add((*list)[i].label);
  } else {
    for (std::uint32_t i = begin; i < end; ++i) here_.classes.add(cases_.label[ids_[i]]);
  }
  here_.classes.sort();
}

void PresortedGrower::split_node(const Task& task) {
  count_classes(task.begin, task.end);
  const std::uint32_t items = task.end - task.begin;
  const std::uint32_t most = here_.classes.most();
  Node& node = tree_.nodes[task.node];
  node.label = here_.classes.best_label(0);
  node.items = static_cast<float>(items);
  node.errors = static_cast<float>(items - most);
  best_weight_[task.node] = static_cast<float>(most);
  if (most == items || items < 2 * static_cast<std::uint64_t>(options_.weight)) {
    return make_leaf(tree_, node, here_.classes);
  }
  here_.base = scan_.information(here_, items);
  evaluate(task);
  const auto chosen = choose(splits_, averaged_, options_.gain_only);
  if (!chosen) return make_leaf(tree_, node, here_.classes);
  add_test(task.node, *chosen, splits_[*chosen]);
  best_weight_.resize(tree_.nodes.size());
  distribute(task, *chosen);
}

void PresortedGrower::evaluate(const Task& task) {
  splits_.assign(schema_.attributes.size(), Split{});
  for (std::size_t a = 0; a < splits_.size(); ++a) {
    if (schema_.attributes[a].kind == AttributeKind::kContinuous) {
      splits_[a] = scan_.best_cut({&lists_[a][task.begin], task.end - task.begin}, here_,
                                  static_cast<float>(options_.weight), cut_at_[a]);
    } else if (schema_.attributes[a].kind == AttributeKind::kDiscrete && tested_[a] == 0) {
      evaluate_discrete(task, a);
    }
  }
}

void PresortedGrower::evaluate_discrete(const Task& task, std::size_t attribute) {
  const std::size_t values = schema_.attributes[attribute].values.size();
  table_.reset(values, schema_.classes.size());
  const std::vector<std::uint32_t>& value = cases_.values[attribute];
  for (std::uint32_t i = task.begin; i < task.end; ++i) {
    const std::uint32_t id = ids_[i];
    table_.at(value[id], cases_.label[id]) += 1;
  }
  table_.sum_rows();
  splits_[attribute] = c45::evaluate_discrete(table_, static_cast<float>(task.end - task.begin),
                                              static_cast<float>(options_.weight), options_);
}

void PresortedGrower::distribute(const Task& task, std::size_t attribute) {
  const Node& node = tree_.nodes[task.node];
  if (node.test == TestKind::kThreshold) {
    split_lists(task, attribute);
  } else {
    distribute_lists(task, node);
    if (node.test == TestKind::kValues) {
      ++tested_[attribute];
      tasks_.push_back({static_cast<std::uint32_t>(attribute), 0, 0, true});
    }
  }
  open_branches(task);
}

void PresortedGrower::open_branches(const Task& task) {
  const Node node = tree_.nodes[task.node];
  std::uint32_t begin = task.begin;
  for (std::uint32_t b = 0; b < node.count; ++b) {
    const std::uint32_t child = tree_.links[node.first + b];
    const std::uint32_t end = begin + branch_size_[b];
    if (begin == end) {
      tree_.nodes[child].label = node.label;
      make_leaf(tree_, tree_.nodes[child], here_.classes);
    } else {
      tasks_.push_back({child, begin, end, false});
    }
    begin = end;
  }
}

void PresortedGrower::collapse() {
  for (auto index = static_cast<std::uint32_t>(tree_.nodes.size()); index-- > 0;) {
    Node& node = tree_.nodes[index];
    if (node.is_leaf()) continue;
    float errors = 0;
    for (const std::uint32_t child : tree_.branches(node)) errors += tree_.nodes[child].errors;
    node.errors = errors;
    if (errors >= node.items - best_weight_[index] - kEpsilon) collapse_into_leaf(index);
  }
}

// Every leaf below disappears, so all collapses together touch each leaf once.
void PresortedGrower::collapse_into_leaf(std::uint32_t index) {
  here_.classes.clear();
  std::vector<std::uint32_t> open = {index};
  while (!open.empty()) {
    const Node& node = tree_.nodes[open.back()];
    open.pop_back();
    for (const std::uint32_t child : tree_.branches(node)) open.push_back(child);
    if (!(node.items > 0)) continue;
    for (const ClassWeight& entry : tree_.leaf_distribution(node)) {
      here_.classes.add(entry.label, static_cast<std::uint32_t>(entry.weight));
    }
  }
  make_leaf(tree_, tree_.nodes[index], here_.classes);
}

// Splits a node's range of every list among the branches, keeping the order within each branch.

namespace {

std::uint32_t id_of(const CutScan::Entry& entry) { return entry.id; }
std::uint32_t id_of(std::uint32_t id) { return id; }

// Low side first; the high side waits in `scratch`.
template <typename Item>
void split_list(std::span<Item> list, const std::vector<std::uint8_t>& high_side,
                std::vector<Item>& scratch) {
  scratch.resize(std::max(scratch.size(), list.size()));
  Item* low = list.data();
  Item* high = scratch.data();
  for (const Item& item : list) {
    const bool is_high = high_side[id_of(item)] != 0;
    // Both writes, one of them overwritten next time: no branch to mispredict. `low` never
    // overtakes the item being read.
    const Item copy = item;
    *low = copy;
    *high = copy;
    low += is_high ? 0 : 1;
    high += is_high ? 1 : 0;
  }
  std::copy(scratch.data(), high, low);
}

template <typename Item>
void distribute_list(std::span<Item> list, const std::vector<std::uint32_t>& branch,
                     const std::vector<std::uint32_t>& size, std::vector<Item>& scratch) {
  scratch.assign(list.begin(), list.end());
  std::vector<std::uint32_t> next(size.size(), 0);
  for (std::size_t b = 1; b < size.size(); ++b) next[b] = next[b - 1] + size[b - 1];
  for (const Item& item : scratch) list[next[branch[id_of(item)]]++] = item;
}

}  // namespace

void PresortedGrower::split_lists(const Task& task, std::size_t attribute) {
  const std::size_t items = task.end - task.begin;
  const std::span<const CutScan::Entry> chosen{&lists_[attribute][task.begin], items};
  const std::size_t low = cut_at_[attribute];
  for (std::size_t i = 0; i < items; ++i) high_side_[chosen[i].id] = i >= low;
  branch_size_ = {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(items - low)};
  for (std::size_t a = 0; a < lists_.size(); ++a) {
    if (a == attribute || lists_[a].empty()) continue;
    split_list(std::span(&lists_[a][task.begin], items), high_side_, entry_scratch_);
  }
  if (!branch_.empty()) {
    split_list(std::span(&ids_[task.begin], items), high_side_, id_scratch_);
  }
}

void PresortedGrower::distribute_lists(const Task& task, const Node& node) {
  const std::size_t items = task.end - task.begin;
  branch_size_.assign(node.count, 0);
  for (std::uint32_t i = task.begin; i < task.end; ++i) {
    const std::uint32_t id = ids_[i];
    branch_[id] = branch_of(tree_, node, cases_, id);
    ++branch_size_[branch_[id]];
  }
  for (auto& list : lists_) {
    if (list.empty()) continue;
    distribute_list(std::span(&list[task.begin], items), branch_, branch_size_, entry_scratch_);
  }
  distribute_list(std::span(&ids_[task.begin], items), branch_, branch_size_, id_scratch_);
}

}  // namespace colltree::c45
