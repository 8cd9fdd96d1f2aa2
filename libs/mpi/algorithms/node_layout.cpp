// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_layout.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <numeric>
#include <utility>

namespace colltree::algorithms {

namespace {

// Ranks sorted by key, which the ranks of a node share, then by rank.
void sort_by(const int* key, int* ranks, int size) {
  std::sort(ranks, ranks + size,
            [key](int a, int b) { return key[a] != key[b] ? key[a] < key[b] : a < b; });
}

}  // namespace

void NodeLayout::close() {
  memory_.reset();
  size_ = nodes_ = most_ranks_ = 0;
}

bool NodeLayout::open(const int* node_of, int size) {
  close();
  const auto n = static_cast<std::size_t>(size);
  std::unique_ptr<int[]> memory(new (std::nothrow) int[3 * n + 1]);
  if (memory == nullptr) return false;
  int* lowest = memory.get();  // rank on the same node; then positions
  int* order = lowest + n;
  int* first = order + n;
  std::iota(order, order + size, 0);
  sort_by(node_of, order, size);
  for (int i = 0; i < size; ++i) {
    const bool same = i > 0 && node_of[order[i]] == node_of[order[i - 1]];
    lowest[order[i]] = same ? lowest[order[i - 1]] : order[i];
  }
  sort_by(lowest, order, size);
  for (int i = 0; i < size; ++i) {
    if (order[i] == lowest[order[i]]) first[nodes_++] = i;
    most_ranks_ = std::max(most_ranks_, i + 1 - first[nodes_ - 1]);
  }
  first[nodes_] = size;
  for (int i = 0; i < size; ++i) lowest[order[i]] = i;
  size_ = size;
  is_by_blocks_ = std::is_sorted(order, order + size);
  position_ = lowest;
  rank_at_ = order;
  first_ = first;
  memory_ = std::move(memory);
  return true;
}

int NodeLayout::node_of(int rank) const {
  const int* after = std::upper_bound(first_, first_ + nodes_, position_[rank]);
  return static_cast<int>(after - first_) - 1;
}

namespace {

int rounded_down(int i, int total, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(i) * total / parts);
}
int rounded_up(int i, int total, int parts) {
  return static_cast<int>((static_cast<std::int64_t>(i) * total + parts - 1) / parts);
}

}  // namespace

bool NodeLanes::open(const NodeLayout& nodes, int wanted) {
  nodes_ = &nodes;
  lanes_ = wanted == 0 ? nodes.most_ranks() : std::min(wanted, nodes.most_ranks());
  const auto groups = static_cast<std::size_t>(lanes_) * static_cast<std::size_t>(nodes.nodes());
  memory_.reset(new (std::nothrow) int[groups + 1 + static_cast<std::size_t>(nodes.size())]);
  if (memory_ == nullptr) return false;
  first_ = memory_.get();
  rank_at_ = first_ + groups + 1;
  int next = 0;
  int* group = first_;
  for (int lane = 0; lane < lanes_; ++lane) {
    for (int node = 0; node < nodes.nodes(); ++node) {
      *group++ = next;
      for (int i = group_begin(node, lane); i < group_begin(node, lane + 1); ++i)
        rank_at_[next++] = nodes.rank(node, i);
    }
  }
  *group = next;
  return true;
}

int NodeLanes::leader(int node, int lane) const {
  const int ranks = nodes_->ranks_on(node);
  return ranks < lanes_ ? rounded_down(lane, ranks, lanes_) : rounded_up(lane, ranks, lanes_);
}

int NodeLanes::lane_begin(int node, int index) const {
  const int ranks = nodes_->ranks_on(node);
  if (ranks < lanes_) return rounded_up(index, lanes_, ranks);
  return index == 0 ? 0 : rounded_down(index - 1, lanes_, ranks) + 1;
}

int NodeLanes::group_begin(int node, int lane) const {
  const int ranks = nodes_->ranks_on(node);
  if (ranks >= lanes_) return rounded_up(lane, ranks, lanes_);
  return lane == 0 ? 0 : rounded_down(lane - 1, ranks, lanes_) + 1;
}

}  // namespace colltree::algorithms
