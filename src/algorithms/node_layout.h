// SPDX-License-Identifier: BSD-3-Clause
// Which ranks of a call share a node. The same on every rank, and made without a message.
#pragma once

#include <memory>

namespace colltree {

// Nodes are numbered by their lowest ranks, the ranks of a node (its index: from 0) in their own
// order. Positions count the ranks node after node: where ranks were placed block by block they are
// the ranks.
class NodeLayout {
 public:
  NodeLayout() = default;
  NodeLayout(const NodeLayout&) = delete;
  NodeLayout& operator=(const NodeLayout&) = delete;

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

}  // namespace colltree
