// SPDX-License-Identifier: BSD-3-Clause
// The portable algorithms: what runs behind a row of coll/portable_algorithms.def, over MPI
// point-to-point. measure times them, runtime puts them in the place of the MPI library's own.
// docs/algorithms.md has the schedule of each, its messages and its limits.
//
//   MPI_Comm comm;
//   private_communicator(user_comm, &comm);                    // private_communicator.h
//   const Algorithm* binary = find_algorithm(Collective::kBcast, "binary");
//   bcast(*binary, buffer, count, type, root, {.comm = comm, .segment_size = 8192});
//
// All calls are collective, take their arguments as the MPI function of that name does (arguments
// are not validated again), return an MPI error code and never throw, print or abort. Results are
// those of MPI: any root, count, datatype, MPI_IN_PLACE and operation.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "coll/catalogue.h"

namespace colltree {

// Where and how an algorithm sends. Every rank must pass the same values.
struct Context {
  MPI_Comm comm = MPI_COMM_NULL;   // carries nothing but these algorithms' messages
  int tag = 0;                     // one is enough: messages between two ranks do not overtake
  std::uint64_t segment_size = 0;  // bytes; 0, or not below the piece it cuts: not segmented
  // Every n-th segment to a receiver is a synchronous send, which bounds how far a sender runs
  // ahead; 0 = never. The simulator needs 16: its cost is quadratic in the messages in flight.
  unsigned synchronous_every = 0;
  // Called with each local copy of message bytes, so that the simulator can charge it; may be null.
  void (*charge_copy)(std::size_t bytes) = nullptr;
};

using BcastFunction = int(void* buffer, int count, MPI_Datatype type, int root,
                          const Context& context);
using ReduceFunction = int(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op,
                           int root, const Context& context);
using AlltoallFunction = int(const void* send, int send_count, MPI_Datatype send_type,
                             void* receive, int receive_count, MPI_Datatype receive_type,
                             const Context& context);

// A row of the catalogue with its code: the pointer of its own collective is set, the others null.
struct Algorithm {
  const AlgorithmInfo* info = nullptr;
  BcastFunction* bcast = nullptr;
  ReduceFunction* reduce = nullptr;
  AlltoallFunction* alltoall = nullptr;
};

// Null when the catalogue has no such row. The result lives for ever; look it up once.
const Algorithm* find_algorithm(Collective collective, std::string_view algorithm);

// Run the algorithm or, where the row's minima say that it does not exist, its fallback.
// MPI_ERR_ARG when `algorithm` is one of another collective.
int bcast(const Algorithm& algorithm, void* buffer, int count, MPI_Datatype type, int root,
          const Context& context);
int reduce(const Algorithm& algorithm, const void* send, void* receive, int count,
           MPI_Datatype type, MPI_Op op, int root, const Context& context);
int alltoall(const Algorithm& algorithm, const void* send, int send_count, MPI_Datatype send_type,
             void* receive, int receive_count, MPI_Datatype receive_type, const Context& context);

}  // namespace colltree
