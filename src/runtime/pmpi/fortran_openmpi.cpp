// SPDX-License-Identifier: BSD-3-Clause
// What a program in Fortran calls under Open MPI, whose own Fortran functions call PMPI_ and so
// pass by c_functions.cpp. (MPICH's call MPI_: defining these there would count calls twice.)
#include <mpi.h>

#ifdef OPEN_MPI

#include "runtime/pmpi/perform.h"

// Addresses that stand for MPI_BOTTOM and MPI_IN_PLACE; from libmpi.
extern "C" {
extern int mpi_fortran_bottom_ __attribute__((weak));
extern int mpi_fortran_in_place_ __attribute__((weak));
}

namespace {

static_assert(sizeof(MPI_Fint) == sizeof(int), "counts of Fortran are passed on as they are");

void* buffer_of(void* address) {
  if (address == &mpi_fortran_bottom_) return MPI_BOTTOM;
  return address == &mpi_fortran_in_place_ ? MPI_IN_PLACE : address;
}

MPI_Datatype type_of(const MPI_Fint* type) { return PMPI_Type_f2c(*type); }
MPI_Comm comm_of(const MPI_Fint* comm) { return PMPI_Comm_f2c(*comm); }
MPI_Op op_of(const MPI_Fint* op) { return PMPI_Op_f2c(*op); }

int free_by(int (*function)(MPI_Comm*), MPI_Fint* comm) {
  MPI_Comm handle = comm_of(comm);
  const int rc = function(&handle);
  if (rc == MPI_SUCCESS) *comm = PMPI_Comm_c2f(handle);
  return rc;
}

// mpi_f08 may leave the error code out.
void give(MPI_Fint* error, int rc) {
  if (error != nullptr) *error = rc;
}

}  // namespace

#define COLLTREE_NAMED(symbol, name, parameters) \
  void symbol parameters __attribute__((alias("colltree_fortran_" #name)));

// The names that compilers make of MPI_NAME, and the one of mpi_f08.
#define COLLTREE_FORTRAN(name, NAME, parameters, call)           \
  void colltree_fortran_##name parameters { give(error, call); } \
  COLLTREE_NAMED(mpi_##name, name, parameters)                   \
  COLLTREE_NAMED(mpi_##name##_, name, parameters)                \
  COLLTREE_NAMED(mpi_##name##__, name, parameters)               \
  COLLTREE_NAMED(MPI_##NAME, name, parameters)                   \
  COLLTREE_NAMED(mpi_##name##_f08_, name, parameters)

namespace entry = colltree::entry;
using Fint = MPI_Fint;

extern "C" {

COLLTREE_FORTRAN(allgather, ALLGATHER,
                 (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
                  Fint* receive_type, Fint* comm, Fint* error),
                 entry::Allgather(buffer_of(send), *send_count, type_of(send_type),
                                  buffer_of(receive), *receive_count, type_of(receive_type),
                                  comm_of(comm)))

COLLTREE_FORTRAN(allgatherv, ALLGATHERV,
                 (void* send, Fint* send_count, Fint* send_type, void* receive,
                  Fint* receive_counts, Fint* displacements, Fint* receive_type, Fint* comm,
                  Fint* error),
                 entry::Allgatherv(buffer_of(send), *send_count, type_of(send_type),
                                   buffer_of(receive), receive_counts, displacements,
                                   type_of(receive_type), comm_of(comm)))

COLLTREE_FORTRAN(allreduce, ALLREDUCE,
                 (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* comm,
                  Fint* error),
                 entry::Allreduce(buffer_of(send), buffer_of(receive), *count, type_of(type),
                                  op_of(op), comm_of(comm)))

COLLTREE_FORTRAN(alltoall, ALLTOALL,
                 (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
                  Fint* receive_type, Fint* comm, Fint* error),
                 entry::Alltoall(buffer_of(send), *send_count, type_of(send_type),
                                 buffer_of(receive), *receive_count, type_of(receive_type),
                                 comm_of(comm)))

COLLTREE_FORTRAN(alltoallv, ALLTOALLV,
                 (void* send, Fint* send_counts, Fint* send_displacements, Fint* send_type,
                  void* receive, Fint* receive_counts, Fint* receive_displacements,
                  Fint* receive_type, Fint* comm, Fint* error),
                 entry::Alltoallv(buffer_of(send), send_counts, send_displacements,
                                  type_of(send_type), buffer_of(receive), receive_counts,
                                  receive_displacements, type_of(receive_type), comm_of(comm)))

COLLTREE_FORTRAN(barrier, BARRIER, (Fint * comm, Fint* error), entry::Barrier(comm_of(comm)))

COLLTREE_FORTRAN(bcast, BCAST,
                 (void* buffer, Fint* count, Fint* type, Fint* root, Fint* comm, Fint* error),
                 entry::Bcast(buffer_of(buffer), *count, type_of(type), *root, comm_of(comm)))

COLLTREE_FORTRAN(exscan, EXSCAN,
                 (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* comm,
                  Fint* error),
                 entry::Exscan(buffer_of(send), buffer_of(receive), *count, type_of(type),
                               op_of(op), comm_of(comm)))

COLLTREE_FORTRAN(gather, GATHER,
                 (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
                  Fint* receive_type, Fint* root, Fint* comm, Fint* error),
                 entry::Gather(buffer_of(send), *send_count, type_of(send_type), buffer_of(receive),
                               *receive_count, type_of(receive_type), *root, comm_of(comm)))

COLLTREE_FORTRAN(reduce, REDUCE,
                 (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* root,
                  Fint* comm, Fint* error),
                 entry::Reduce(buffer_of(send), buffer_of(receive), *count, type_of(type),
                               op_of(op), *root, comm_of(comm)))

COLLTREE_FORTRAN(reduce_scatter, REDUCE_SCATTER,
                 (void* send, void* receive, Fint* receive_counts, Fint* type, Fint* op, Fint* comm,
                  Fint* error),
                 entry::Reduce_scatter(buffer_of(send), buffer_of(receive), receive_counts,
                                       type_of(type), op_of(op), comm_of(comm)))

COLLTREE_FORTRAN(reduce_scatter_block, REDUCE_SCATTER_BLOCK,
                 (void* send, void* receive, Fint* receive_count, Fint* type, Fint* op, Fint* comm,
                  Fint* error),
                 entry::Reduce_scatter_block(buffer_of(send), buffer_of(receive), *receive_count,
                                             type_of(type), op_of(op), comm_of(comm)))

COLLTREE_FORTRAN(scan, SCAN,
                 (void* send, void* receive, Fint* count, Fint* type, Fint* op, Fint* comm,
                  Fint* error),
                 entry::Scan(buffer_of(send), buffer_of(receive), *count, type_of(type), op_of(op),
                             comm_of(comm)))

COLLTREE_FORTRAN(scatter, SCATTER,
                 (void* send, Fint* send_count, Fint* send_type, void* receive, Fint* receive_count,
                  Fint* receive_type, Fint* root, Fint* comm, Fint* error),
                 entry::Scatter(buffer_of(send), *send_count, type_of(send_type),
                                buffer_of(receive), *receive_count, type_of(receive_type), *root,
                                comm_of(comm)))

COLLTREE_FORTRAN(init, INIT, (Fint * error), MPI_Init(nullptr, nullptr))
COLLTREE_FORTRAN(init_thread, INIT_THREAD, (Fint * required, Fint* provided, Fint* error),
                 MPI_Init_thread(nullptr, nullptr, *required, provided))
COLLTREE_FORTRAN(comm_free, COMM_FREE, (Fint * comm, Fint* error),
                 free_by(colltree::entry::Comm_free, comm))
COLLTREE_FORTRAN(comm_disconnect, COMM_DISCONNECT, (Fint * comm, Fint* error),
                 free_by(colltree::entry::Comm_disconnect, comm))
COLLTREE_FORTRAN(abort, ABORT, (Fint * comm, Fint* code, Fint* error),
                 MPI_Abort(comm_of(comm), *code))

}  // extern "C"

#endif  // OPEN_MPI
