/* SPDX-License-Identifier: BSD-3-Clause */
/* node COLLECTIVE[,...] BYTES...: calls as the program makes them, which libcolltree carries out,
 * and calls of the MPI library itself (PMPI), in turns in one job. A line "COLLECTIVE BYTES LINE_NS
 * LIBRARY_NS OURS_NS RATIO" each, medians over rounds of a fifth of a millisecond: who begins takes
 * turns too, and a ratio is of two neighbours, so that both have the same cores. LINE_NS is the way
 * of a cache line between the first two ranks, which a virtual machine's host changes within
 * seconds by moving cores: only rounds of the cell's most common placement count. Behind them "copy
 * GB/S", of 4 MiB on one core. turns.py starts it. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 201, kMostCalls = 1000, kPings = 100, kCopies = 50, kCopy = 4 << 20 };
enum { kFewRounds = 41 }; /* more than two ranks may have to wait for a core */

static _Atomic int* ball; /* in memory of all ranks */

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

/* Of more ranks, which two cores cannot all run at once, 0. */
static double line_ns(int rank, int ranks) {
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  static int first = 0;
  for (int i = first; ranks == 2 && i < first + kPings; ++i) {
    while (atomic_load_explicit(ball, memory_order_acquire) != 2 * i + rank) {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    atomic_store_explicit(ball, 2 * i + rank + 1, memory_order_release);
  }
  first += kPings;
  return ranks == 2 ? (MPI_Wtime() - begin) / kPings / 2 * 1e9 : 0;
}

static void measure(const char* name, int bytes, int rank, int ranks) {
  char *in = calloc(1, (size_t)bytes + 4), *out = calloc(1, (size_t)bytes + 4);
  double took[2][kRounds], ratios[kRounds], lines[kRounds], sorted[kRounds];
  Call* const calls_of[2] = {library, ours};
  const int most_rounds = ranks > 2 ? kFewRounds : kRounds;
  int calls = kMostCalls, rounds = 0;
  for (int side = 0; side < 2; ++side) {
    batch_ns(calls_of[side], name, in, out, bytes, 3);
    const double once_ns = batch_ns(calls_of[side], name, in, out, bytes, 20);
    const int fit = (int)(2e5 / once_ns) + 1;
    calls = fit < calls ? fit : calls;
  }
  for (int i = 0; i < most_rounds; ++i) {
    lines[i] = sorted[i] = line_ns(rank, ranks);
    for (int turn = 0; turn < 2; ++turn) {
      const int side = (i + turn) % 2;
      took[side][i] = batch_ns(calls_of[side], name, in, out, bytes, calls);
    }
  }
  const double line = median(sorted, most_rounds);
  for (int i = 0; i < most_rounds; ++i) {
    if (lines[i] > 1.5 * line || lines[i] < line / 1.5) continue;
    took[0][rounds] = took[0][i];
    took[1][rounds] = took[1][i];
    ratios[rounds] = took[1][i] / took[0][i];
    ++rounds;
  }
  if (rank == 0)
    printf("%s %d %.1f %.1f %.1f %.3f\n", name, bytes, line, median(took[0], rounds),
           median(took[1], rounds), median(ratios, rounds));
  free(in);
  free(out);
}

static void measure_copy(void) {
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
  int rank, ranks, unit;
  MPI_Win window;
  MPI_Aint size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win_allocate_shared(rank == 0 ? 64 : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &ball, &window);
  MPI_Win_shared_query(window, 0, &size, &unit, &ball);
  if (rank == 0) atomic_store(ball, 0);
  for (char* name = strtok(argv[1], ","); name != NULL; name = strtok(NULL, ","))
    for (int i = 2; i < argc; ++i) {
      measure(name, strcmp(name, "barrier") == 0 ? 0 : atoi(argv[i]), rank, ranks);
      if (strcmp(name, "barrier") == 0) break;
    }
  MPI_Win_free(&window);
  if (rank == 0) measure_copy();
  MPI_Finalize();
  return 0;
}
