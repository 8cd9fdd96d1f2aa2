// SPDX-License-Identifier: BSD-3-Clause
// Which ranks speak for their nodes: lanes across all nodes, each led on every node by one rank.
// A node of more ranks than lanes has a group of neighbours for each lane, which its first rank
// leads; on one of fewer ranks each leads several lanes. The same on every rank, and made without a
// message.
#pragma once

#include <memory>

#include "algorithms/node_layout.h"

namespace colltree {

class NodeLanes {
 public:
  NodeLanes() = default;
  NodeLanes(const NodeLanes&) = delete;
  NodeLanes& operator=(const NodeLanes&) = delete;

  // `wanted` lanes, at most as many as the fullest node has ranks; 0: so many. False: no memory.
  // Local; O(size + lanes * nodes).
  bool open(const NodeLayout& nodes, int wanted);

  int lanes() const { return lanes_; }
  // The index on the node of the lane's leader there. No lower than that of the lane before.
  int leader(int node, int lane) const;
  // The lanes that the rank of this index leads: lane_begin(index) .. lane_begin(index + 1) - 1.
  int lane_begin(int node, int index) const;

  // All ranks in order: lane after lane, in a lane node after node, of a node those of the lane's
  // group. That of a lane that a small node's rank leads besides its own is empty.
  int first(int lane, int node) const { return first_[lane * nodes_->nodes() + node]; }
  int end(int lane, int node) const { return first_[lane * nodes_->nodes() + node + 1]; }
  int first(int lane) const { return first(lane, 0); }  // of `lanes()`: the end
  int rank_at(int i) const { return rank_at_[i]; }

 private:
  // The group of the lane: the ranks of index group_begin(lane) .. group_begin(lane + 1) - 1.
  int group_begin(int node, int lane) const;

  const NodeLayout* nodes_ = nullptr;
  int lanes_ = 0;
  std::unique_ptr<int[]> memory_;
  int* first_ = nullptr;    // by lane and node
  int* rank_at_ = nullptr;  // in order
};

}  // namespace colltree
