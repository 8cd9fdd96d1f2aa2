/* SPDX-License-Identifier: BSD-3-Clause */
/* many_calls CALLS BYTES: this number of calls of three collectives, as in the loops of OSU. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  int size;
  const int calls = atoi(argv[1]), bytes = atoi(argv[2]);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char* in = calloc((size_t)size, (size_t)bytes);
  char* out = calloc((size_t)size, (size_t)bytes);
  for (int i = 0; i < calls; ++i) {
    MPI_Allreduce(in, out, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
  }
  free(in);
  free(out);
  return MPI_Finalize();
}
