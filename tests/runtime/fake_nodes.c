/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload: says of the ranks of a job on one machine that they are on two nodes in turn, so that
 * the runtime library runs what knows the nodes. */
#include <mpi.h>

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  int rank = 0;
  (void)type, (void)info;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank % 2, key, made);
}
