// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a call share a node, and which speak for it. The same on every rank, and made
// without a message.
#pragma once

#include <memory>

#include "base/not_copied.h"

namespace colltree::algorithms {

// Nodes are numbered by their lowest ranks, the ranks of a node (its index: from 0) in their own
// order. Positions count the ranks node after node: where ranks were placed block by block they are
// the ranks.
class NodeLayout : NotCopied {
 public:
  // `node_of`: by rank, any number that is the node's own. False: no memory, and no layout then.
  // Local; O(size log size).
  bool open(const int* node_of, int size);
  void close();

  int nodes() const { return nodes_; }  // 0: there is no layout
  int size() const { return size_; }
  int most_ranks() const { return most_ranks_; }  // on one node
  bool is_by_blocks() const { return is_by_blocks_; }

  int first(int node) const { return first_[node]; }  // position; of `nodes()`: the end
  int ranks_on(int node) const { return first_[node + 1] - first_[node]; }
  int position(int rank) const { return position_[rank]; }
  int rank_at(int position) const { return rank_at_[position]; }
  int rank(int node, int index) const { return rank_at_[first_[node] + index]; }
  int node_of(int rank) const;  // O(log nodes)
  int index_of(int rank) const { return position_[rank] - first_[node_of(rank)]; }

 private:
  std::unique_ptr<int[]> memory_;
  int* position_ = nullptr;  // by rank
  int* rank_at_ = nullptr;   // by position
  int* first_ = nullptr;     // by node
  int size_ = 0;
  int nodes_ = 0;
  int most_ranks_ = 0;
  bool is_by_blocks_ = false;
};

// Lanes across all nodes, each led on every node by one rank. A node of more ranks than lanes has a
// group of neighbours for each lane, which its first rank leads; on one of fewer ranks each leads
// several lanes.
class NodeLanes : NotCopied {
 public:
  // `wanted` lanes, at most the number of ranks of the fullest node; 0: that number. False: no
  // memory. Local; O(size + lanes * nodes).
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

}  // namespace colltree::algorithms
