/* SPDX-License-Identifier: BSD-3-Clause */
/* many_calls CALLS BYTES...: loops over collectives, like those of OSU, and their mean times in us.
   Where the variables MANY_CALLS_SLEEPS=1 and MANY_CALLS_SLEEP_MS are both set, rank 0 comes that
   late to each allreduce. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, sleep_ms;
static char *in, *out;

static void allreduce(int bytes) {
  if (rank == 0 && sleep_ms > 0) usleep(1000U * (unsigned)sleep_ms);
  MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}
static void bcast(int bytes) { MPI_Bcast(in, bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void reduce(int bytes) { MPI_Reduce(in, out, bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD); }
static void allgather(int bytes) {
  MPI_Allgather(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(int bytes) {
  MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, MPI_COMM_WORLD);
}

static const struct {
  const char* name;
  void (*call)(int bytes);
} kLoops[] = {{"allreduce", allreduce},
              {"bcast", bcast},
              {"reduce", reduce},
              {"allgather", allgather},
              {"alltoall", alltoall}};

int main(int argc, char** argv) {
  int size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const char* milliseconds = getenv("MANY_CALLS_SLEEP_MS");
  if (getenv("MANY_CALLS_SLEEPS") && milliseconds) sleep_ms = atoi(milliseconds);
  for (int i = 2; i < argc; ++i) {
    const int calls = atoi(argv[1]), bytes = atoi(argv[i]);
    in = calloc((size_t)size, (size_t)bytes);
    out = calloc((size_t)size, (size_t)bytes);
    for (size_t k = 0; k < sizeof kLoops / sizeof *kLoops; ++k) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      for (int n = 0; n < calls; ++n) kLoops[k].call(bytes);
      const double mean_us = 1e6 * (MPI_Wtime() - begin) / calls;
      if (rank == 0) printf("%s %d %.3f\n", kLoops[k].name, bytes, mean_us);
    }
    free(in);
    free(out);
  }
  return MPI_Finalize();
}
