/* SPDX-License-Identifier: BSD-3-Clause */
/* calls COLLECTIVE[,...] BYTES...: the time of a call of these collectives at these sizes, as a
 * line "COLLECTIVE BYTES NS" each: the median over rounds, each of as many calls as take about a
 * millisecond, on rank 0. COLLECTIVE=N: N calls of it, a barrier behind each, and no time. turns.py
 * starts it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 51, kMostCalls = 2000 };

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static void call(const char* name, char* in, char* out, int bytes) {
  MPI_Comm comm = MPI_COMM_WORLD;
  if (strcmp(name, "bcast") == 0) MPI_Bcast(in, bytes, MPI_BYTE, 0, comm);
  if (strcmp(name, "reduce") == 0) MPI_Reduce(in, out, bytes / 4, MPI_INT, MPI_SUM, 0, comm);
  if (strcmp(name, "allreduce") == 0) MPI_Allreduce(in, out, bytes / 4, MPI_INT, MPI_SUM, comm);
  if (strcmp(name, "alltoall") == 0) MPI_Alltoall(in, bytes, MPI_BYTE, out, bytes, MPI_BYTE, comm);
  if (strcmp(name, "barrier") == 0) MPI_Barrier(comm);
}

static double batch_ns(const char* name, char* in, char* out, int bytes, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(name, in, out, bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  return (MPI_Wtime() - begin) / calls * 1e9;
}

static void measure(char* name, int bytes, int rank, int ranks) {
  const size_t size = (size_t)bytes * (size_t)ranks + 4;
  char *in = calloc(1, size), *out = calloc(1, size);
  double took[kRounds];
  char* count = strchr(name, '=');
  if (count != NULL) {
    *count = 0;
    for (int i = atoi(count + 1); i > 0; --i) {
      call(name, in, out, bytes);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    return;
  }
  double once_ns = batch_ns(name, in, out, bytes, 3);
  MPI_Bcast(&once_ns, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  int calls = (int)(1e6 / once_ns);
  calls = calls < 1 ? 1 : calls > kMostCalls ? kMostCalls : calls;
  const int rounds = once_ns > 2e7 ? 5 : kRounds;
  for (int i = 0; i < rounds; ++i) took[i] = batch_ns(name, in, out, bytes, calls);
  qsort(took, (size_t)rounds, sizeof took[0], compare);
  if (rank == 0) printf("%s %d %.1f\n", name, bytes, took[rounds / 2]);
  free(in);
  free(out);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (char* name = strtok(argv[1], ","); name != NULL; name = strtok(NULL, ","))
    for (int i = 2; i < argc; ++i) measure(name, atoi(argv[i]), rank, ranks);
  MPI_Finalize();
  return 0;
}
