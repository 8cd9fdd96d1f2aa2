/* SPDX-License-Identifier: BSD-3-Clause */
/* unseen MODE...: programs whose MPI_Init no library in front of MPI sees, and one whose MPI_Init
   only is not seen. handle LIBRARY: calls MPI by that library's handle, as Julia and ctypes do;
   sessions; none: no MPI at all; late: calls PMPI_Init, as a profiler that is linked into it would,
   and MPI_Bcast. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int by_handle(const char* library) {
  void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL) return 3;
  int (*init)(int*, char***) = (int (*)(int*, char***))dlsym(handle, "MPI_Init");
  int (*bcast)(void*, int, MPI_Datatype, int, MPI_Comm) =
      (int (*)(void*, int, MPI_Datatype, int, MPI_Comm))dlsym(handle, "MPI_Bcast");
  int (*finalize)(void) = (int (*)(void))dlsym(handle, "MPI_Finalize");
  int value = 7;
  return init(NULL, NULL) || bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD) || finalize();
}

static int by_session(void) {
#if MPI_VERSION >= 4
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int value = 7;
  return MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) ||
         MPI_Group_from_session_pset(session, "mpi://WORLD", &group) ||
         MPI_Comm_create_from_group(group, "unseen", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ||
         MPI_Bcast(&value, 1, MPI_INT, 0, comm) || MPI_Group_free(&group) || MPI_Comm_free(&comm) ||
         MPI_Session_finalize(&session);
#else
  return 77;
#endif
}

static int late(void) {
  MPI_Comm half;
  int rank = 0, value = 7;
  PMPI_Init(NULL, NULL);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  if (rank % 2 == 0)
    MPI_Bcast(&value, 1, MPI_INT, 0, half); /* before a call of all ranks: the library's own */
  MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Bcast(&value, 1, MPI_INT, 0, half);
  MPI_Comm_free(&half);
  return MPI_Finalize();
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  if (strcmp(mode, "handle") == 0) return by_handle(argv[2]);
  if (strcmp(mode, "sessions") == 0) return by_session();
  if (strcmp(mode, "late") == 0) return late();
  return 0;
}
