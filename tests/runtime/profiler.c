/* SPDX-License-Identifier: BSD-3-Clause */
/* A profiler as users preload it: it stands in front of MPI_Init, a collective and another
 * function, and says that it saw them. */
#include <mpi.h>
#include <stdio.h>

static int seen[3];

int MPI_Init(int* argc, char*** argv) {
  seen[0]++;
  return PMPI_Init(argc, argv);
}
int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  seen[1]++;
  return PMPI_Bcast(buffer, count, type, root, comm);
}
int MPI_Finalize(void) {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) fprintf(stderr, "profiler: init %d, bcast %d\n", seen[0], seen[1]);
  return PMPI_Finalize();
}
