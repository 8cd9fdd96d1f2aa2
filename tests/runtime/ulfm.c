/* SPDX-License-Identifier: BSD-3-Clause */
/* ulfm COLLECTIVE: a rank is killed before its part in a collective; the others get an error,
 * revoke, shrink and go on. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#endif

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

static int call(const char* what, char* a, char* b, int count, MPI_Comm comm) {
  if (strcmp(what, "bcast") == 0) return MPI_Bcast(a, count, MPI_BYTE, 0, comm);
  if (strcmp(what, "reduce") == 0) return MPI_Reduce(a, b, count, MPI_BYTE, MPI_BOR, 0, comm);
  if (strcmp(what, "allreduce") == 0) return MPI_Allreduce(a, b, count, MPI_BYTE, MPI_BOR, comm);
  if (strcmp(what, "allgather") == 0)
    return MPI_Allgather(a, count, MPI_BYTE, b, count, MPI_BYTE, comm);
  if (strcmp(what, "alltoall") == 0)
    return MPI_Alltoall(a, count, MPI_BYTE, b, count, MPI_BYTE, comm);
  if (strcmp(what, "scan") == 0) return MPI_Scan(a, b, count, MPI_BYTE, MPI_BOR, comm);
  return MPI_Barrier(comm);
}

int main(int argc, char** argv) {
  MPI_Comm comm, left;
  int rank, size, now, all = 1;
  const int count = 20000;
  const char* what = argc > 1 ? argv[1] : "barrier";
  if (strcmp(what, "have") == 0) return 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (argc > 2)
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  else
    comm = MPI_COMM_WORLD;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  char* a = calloc((size_t)size, (size_t)count);
  char* b = calloc((size_t)size, (size_t)count);
  if (call(what, a, b, count, comm) != MPI_SUCCESS) printf("first call failed\n"), all = 0;
  PMPI_Barrier(comm);
  if (rank == size / 2) raise(SIGKILL);
  int rc = MPI_SUCCESS;
  for (int i = 0; i < 100 && rc == MPI_SUCCESS; ++i) rc = call(what, a, b, count, comm);
  int class = MPI_SUCCESS;
  MPI_Error_class(rc, &class);
  if (class != MPIX_ERR_PROC_FAILED && class != MPIX_ERR_REVOKED &&
      class != MPIX_ERR_PROC_FAILED_PENDING)
    printf("rank %d: class %d\n", rank, class), all = 0;
  MPIX_Comm_revoke(comm);
  MPIX_Comm_shrink(comm, &left);
  MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
  MPI_Comm_size(left, &now);
  if (now != size - 1) printf("%d left\n", now), all = 0;
  for (int i = 0; i < 5; ++i)
    if (call(what, a, b, count, left) != MPI_SUCCESS)
      printf("rank %d: fails after shrink\n", rank), all = 0;
  MPIX_Comm_agree(left, &all);
  MPI_Comm_rank(left, &rank);
  if (rank == 0 && all) printf("ok\n");
  fflush(stdout);
  _exit(0); /* Open MPI 5.0.7 waits in MPI_Finalize for the lost rank, with or without us */
}
#else
int main(void) { return 77; }
#endif
