// SPDX-License-Identifier: BSD-3-Clause
// One call of a method by virtual ranks: were the results right, and what was sent.
#pragma once

#include <string>
#include <vector>

#include "algorithms/call_layout.h"
#include "coll/catalogue.h"
#include "ranks.h"

namespace colltree::test {

// How ranks are spread over nodes.
enum class Spread { kNotKnown, kBlocks, kCyclic, kUneven };

struct Trial {
  Collective collective;
  Method method;
  int size;
  int count;  // elements of the message, or of a block (v: about that number)
  int root = 0;
  bool commutative = true;
  int late = -1;  // ranks.h
  Spread spread = Spread::kNotKnown;
  int ranks_per_node = 0;  // of the fullest, where all of these are
  bool alike = false;      // v: blocks of one length
  int last = -1;           // ranks.h

  std::vector<int> node_of() const;  // by rank; empty: not known
  std::string text() const;
};

// Bytes as the instance has them (docs/glossary.md), and its row in the catalogue.
std::uint64_t message_size(const Trial& trial);
const AlgorithmInfo& row_of(const Trial& trial);
// The row's minima and needs are met, so that it does not run another one.
bool runs_itself(const Trial& trial);

bool has_root(Collective collective);

// Segments of two elements, and of pieces of which several make a message.
std::vector<Method> methods_of(Collective collective, int size);

// Elements of a rank's block, and of what one rank sends another (v: of several lengths, some 0).
std::size_t block_words(const Trial& trial, int rank);
std::size_t pair_words(const Trial& trial, int from, int to);

// The arguments of a rank. `type`: of reductions; all else moves words.
algorithms::CallLayout layout_of(const Trial& trial, int rank, MPI_Datatype type);

struct Outcome {
  Traffic traffic;
  bool right = false;  // every rank has what MPI says, and has not changed what it sent
};

Outcome run_trial(const Trial& trial, int ports, const parametric::Network* network = nullptr);

}  // namespace colltree::test
