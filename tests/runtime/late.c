/* SPDX-License-Identifier: BSD-3-Clause */
/* late RANK MICROSECONDS CALLS: rank RANK comes so much later than the others to each of CALLS
 * allreduces and as many broadcasts, half of them from another line. Prints the time in collectives
 * and that of waiting for it, in microseconds of all ranks, as it knows them itself. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int rank, late;
static long late_us;
static double spent_us[2]; /* in collectives, and there until the late rank came */

static void come(void) {
  struct timespec t = {late_us / 1000000, late_us % 1000000 * 1000};
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == late) nanosleep(&t, NULL);
}

/* Its own sum of times, without the barriers: by the clock of one machine. */
static void account(double begin_us) {
  const double end_us = now_us();
  double arrived_us = begin_us;
  PMPI_Bcast(&arrived_us, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
  spent_us[0] += end_us - begin_us;
  if (arrived_us > begin_us) spent_us[1] += arrived_us - begin_us;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  late = atoi(argv[1]);
  late_us = atol(argv[2]);
  const int calls = atoi(argv[3]);
  double in = 1, out = 0, sum_us[2];
  for (int i = 0; i < calls; ++i) {
    double begin_us;
    come();
    begin_us = now_us();
    if (i % 2 == 0)
      MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else
      MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    account(begin_us);
    come();
    begin_us = now_us();
    MPI_Bcast(&in, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
    account(begin_us);
  }
  PMPI_Reduce(spent_us, sum_us, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f %.0f\n", sum_us[0], sum_us[1]);
  MPI_Finalize();
  return 0;
}
