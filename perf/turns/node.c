/* SPDX-License-Identifier: BSD-3-Clause */
/* node COLLECTIVE[,...] BYTES...: calls as the program makes them, which libcolltree carries out,
 * and calls of the MPI library itself (PMPI), in turns in one job. A line "COLLECTIVE BYTES
 * LIBRARY_NS OURS_NS RATIO" each, medians over rounds of a fifth of a millisecond: who begins takes
 * turns too, and a ratio is of two neighbours, so that both have the same cores. Behind them the
 * limits of the machine in this job: "line NS", the way of a cache line between two ranks, and
 * "copy GB/S", of 4 MiB on one. turns.py starts it. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 201, kMostCalls = 1000, kPings = 20000, kCopies = 50, kCopy = 4 << 20 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(double* values, int count) {
  qsort(values, (size_t)count, sizeof values[0], compare);
  return values[count / 2];
}

#define CALLS(Name, prefix)                                                       \
  static void Name(const char* name, char* in, char* out, int bytes) {            \
    MPI_Comm comm = MPI_COMM_WORLD;                                               \
    if (strcmp(name, "barrier") == 0) prefix##_Barrier(comm);                     \
    if (strcmp(name, "bcast") == 0) prefix##_Bcast(in, bytes, MPI_BYTE, 0, comm); \
    if (strcmp(name, "reduce") == 0)                                              \
      prefix##_Reduce(in, out, bytes / 4, MPI_INT, MPI_SUM, 0, comm);             \
    if (strcmp(name, "allreduce") == 0)                                           \
      prefix##_Allreduce(in, out, bytes / 4, MPI_INT, MPI_SUM, comm);             \
  }
CALLS(ours, MPI)
CALLS(library, PMPI)

typedef void Call(const char*, char*, char*, int);

/* From a common start to the last rank's end. */
static double batch_ns(Call* call, const char* name, char* in, char* out, int bytes, int calls) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(name, in, out, bytes);
  PMPI_Barrier(MPI_COMM_WORLD);
  double ns = (MPI_Wtime() - begin) / calls * 1e9;
  PMPI_Allreduce(MPI_IN_PLACE, &ns, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return ns;
}

static void measure(const char* name, int bytes, int rank) {
  char *in = calloc(1, (size_t)bytes + 4), *out = calloc(1, (size_t)bytes + 4);
  double took[2][kRounds], ratios[kRounds];
  Call* const calls_of[2] = {library, ours};
  int calls = kMostCalls;
  for (int side = 0; side < 2; ++side) {
    batch_ns(calls_of[side], name, in, out, bytes, 3);
    const double once_ns = batch_ns(calls_of[side], name, in, out, bytes, 20);
    const int fit = (int)(2e5 / once_ns) + 1;
    calls = fit < calls ? fit : calls;
  }
  for (int i = 0; i < kRounds; ++i) {
    for (int turn = 0; turn < 2; ++turn) {
      const int side = (i + turn) % 2;
      took[side][i] = batch_ns(calls_of[side], name, in, out, bytes, calls);
    }
    ratios[i] = took[1][i] / took[0][i];
  }
  if (rank == 0)
    printf("%s %d %.1f %.1f %.3f\n", name, bytes, median(took[0], kRounds),
           median(took[1], kRounds), median(ratios, kRounds));
  free(in);
  free(out);
}

static void measure_limits(int rank, int ranks) {
  MPI_Win window;
  _Atomic int* ball;
  MPI_Aint size;
  int unit;
  MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &ball, &window);
  MPI_Win_shared_query(window, 0, &size, &unit, &ball);
  if (rank == 0) atomic_store(ball, 0);
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; ranks > 1 && rank < 2 && i < kPings; ++i) {
    while (atomic_load_explicit(ball, memory_order_acquire) != 2 * i + rank) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    atomic_store_explicit(ball, 2 * i + rank + 1, memory_order_release);
  }
  if (rank == 0) printf("line %.1f\n", (MPI_Wtime() - begin) / kPings / 2 * 1e9);
  PMPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_free(&window);
  if (rank != 0) return;
  char *from = malloc(kCopy), *to = malloc(kCopy);
  memset(from, 1, kCopy);
  memset(to, 2, kCopy);
  const double copying = MPI_Wtime();
  for (int i = 0; i < kCopies; ++i) memcpy(to, from + i % 2, kCopy - 1);
  printf("copy %.2f\n", 1e-9 * kCopies * kCopy / (MPI_Wtime() - copying) * (to[5] == 1));
  free(from);
  free(to);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (char* name = strtok(argv[1], ","); name != NULL; name = strtok(NULL, ","))
    for (int i = 2; i < argc; ++i) {
      measure(name, strcmp(name, "barrier") == 0 ? 0 : atoi(argv[i]), rank);
      if (strcmp(name, "barrier") == 0) break;
    }
  measure_limits(rank, ranks);
  MPI_Finalize();
  return 0;
}
