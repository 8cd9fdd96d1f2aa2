// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/node_lanes.h"

#include <algorithm>
#include <cstdint>
#include <new>

namespace colltree {

namespace {

int rounded_down(int i, int of, int parts) {
  return static_cast<int>(static_cast<std::int64_t>(i) * of / parts);
}
int rounded_up(int i, int of, int parts) {
  return static_cast<int>((static_cast<std::int64_t>(i) * of + parts - 1) / parts);
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

}  // namespace colltree
