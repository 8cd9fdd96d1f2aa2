// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/cell_call.h"

#include "measure/rank/measure_rank.h"

namespace colltree {

namespace {

constexpr int kRoot = 0;

int call_moving(Collective collective, const CellShape& shape, void* send, void* receive,
                MPI_Comm comm) {
  const int n = shape.count;
  const MPI_Datatype t = shape.type;
  const int* counts = shape.counts.data();
  const int* places = shape.displacements.data();
  switch (collective) {
    case Collective::kAllgather:
      return MPI_Allgather(send, n, t, receive, n, t, comm);
    case Collective::kAllgatherv:
      return MPI_Allgatherv(send, n, t, receive, counts, places, t, comm);
    case Collective::kAlltoall:
      return MPI_Alltoall(send, n, t, receive, n, t, comm);
    case Collective::kAlltoallv:
      return MPI_Alltoallv(send, counts, places, t, receive, counts, places, t, comm);
    case Collective::kBarrier:
      return MPI_Barrier(comm);
    case Collective::kBcast:
      return MPI_Bcast(send, n, t, kRoot, comm);
    case Collective::kGather:
      return MPI_Gather(send, n, t, receive, n, t, kRoot, comm);
    case Collective::kScatter:
      return MPI_Scatter(send, n, t, receive, n, t, kRoot, comm);
    default:
      return MPI_ERR_UNSUPPORTED_OPERATION;
  }
}

}  // namespace

int call_library(Collective collective, const CellShape& shape, void* send, void* receive,
                 MPI_Op op, MPI_Comm comm) {
  const int n = shape.count;
  const MPI_Datatype t = shape.type;
  switch (collective) {
    case Collective::kAllreduce:
      return MPI_Allreduce(send, receive, n, t, op, comm);
    case Collective::kExscan:
      return MPI_Exscan(send, receive, n, t, op, comm);
    case Collective::kReduce:
      return MPI_Reduce(send, receive, n, t, op, kRoot, comm);
    case Collective::kReduceScatter:
      return MPI_Reduce_scatter(send, receive, shape.counts.data(), t, op, comm);
    case Collective::kReduceScatterBlock:
      return MPI_Reduce_scatter_block(send, receive, n, t, op, comm);
    case Collective::kScan:
      return MPI_Scan(send, receive, n, t, op, comm);
    default:
      return call_moving(collective, shape, send, receive, comm);
  }
}

namespace {

CollectiveCall moving_call(Collective collective, const CellShape& shape, void* send,
                           void* receive) {
  const int n = shape.count;
  const MPI_Datatype t = shape.type;
  const int* counts = shape.counts.data();
  const int* places = shape.displacements.data();
  switch (collective) {
    case Collective::kAllgather:
      return allgather_call(send, n, t, receive, n, t);
    case Collective::kAllgatherv:
      return allgatherv_call(send, n, t, receive, counts, places, t);
    case Collective::kAlltoall:
      return alltoall_call(send, n, t, receive, n, t);
    case Collective::kAlltoallv:
      return alltoallv_call(send, counts, places, t, receive, counts, places, t);
    case Collective::kBcast:
      return bcast_call(send, n, t, kRoot);
    case Collective::kGather:
      return gather_call(send, n, t, receive, n, t, kRoot);
    case Collective::kScatter:
      return scatter_call(send, n, t, receive, n, t, kRoot);
    default:
      return barrier_call();
  }
}

CollectiveCall call_of(Collective collective, const CellShape& shape, void* send, void* receive,
                       MPI_Op op) {
  const int n = shape.count;
  const MPI_Datatype t = shape.type;
  switch (collective) {
    case Collective::kAllreduce:
      return allreduce_call(send, receive, n, t, op);
    case Collective::kExscan:
      return exscan_call(send, receive, n, t, op);
    case Collective::kReduce:
      return reduce_call(send, receive, n, t, op, kRoot);
    case Collective::kReduceScatter:
      return reduce_scatter_call(send, receive, shape.counts.data(), t, op);
    case Collective::kReduceScatterBlock:
      return reduce_scatter_block_call(send, receive, n, t, op);
    case Collective::kScan:
      return scan_call(send, receive, n, t, op);
    default:
      return moving_call(collective, shape, send, receive);
  }
}

}  // namespace

CellCall::CellCall(const PlanCell& cell, const CellShape& shape, MPI_Comm comm,
                   const NodeLayout& layout, const RankEnvironment& environment, Payload payload)
    : cell_(cell),
      comm_(comm),
      shape_(shape),
      op_(shape_.sum ? environment.sum : environment.exclusive_or),
      library_((environment.selector != nullptr && !cell.portable) ||
               cell.method.algorithm == kDefaultAlgorithm) {
  if (library_ || !find_method(cell.collective, cell.method, &method_)) method_.algorithm = nullptr;
  if (payload == Payload::kShared && !needs_content()) carry_content_ = environment.carry_content;
  if (library_) return;
  context_.comm = comm;
  context_.nodes = &layout;
  context_.synchronous_every = environment.synchronous_every;
  context_.charge_copy = environment.charge_copy;
  context_.without_content = carry_content_ != nullptr;
}

// A reduction combines what arrives, and is charged for it. Ranks that pass on others' blocks of
// different lengths are told these. SMPI's own allgatherv frees memory that it did not allocate
// when nothing is carried.
bool CellCall::needs_content() const {
  if (shape_.reduction) return true;
  if (library_) return cell_.collective == Collective::kAllgatherv;
  return cell_.collective == Collective::kAlltoallv && method_.algorithm != nullptr &&
         (method_.algorithm->info->needs & kHierarchy) != 0;
}

int CellCall::run(const CellBuffers& buffers, std::size_t slot) const {
  if (carry_content_ == nullptr) return call(buffers, slot);
  carry_content_(false);
  const int code = call(buffers, slot);
  carry_content_(true);
  return code;
}

int CellCall::call(const CellBuffers& buffers, std::size_t slot) const {
  void* send = buffers.send(slot);
  void* receive = buffers.receive(slot);
  if (library_) return call_library(cell_.collective, shape_, send, receive, op_, comm_);
  return colltree::run(method_, call_of(cell_.collective, shape_, send, receive, op_), context_);
}

}  // namespace colltree
