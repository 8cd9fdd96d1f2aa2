/* SPDX-License-Identifier: BSD-3-Clause */
/* waiting PATTERN STEPS RANK MICROSECONDS: the collectives of a stencil, of CG or of an FFT, STEPS
 * times, with computing between them. In every step rank RANK sleeps so long before a collective.
 * Prints, as the program itself saw it: the microseconds of the loop, the time of all ranks in
 * collectives and that until the last rank came, on one machine (docs/results/programs.md). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostCalls = 400000, kBlock = 512 };

static int rank, size, late, calls;
static long late_us;
static double *begins, *ends;
static double small[2], sums[2], *out, *in;
static MPI_Comm rows;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static void compute(void) {
  for (int turn = 0; turn < 4; ++turn)
    for (int i = 0; i < size * kBlock; ++i) out[i] = 0.5 * out[i] + 1;
}

static void oversleep(void) {
  struct timespec t = {late_us / 1000000, late_us % 1000000 * 1000};
  if (rank == late && late_us > 0) nanosleep(&t, NULL);
}

#define CALL(function, ...)      \
  do {                           \
    begins[calls] = now_us();    \
    MPI_##function(__VA_ARGS__); \
    ends[calls++] = now_us();    \
  } while (0)

static void stencil(void) {
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
  MPI_Sendrecv(out, kBlock, MPI_DOUBLE, up, 0, in, kBlock, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  compute();
  oversleep();
  CALL(Allreduce, small, sums, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

static void cg(void) {
  CALL(Allgather, out, kBlock, MPI_DOUBLE, in, kBlock, MPI_DOUBLE, MPI_COMM_WORLD);
  compute();
  oversleep();
  CALL(Allreduce, small, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  compute();
  CALL(Allreduce, small, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void fft(void) {
  compute();
  oversleep();
  CALL(Alltoall, out, kBlock, MPI_DOUBLE, in, kBlock, MPI_DOUBLE, rows);
  compute();
  CALL(Alltoall, out, kBlock, MPI_DOUBLE, in, kBlock, MPI_DOUBLE, rows);
  CALL(Bcast, small, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

/* The sums over all ranks and calls; a call's arrivals by the clock of the machine. In a broadcast
 * the root is waited for, which every third call of the FFT is. */
static void account(int is_fft, double spent_us[2]) {
  double* last = malloc(sizeof(double) * (size_t)calls);
  double mine[2] = {0, 0};
  for (int i = 0; i < calls; ++i) last[i] = is_fft && i % 3 == 2 && rank != 0 ? 0 : begins[i];
  PMPI_Allreduce(MPI_IN_PLACE, last, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i) {
    const double took = ends[i] - begins[i], waited = last[i] - begins[i];
    mine[0] += took;
    mine[1] += waited < 0 ? 0 : waited < took ? waited : took;
  }
  PMPI_Reduce(mine, spent_us, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  free(last);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 5) return 2;
  void (*step)(void) = strcmp(argv[1], "cg") == 0    ? cg
                       : strcmp(argv[1], "fft") == 0 ? fft
                                                     : stencil;
  const int steps = atoi(argv[2]);
  late = atoi(argv[3]);
  late_us = atol(argv[4]);
  begins = malloc(sizeof(double) * kMostCalls);
  ends = malloc(sizeof(double) * kMostCalls);
  out = calloc((size_t)size * kBlock, sizeof(double));
  in = calloc((size_t)size * kBlock, sizeof(double));
  PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &rows);
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin_us = now_us();
  for (int i = 0; i < steps && calls + 3 < kMostCalls; ++i) step();
  PMPI_Barrier(MPI_COMM_WORLD);
  const double took_us = now_us() - begin_us;
  double spent_us[2] = {0, 0};
  account(step == fft, spent_us);
  if (rank == 0) printf("%.0f %.0f %.0f\n", took_us, spent_us[0], spent_us[1]);
  MPI_Finalize();
  return 0;
}
