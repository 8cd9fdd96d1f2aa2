/* SPDX-License-Identifier: BSD-3-Clause */
/* overhead: what a collective call costs through MPI_NAME more than through PMPI_NAME, in one
 * process and in turns. Run it under the runtime library (docs/results/programs.md), on two ranks:
 *
 *   colltree run --methods bcast=default,... -- mpirun -n 2 overhead        every call left to MPI
 *   mpirun -n 2 overhead                                                  without it: about 0
 *
 * Prints the medians over the rounds of rank 0, in nanoseconds a call. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kCalls = 2000, kRounds = 101 };

static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static char in[64], out[64];

#define BATCH(call, took)                  \
  do {                                     \
    const double begin = now_ns();         \
    for (int i = 0; i < kCalls; ++i) call; \
    took = (now_ns() - begin) / kCalls;    \
  } while (0)

#define MEASURE(name, arguments)                                                     \
  do {                                                                               \
    static double plain[kRounds], ours[kRounds], more[kRounds];                      \
    for (int round = 0; round < kRounds; ++round) {                                  \
      BATCH(PMPI_##name arguments, plain[round]);                                    \
      BATCH(MPI_##name arguments, ours[round]);                                      \
      more[round] = ours[round] - plain[round];                                      \
    }                                                                                \
    qsort(plain, kRounds, sizeof plain[0], compare);                                 \
    qsort(ours, kRounds, sizeof ours[0], compare);                                   \
    qsort(more, kRounds, sizeof more[0], compare);                                   \
    if (rank == 0)                                                                   \
      printf("%-22s %6d ranks %9.1f %9.1f %9.1f\n", #name, size, plain[kRounds / 2], \
             ours[kRounds / 2], more[kRounds / 2]);                                  \
  } while (0)

static void measure(MPI_Comm comm) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  MEASURE(Bcast, (in, 8, MPI_BYTE, 0, comm));
  MEASURE(Allreduce, (in, out, 1, MPI_DOUBLE, MPI_SUM, comm));
  MEASURE(Alltoall, (in, 4, MPI_BYTE, out, 4, MPI_BYTE, comm));
  MEASURE(Barrier, (comm));
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    printf("%-22s %12s %9s %9s %9s\n", "8 bytes, ns a call", "", "PMPI_", "MPI_", "more");
  measure(MPI_COMM_WORLD);
  if (rank == 0) measure(MPI_COMM_SELF);
  MPI_Finalize();
  return 0;
}
