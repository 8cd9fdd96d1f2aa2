// SPDX-License-Identifier: BSD-3-Clause
// Splits a node's range of every list among the branches, keeping the order within each branch.
#include <algorithm>

#include "model/c45/grow_presorted.h"

namespace colltree::c45 {

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
  const std::span<const CutScan::Entry> winner{&lists_[attribute][task.begin], items};
  const std::size_t low = cut_at_[attribute];
  for (std::size_t i = 0; i < items; ++i) high_side_[winner[i].id] = i >= low;
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
