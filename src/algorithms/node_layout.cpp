// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_layout.h"

#include <algorithm>
#include <new>
#include <numeric>
#include <utility>

namespace colltree {

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

}  // namespace colltree
