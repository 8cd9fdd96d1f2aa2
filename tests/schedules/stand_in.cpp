// SPDX-License-Identifier: BSD-3-Clause
// The functions of mpi.h for the ranks of ranks.h.
#include <mpi.h>

#include <utility>

#include "ranks.h"

namespace {

using namespace colltree::test;

int size_of(MPI_Datatype type) { return type & 0xFF; }

}  // namespace

std::uint64_t colltree::test::joined(std::uint64_t a, std::uint64_t b) {
  if (a > b) std::swap(a, b);
  std::uint64_t x = a * 0x9E3779B97F4A7C15U ^ (b + 0x7F4A7C159E3779B9U);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return (x ^ (x >> 31)) + b * 0xD6E8FEB86659FD93U;
}

int PMPI_Comm_rank(MPI_Comm, int* rank) {
  *rank = this_rank();
  return MPI_SUCCESS;
}

int PMPI_Comm_size(MPI_Comm, int* size) {
  *size = ranks_of_job();
  return MPI_SUCCESS;
}

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int, MPI_Comm,
               MPI_Request* request) {
  *request = post(Side::kSend, const_cast<void*>(data), count * size_of(type), to);
  return MPI_SUCCESS;
}

int PMPI_Issend(const void* data, int count, MPI_Datatype type, int to, int, MPI_Comm,
                MPI_Request* request) {
  *request = post(Side::kSynchronousSend, const_cast<void*>(data), count * size_of(type), to);
  return MPI_SUCCESS;
}

int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int, MPI_Comm,
               MPI_Request* request) {
  *request = post(Side::kReceive, data, count * size_of(type), from);
  return MPI_SUCCESS;
}

int PMPI_Wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) return MPI_SUCCESS;
  const int error = wait_for(*request, status);
  *request = MPI_REQUEST_NULL;
  return error;
}

// Nothing else could run before it is done.
int PMPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 1;
  return PMPI_Wait(request, status);
}

int PMPI_Waitall(int count, MPI_Request* requests, MPI_Status*) {
  int error = MPI_SUCCESS;
  for (int i = 0; i < count; ++i) {
    const int one = PMPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) error = one;
  }
  return error;
}

// Only after an error, which ends the test: what is still posted counts as left over.
int PMPI_Cancel(MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int PMPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend(data, count, type, to, tag, comm, &request);
  return PMPI_Wait(&request, MPI_STATUS_IGNORE);
}

int PMPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Irecv(data, count, type, from, tag, comm, &request);
  return PMPI_Wait(&request, status);
}

int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                  void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                  MPI_Status* status) {
  MPI_Request receive = MPI_REQUEST_NULL;
  MPI_Request send = MPI_REQUEST_NULL;
  PMPI_Irecv(in, in_count, in_type, from, in_tag, comm, &receive);
  PMPI_Isend(out, out_count, out_type, to, out_tag, comm, &send);
  PMPI_Wait(&send, MPI_STATUS_IGNORE);
  return PMPI_Wait(&receive, status);
}

int PMPI_Iprobe(int, int, MPI_Comm, int*, MPI_Status*) { return MPI_ERR_TYPE; }

int PMPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count) {
  *count = status->bytes / size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Op_commutative(MPI_Op op, int* commutes) {
  *commutes = op == kComposes ? 0 : 1;
  return MPI_SUCCESS;
}

int PMPI_Reduce_local(const void* lower, void* inout, int count, MPI_Datatype type, MPI_Op op) {
  fold(static_cast<std::size_t>(count) * static_cast<std::size_t>(size_of(type)));
  if (op == kSums) {
    const auto* from = static_cast<const std::uint64_t*>(lower);
    auto* to = static_cast<std::uint64_t*>(inout);
    for (int i = 0; i < count; ++i) to[i] += from[i];
    return MPI_SUCCESS;
  }
  if (op == kJoins) {
    const auto* from = static_cast<const std::uint64_t*>(lower);
    auto* to = static_cast<std::uint64_t*>(inout);
    for (int i = 0; i < count; ++i) to[i] = joined(from[i], to[i]);
    return MPI_SUCCESS;
  }
  const auto* first = static_cast<const Map*>(lower);
  auto* then = static_cast<Map*>(inout);
  for (int i = 0; i < count; ++i)
    then[i] = {first[i].a * then[i].a, first[i].b * then[i].a + then[i].b};
  return MPI_SUCCESS;
}

int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size) {
  *size = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent) {
  *lb = 0;
  *extent = size_of(type);
  return MPI_SUCCESS;
}

int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent) {
  return PMPI_Type_get_extent(type, lb, extent);
}

int PMPI_Type_get_envelope(MPI_Datatype, int* integers, int* addresses, int* types, int* combiner) {
  *integers = *addresses = *types = 0;
  *combiner = MPI_COMBINER_NAMED;
  return MPI_SUCCESS;
}

int PMPI_Get_address(const void*, MPI_Aint*) { return MPI_ERR_TYPE; }
int PMPI_Type_create_hindexed(int, const int*, const MPI_Aint*, MPI_Datatype, MPI_Datatype*) {
  return MPI_ERR_TYPE;
}
int PMPI_Type_commit(MPI_Datatype*) { return MPI_ERR_TYPE; }
int PMPI_Type_free(MPI_Datatype*) { return MPI_ERR_TYPE; }
int PMPI_Pack(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm) { return MPI_ERR_TYPE; }
int PMPI_Unpack(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm) { return MPI_ERR_TYPE; }
