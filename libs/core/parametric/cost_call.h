// SPDX-License-Identifier: BSD-3-Clause
// One call as a cost formula sees it, and the patterns of messages from which formulas are made;
// those along the trees of libs/mpi/algorithms/trees.h on the longest path, at O(log^2 ranks), a
// chain O(1).
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "coll/factors.h"
#include "parametric/formulas.h"

namespace colltree::parametric {

struct CostCall {
  const Network& network;
  std::uint64_t ranks;   // at least 2
  double bytes;          // message size (docs/glossary.md); of all blocks of a reduce_scatter_block
  double segment_bytes;  // 0: not segmented
  std::uint64_t radix;   // 2 where the row has none
  std::uint64_t requests;        // 0: as the algorithm's own
  std::uint64_t nodes;           // 0: not known
  std::uint64_t ranks_per_node;  // of the fullest node
  std::uint64_t leaders = 0;     // of a node; 0: all its ranks

  double others() const { return static_cast<double>(ranks - 1); }
  double piece() const { return bytes / static_cast<double>(ranks); }  // a rank's part of it

  double message(double of_bytes) const { return network.message_us(of_bytes); }
  double fold(double of_bytes) const { return network.fold_us(of_bytes); }
  double gap(double of_bytes) const { return network.gap_us(of_bytes); }
  double message_and_fold(double of_bytes) const { return message(of_bytes) + fold(of_bytes); }
  // `count` messages that one rank sends, or receives, all under way at once.
  double burst(double count, double of_bytes) const {
    return count < 1 ? 0 : message(of_bytes) + (count - 1) * gap(of_bytes);
  }
};

// The exchanges by powers of two of libs/mpi/algorithms/power_group.h: 2^steps of the ranks take
// part, after the others have joined one of them.
inline int power_steps(const CostCall& call) {
  return static_cast<int>(std::bit_width(call.ranks)) - 1;
}
inline bool is_power(const CostCall& call) { return std::has_single_bit(call.ranks); }

inline Factors multiplying_steps(const CostCall& call) {
  return Factors(static_cast<int>(call.ranks), static_cast<int>(call.radix));
}
inline bool all_take_part(const CostCall& call, const Factors& factors) {
  return static_cast<std::uint64_t>(factors.product()) == call.ranks;
}

inline int ceil_log2(std::uint64_t ranks) { return static_cast<int>(std::bit_width(ranks - 1)); }

// Exchanges of 1/2, 1/4, ... 1/2^steps of the bytes: what halving and doubling sum up to.
template <typename StepTime>
double halving(const CostCall& call, double bytes, StepTime step_us) {
  double sum = 0;
  for (int i = 1; i <= power_steps(call); ++i)
    sum += step_us(bytes / static_cast<double>(1ULL << i));
  return sum;
}

// The ranks in the subtree of each child of a tree's root, in the order of a broadcast: the
// farthest first. A subtree has the shape of a tree of its size.
using ChildSizes = std::vector<std::uint64_t>(std::uint64_t size, std::uint64_t radix);

struct CostTree {
  ChildSizes* children;
  std::uint64_t radix = 2;  // only knomial trees have one
};

ChildSizes knomial_sizes, binary_sizes, chain_sizes;
inline constexpr CostTree kBinomialTree{knomial_sizes};
inline constexpr CostTree kBinaryTree{binary_sizes};
inline constexpr CostTree kChain{chain_sizes};

// The bytes of one message segment by segment.
struct Pieces {
  Pieces(double bytes, double segment_bytes);
  double count;   // whole number, at least 1
  double length;  // of all but the last
  double last;
};

// A message of these bytes from the root to all ranks. A rank sends each segment to its children in
// turn while the next segment arrives.
double relay_us(const CostCall& call, const CostTree& tree, double bytes);
// The same up to the root, which folds what it receives.
double reduce_up_us(const CostCall& call, const CostTree& tree, double bytes);

// The message along an edge of a tree.
struct EdgeMessage {
  double bytes = 0;
  double bytes_per_rank = 0;  // more for each rank in the subtree below the edge
  bool is_folded = false;     // by the rank above, which receives it

  double length(std::uint64_t ranks_below) const {
    return bytes + static_cast<double>(ranks_below) * bytes_per_rank;
  }
};
// One message for each edge of a tree of `ranks` ranks. Down, with sends in sequence, the farthest
// child first.
double down_us(const CostCall& call, const CostTree& tree, std::uint64_t ranks,
               const EdgeMessage& message);
// Up: a rank receives from all its children at once, the nearest first, then sends.
double up_us(const CostCall& call, const CostTree& tree, std::uint64_t ranks,
             const EdgeMessage& message);

}  // namespace colltree::parametric

// Declares the cost formula that each row of the catalogue names. A name without a function is a
// link error; no_formula stands for none.
namespace colltree::parametric::formulas {

using Formula = double(const CostCall& call);

#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  Formula cost;
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
Formula no_formula;

}  // namespace colltree::parametric::formulas
