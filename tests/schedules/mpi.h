// SPDX-License-Identifier: BSD-3-Clause
// Not an MPI library: the part of <mpi.h> that libs/mpi/algorithms uses, carried out by ranks that
// are fibers of one thread (ranks.cpp). So the very code of the algorithms runs with hundreds of
// ranks in a moment, every send waits for its receive, and what does not end is a deadlock for
// certain.
#pragma once

#include <cstddef>
#include <cstdint>

using MPI_Aint = std::intptr_t;
using MPI_Count = long long;
using MPI_Comm = int;
using MPI_Op = int;
using MPI_Info = int;
using MPI_Datatype = int;  // its low byte is its size: all types are without holes
struct Transfer;
using MPI_Request = Transfer*;
struct MPI_Status {
  int bytes;
};

inline constexpr int MPI_SUCCESS = 0;
inline constexpr int MPI_ERR_ARG = 1;
inline constexpr int MPI_ERR_NO_MEM = 2;
inline constexpr int MPI_ERR_TYPE = 3;
inline constexpr int MPI_ERR_TRUNCATE = 4;
inline constexpr int MPI_ERR_INTERN = 5;
inline constexpr int MPI_ERR_OTHER = 6;
inline constexpr int MPI_PROC_NULL = -1;
inline constexpr int MPI_UNDEFINED = -2;
inline constexpr int MPI_COMBINER_NAMED = 1;
inline constexpr MPI_Comm MPI_COMM_NULL = 0;
inline constexpr MPI_Comm MPI_COMM_WORLD = 1;
inline constexpr MPI_Datatype MPI_DATATYPE_NULL = 0;
inline constexpr MPI_Datatype MPI_BYTE = 0x101;
inline constexpr MPI_Datatype MPI_CHAR = 0x201;
inline constexpr MPI_Datatype MPI_INT = 0x304;
inline constexpr MPI_Datatype MPI_INT32_T = 0x404;
inline constexpr MPI_Datatype MPI_FLOAT = 0x504;
inline constexpr MPI_Datatype MPI_DOUBLE = 0x608;
inline constexpr MPI_Datatype MPI_INT64_T = 0x708;
inline constexpr MPI_Datatype MPI_UINT64_T = 0x808;
inline constexpr MPI_Op MPI_OP_NULL = 0;
inline constexpr MPI_Op MPI_SUM = -1;  // no call has one of these
inline constexpr MPI_Op MPI_MAX = -2;
inline constexpr MPI_Op MPI_MIN = -3;
inline constexpr MPI_Op MPI_PROD = -4;
#define MPI_IN_PLACE (reinterpret_cast<void*>(-1))
#define MPI_BOTTOM (static_cast<void*>(nullptr))
#define MPI_REQUEST_NULL (static_cast<MPI_Request>(nullptr))
#define MPI_STATUS_IGNORE (static_cast<MPI_Status*>(nullptr))
#define MPI_STATUSES_IGNORE (static_cast<MPI_Status*>(nullptr))

int PMPI_Comm_rank(MPI_Comm comm, int* rank);
int PMPI_Comm_size(MPI_Comm comm, int* size);
int PMPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int PMPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Status* status);
int PMPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag,
                  void* in, int in_count, MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm,
                  MPI_Status* status);
int PMPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request);
int PMPI_Issend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                MPI_Request* request);
int PMPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
               MPI_Request* request);
int PMPI_Wait(MPI_Request* request, MPI_Status* status);
int PMPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int PMPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int PMPI_Cancel(MPI_Request* request);
int PMPI_Iprobe(int from, int tag, MPI_Comm comm, int* found, MPI_Status* status);
int PMPI_Get_count(const MPI_Status* status, MPI_Datatype type, int* count);
int PMPI_Op_commutative(MPI_Op op, int* commutes);
int PMPI_Reduce_local(const void* lower, void* inout, int count, MPI_Datatype type, MPI_Op op);
int PMPI_Type_size_x(MPI_Datatype type, MPI_Count* size);
int PMPI_Type_get_extent(MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent);
int PMPI_Type_get_true_extent(MPI_Datatype type, MPI_Aint* lb, MPI_Aint* extent);
int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types,
                           int* combiner);
int PMPI_Get_address(const void* at, MPI_Aint* address);
int PMPI_Type_create_hindexed(int count, const int* lengths, const MPI_Aint* displacements,
                              MPI_Datatype type, MPI_Datatype* made);
int PMPI_Type_commit(MPI_Datatype* type);
int PMPI_Type_free(MPI_Datatype* type);
int PMPI_Pack(const void* in, int count, MPI_Datatype type, void* out, int size, int* position,
              MPI_Comm comm);
int PMPI_Unpack(const void* in, int size, int* position, void* out, int count, MPI_Datatype type,
                MPI_Comm comm);

// The library's own collectives: named in collective_call.cpp, called by no test.
#define COLLTREE_NO_COLLECTIVE(name)                    \
  inline int MPI_##name(...) { return MPI_ERR_INTERN; } \
  inline int PMPI_##name(...) { return MPI_ERR_INTERN; }
COLLTREE_NO_COLLECTIVE(Allgather)
COLLTREE_NO_COLLECTIVE(Allgatherv)
COLLTREE_NO_COLLECTIVE(Allreduce)
COLLTREE_NO_COLLECTIVE(Alltoall)
COLLTREE_NO_COLLECTIVE(Alltoallv)
COLLTREE_NO_COLLECTIVE(Barrier)
COLLTREE_NO_COLLECTIVE(Bcast)
COLLTREE_NO_COLLECTIVE(Exscan)
COLLTREE_NO_COLLECTIVE(Gather)
COLLTREE_NO_COLLECTIVE(Gatherv)
COLLTREE_NO_COLLECTIVE(Reduce)
COLLTREE_NO_COLLECTIVE(Reduce_scatter)
COLLTREE_NO_COLLECTIVE(Reduce_scatter_block)
COLLTREE_NO_COLLECTIVE(Scan)
COLLTREE_NO_COLLECTIVE(Scatter)
COLLTREE_NO_COLLECTIVE(Scatterv)
#undef COLLTREE_NO_COLLECTIVE
