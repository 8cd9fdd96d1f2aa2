// SPDX-License-Identifier: BSD-3-Clause
// What a program in C calls.
#include "runtime/pmpi/perform.h"

extern "C" {

#define COLLTREE_COLLECTIVE(Name, name, parameters, arguments, call) \
  int MPI_##Name parameters { return colltree::entry::Name arguments; }
#include "runtime/pmpi/collectives.def"
#undef COLLTREE_COLLECTIVE

int MPI_Init(int* argc, char*** argv) {
  const int rc = PMPI_Init(argc, argv);
  if (rc == MPI_SUCCESS) colltree::begin_job();
  return rc;
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  const int rc = PMPI_Init_thread(argc, argv, required, provided);
  if (rc == MPI_SUCCESS) colltree::begin_job();
  return rc;
}

int MPI_Comm_free(MPI_Comm* comm) { return colltree::entry::Comm_free(comm); }

int MPI_Comm_disconnect(MPI_Comm* comm) { return colltree::entry::Comm_disconnect(comm); }

int MPI_Abort(MPI_Comm comm, int code) {
  colltree::abort_job();
  return PMPI_Abort(comm, code);
}

}  // extern "C"
