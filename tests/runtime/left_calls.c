/* SPDX-License-Identifier: BSD-3-Clause */
/* left_calls CALLS: four collectives of at most 8 bytes, each CALLS times. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  char in[16] = "", out[16];
  double number = 1, sum;
  MPI_Init(&argc, &argv);
  for (int n = atoi(argv[1]); n > 0; n--) {
    MPI_Bcast(in, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&number, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Alltoall(in, 4, MPI_BYTE, out, 4, MPI_BYTE, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return MPI_Finalize();
}
