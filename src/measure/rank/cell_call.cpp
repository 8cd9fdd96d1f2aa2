// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/cell_call.h"

#include "measure/rank/measure_rank.h"

namespace colltree {

namespace {

constexpr int kRoot = 0;

}  // namespace

CellCall::CellCall(const PlanCell& cell, MPI_Comm comm, const RankEnvironment& environment)
    : cell_(cell),
      comm_(comm),
      type_(cell_type(cell.instance())),
      op_(type_.sum ? environment.sum : environment.exclusive_or),
      library_(cell.method.algorithm == kDefaultAlgorithm) {
  if (library_) return;
  algorithm_ = find_algorithm(cell.collective, cell.method.algorithm);
  context_.comm = comm;
  context_.segment_size = cell.method.segment_size.value_or(0);
  context_.synchronous_every = environment.synchronous_every;
  context_.charge_copy = environment.charge_copy;
}

int CellCall::run(const CellBuffers& buffers, std::size_t slot) const {
  if (library_) return run_library(buffers, slot);
  void* send = buffers.send(slot);
  void* receive = buffers.receive(slot);
  switch (cell_.collective) {
    case Collective::kBcast:
      return bcast(*algorithm_, send, type_.count, type_.type, kRoot, context_);
    case Collective::kReduce:
      return reduce(*algorithm_, send, receive, type_.count, type_.type, op_, kRoot, context_);
    case Collective::kAlltoall:
      return alltoall(*algorithm_, send, type_.count, type_.type, receive, type_.count, type_.type,
                      context_);
    default:
      return MPI_ERR_UNSUPPORTED_OPERATION;
  }
}

int CellCall::run_library(const CellBuffers& buffers, std::size_t slot) const {
  void* send = buffers.send(slot);
  void* receive = buffers.receive(slot);
  switch (cell_.collective) {
    case Collective::kBcast:
      return MPI_Bcast(send, type_.count, type_.type, kRoot, comm_);
    case Collective::kReduce:
      return MPI_Reduce(send, receive, type_.count, type_.type, op_, kRoot, comm_);
    case Collective::kAlltoall:
      return MPI_Alltoall(send, type_.count, type_.type, receive, type_.count, type_.type, comm_);
    default:
      return MPI_ERR_UNSUPPORTED_OPERATION;
  }
}

}  // namespace colltree
