// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a call agree on memory that they share (shared_arena.h) when a row first needs it,
// and each of them gives it back alone.
#pragma once

#include <mpi.h>

#include <memory>

#include "algorithms/node_layout.h"
#include "algorithms/shared_arena.h"
#include "algorithms/shared_steps.h"
#include "base/not_copied.h"

namespace colltree::algorithms {

struct Context;
struct CallFacts;
struct SharedGroup;  // the ranks of an arena, in this process

// The share of one communicator. Not for two threads at once, as the communicator itself.
class SharedMemory : NotCopied {
 public:
  ~SharedMemory() { close(); }

  // Lets other communicators of the same ranks in the same order use the same memory: their
  // collectives must then come in one order on all ranks, so there is one thread, and no
  // communicator can fail alone; the Context's ranks are those of MPI_COMM_WORLD. The same on all
  // ranks. Closes what is open.
  void allow_others(bool yes) {
    close();
    is_shared_ = yes;
  }
  void close();

  // True if all ranks of the call have it; collective at the first time, by the Context's messages.
  bool open(const Context& context, const CallFacts& facts) noexcept;
  // Likewise of each node's ranks; null if those of a node have none. A rank alone on its node
  // needs none, and its own is not open.
  SharedMemory* open_node(const Context& context, const CallFacts& facts) noexcept;

  // The domains of the ranks (SharedArena::find_domains) as nodes; null: there is no memory for
  // them.
  const NodeLayout* domains() const;
  SharedArena& arena() const { return *arena_; }
  StepCount& count() const { return *count_; }

 private:
  bool is_shared_ = false;
  bool is_asked_ = false;
  SharedGroup* group_ = nullptr;  // null: there is none
  SharedArena* arena_ = nullptr;  // of the group
  StepCount* count_ = nullptr;
  bool is_node_asked_ = false;
  std::unique_ptr<SharedMemory> node_;  // likewise
};

}  // namespace colltree::algorithms
