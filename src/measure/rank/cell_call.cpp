// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/cell_call.h"

#include "measure/rank/library_call.h"
#include "measure/rank/measure_rank.h"

namespace colltree {

namespace {

constexpr int kRoot = 0;

}  // namespace

CellCall::CellCall(const PlanCell& cell, const CellShape& shape, MPI_Comm comm,
                   const RankEnvironment& environment)
    : cell_(cell),
      comm_(comm),
      shape_(shape),
      op_(shape_.sum ? environment.sum : environment.exclusive_or),
      library_(environment.selector != nullptr || cell.method.algorithm == kDefaultAlgorithm) {
  if (library_) return;
  algorithm_ = find_algorithm(cell.collective, cell.method.algorithm);
  context_.comm = comm;
  context_.segment_size = cell.method.segment_size.value_or(0);
  context_.synchronous_every = environment.synchronous_every;
  context_.charge_copy = environment.charge_copy;
}

int CellCall::run(const CellBuffers& buffers, std::size_t slot) const {
  void* send = buffers.send(slot);
  void* receive = buffers.receive(slot);
  if (library_) return call_library(cell_.collective, shape_, send, receive, op_, comm_);
  return run_portable(send, receive);
}

int CellCall::run_portable(void* send, void* receive) const {
  const int count = shape_.count;
  switch (cell_.collective) {
    case Collective::kBcast:
      return bcast(*algorithm_, send, count, shape_.type, kRoot, context_);
    case Collective::kReduce:
      return reduce(*algorithm_, send, receive, count, shape_.type, op_, kRoot, context_);
    case Collective::kAlltoall:
      return alltoall(*algorithm_, send, count, shape_.type, receive, count, shape_.type, context_);
    default:
      return MPI_ERR_UNSUPPORTED_OPERATION;
  }
}

}  // namespace colltree
