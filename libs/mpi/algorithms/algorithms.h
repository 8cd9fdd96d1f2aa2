// SPDX-License-Identifier: BSD-3-Clause
// The portable algorithms: what runs behind a row of coll/portable_algorithms.def, over MPI
// point-to-point. measure times them, runtime puts them in the place of the MPI library's own.
// docs/reference/algorithms.md has the schedule of each, its messages and its limits.
//
//   MPI_Comm comm;
//   private_communicator(user_comm, &comm);                    // private_communicator.h
//   PortableMethod method;
//   find_method(Collective::kBcast, "knomial@radix=8", 8192, &method);   // once, from a text
//   run(method, bcast_call(buffer, count, type, root), {.comm = comm});
//
// All calls are collective, return an MPI error code and never throw, print or abort. Results are
// those of MPI: any root, count, datatype, MPI_IN_PLACE and operation.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "algorithms/collective_call.h"
#include "algorithms/node_layout.h"
#include "algorithms/shared_memory.h"
#include "coll/catalogue.h"

namespace colltree::algorithms {

// The communicator and the parameters of an algorithm's messages. Every rank must pass the same
// values.
struct Context {
  MPI_Comm comm = MPI_COMM_NULL;  // carries nothing but these algorithms' messages
  // The ranks on comm of the call's ranks; null: these are all ranks of comm, in its order.
  const int* ranks = nullptr;
  const NodeLayout* nodes = nullptr;  // of the call's ranks; null: not known
  SharedMemory* shared = nullptr;     // of the call's ranks; null: there shall be none
  // The ranks of this node have it, where the row goes by it; null: by messages. `run` sets it.
  SharedMemory* node_memory = nullptr;
  int rank = 0;  // this rank's number among the call's, and how many these are; `run` sets both
  int size = 0;
  int tag = 0;                     // one is enough: messages between two ranks do not overtake
  std::uint64_t segment_size = 0;  // bytes; 0, or not below the piece it cuts: not segmented
  int radix = 2;                   // of k-nomial trees and of Bruck's exchanges; 2 to kMostRadix
  int requests = 0;                // messages of one rank in flight at once; 0: the algorithm's own
  int fanout = 0;                  // leaders of a node; 0: all its ranks
  // Called with each local copy of message bytes, so that the simulator can charge it; may be null.
  void (*charge_copy)(std::size_t bytes) = nullptr;
  bool without_content = false;  // messages carry nothing: local copies are only charged
};

// The code of an algorithm, which may assume two ranks or more, and the minima and needs of its
// row.
using AlgorithmFunction = int(const CollectiveCall& call, const Context& context);

// A row of the catalogue with its code. Rows live for ever and are compared by address.
struct Algorithm {
  const AlgorithmInfo* info = nullptr;
  AlgorithmFunction* code = nullptr;
  const Algorithm* fallback = nullptr;  // of its row; itself where there is none
};

// A row with the values of its parameters, which take the place of the Context's.
struct PortableMethod {
  const Algorithm* algorithm = nullptr;
  std::uint64_t segment_size = 0;
  MethodParameters
      parameters;  // 0: the algorithm's default; radix: the default of the row that runs
};

// False when there is no such algorithm, or not with such a parameter: "default", "linear@radix=2",
// "bruck@radix=1". Look it up once. The second form reads the method's name.
bool find_method(Collective collective, const Method& wanted, PortableMethod* method) noexcept;
bool find_method(Collective collective, std::string_view name, std::uint64_t segment_size,
                 PortableMethod* method) noexcept;

// The row that runs for such a call: the method's own where its minima and needs are met.
// Collective where it is first asked whether the ranks of a node can share memory
// (SharedMemory::open).
const Algorithm& effective_algorithm(const PortableMethod& method, const CallFacts& facts,
                                     const Context& context) noexcept;

// Runs the method's effective algorithm. MPI_ERR_ARG when the method is of another collective.
int run(const PortableMethod& method, const CollectiveCall& call, const Context& context);

// The same in two parts, for calls of two ranks or more that are not empty. The first finds the
// effective algorithm and completes its context; both serve all calls with these facts.
const Algorithm& prepare(const PortableMethod& method, const CallFacts& facts, Context* context);
int run_row(const Algorithm& row, const CollectiveCall& call, const Context& context);

// A collective in a communicator of one rank: copies what it sends to where it receives.
int run_alone(const CollectiveCall& call, const Context& context);

// The function that each row of the catalogue names. A row without its function is a link error.
#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  AlgorithmFunction code;
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM

}  // namespace colltree::algorithms
