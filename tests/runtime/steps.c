/* SPDX-License-Identifier: BSD-3-Clause */
/* steps PATTERN STEPS RANK MICROSECONDS: the collectives of a stencil, of CG or of an FFT, or
 * (posted) those that leave a request or have neighbours, STEPS times, with computing between them.
 * In every step rank RANK sleeps so long before a collective, in `posted` before each. Prints, as
 * the program itself saw it, the microseconds of the loop, and for each kind of calls a line: the
 * time of all ranks in them and that until the last rank came, on one machine. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define BCAST_INIT MPI_Bcast_init
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define BCAST_INIT MPIX_Bcast_init
#endif
#endif

enum { kMostCalls = 400000, kBlock = 512, kRequests = 4, kFunctions = 8 };

static int rank, size, late, steps, step, calls;
static long late_us;
static const int none[4], each[4] = {1, 1, 1, 1};
static double begins[kMostCalls], ends[kMostCalls], last[kMostCalls];
static const char* kinds[kMostCalls]; /* the functions, joined by '+' */
static double small[2], sums[2], *out, *in;
static MPI_Comm rows, ring;
static MPI_Request list[kRequests], persistent = MPI_REQUEST_NULL;

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

/* The calls of a kind, and whether the others wait for this rank in them. */
#define MEASURE(kind, is_waited_for, ...)              \
  do {                                                 \
    kinds[calls] = kind;                               \
    begins[calls] = now_us();                          \
    __VA_ARGS__;                                       \
    ends[calls] = now_us();                            \
    last[calls] = (is_waited_for) ? begins[calls] : 0; \
    ++calls;                                           \
  } while (0)

static void stencil(void) {
  const int up = (rank + 1) % size, down = (rank + size - 1) % size;
  MPI_Sendrecv(out, kBlock, MPI_DOUBLE, up, 0, in, kBlock, MPI_DOUBLE, down, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  compute();
  oversleep();
  MEASURE("allreduce", 1, MPI_Allreduce(small, sums, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD));
}

static void cg(void) {
  MEASURE("allgather", 1,
          MPI_Allgather(out, kBlock, MPI_DOUBLE, in, kBlock, MPI_DOUBLE, MPI_COMM_WORLD));
  compute();
  oversleep();
  MEASURE("allreduce", 1, MPI_Allreduce(small, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
  compute();
  MEASURE("allreduce", 1, MPI_Allreduce(small, sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD));
}

static void fft(void) {
  compute();
  oversleep();
  MEASURE("alltoall", 1, MPI_Alltoall(out, kBlock, MPI_DOUBLE, in, kBlock, MPI_DOUBLE, rows));
  compute();
  MEASURE("alltoall", 1, MPI_Alltoall(out, kBlock, MPI_DOUBLE, in, kBlock, MPI_DOUBLE, rows));
  MEASURE("bcast", rank == 0, MPI_Bcast(small, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD));
}

/* Completes the first requests of the list by each of the functions that do so. */
static void complete(int count, int function) {
  MPI_Status statuses[kRequests];
  int indices[kRequests], done = 0, flag = 0, some = 0;
  if (function == 1) MPI_Waitall(count, list, statuses);
  if (function == 5)
    while (!flag) MPI_Testall(count, list, &flag, statuses);
  for (int i = 0; i < count && function % 4 == 0; ++i) {
    if (function == 0) MPI_Wait(&list[i], statuses);
    for (flag = 0; !flag && function == 4;) MPI_Test(&list[i], &flag, statuses);
  }
  for (; done < count && function % 4 > 1; done += some) {
    if (function == 2) MPI_Waitany(count, list, indices, statuses);
    if (function == 3) MPI_Waitsome(count, list, &some, indices, statuses);
    if (function == 6) MPI_Testany(count, list, indices, &some, statuses);
    if (function == 7) MPI_Testsome(count, list, &some, indices, statuses);
    if (function == 2) some = 1;
  }
}

static void come(void) {
  PMPI_Barrier(MPI_COMM_WORLD);
  compute();
  oversleep();
}

/* Between two tests time passes in the program. */
static void posted(void) {
  const int function = step % kFunctions, is_waited_for = function < 4;
  come();
  MEASURE("iallreduce", is_waited_for,
          MPI_Iallreduce(small, sums, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, list);
          complete(1, function));
  come();
  MPI_Irecv(&in[1], 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &list[0]);
  MPI_Isend(small, 1, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, &list[1]);
  MEASURE("ialltoall+ibarrier", is_waited_for,
          MPI_Ialltoall(out, 1, MPI_DOUBLE, &in[2], 1, MPI_DOUBLE, MPI_COMM_WORLD, &list[2]);
          MPI_Ibarrier(MPI_COMM_WORLD, &list[3]); complete(4, function));
  come();
  MEASURE("neighbor_allgather", size < 4, /* all are neighbours */
          MPI_Neighbor_allgather(small, 1, MPI_DOUBLE, in, 1, MPI_DOUBLE, ring));
  come();
  MEASURE("scatterv", rank == late,
          MPI_Scatterv(out, each, none, MPI_DOUBLE, in, 1, MPI_DOUBLE, late, MPI_COMM_WORLD));
#ifdef BCAST_INIT
  come();
  if (step == 0) BCAST_INIT(small, 1, MPI_DOUBLE, late, MPI_COMM_WORLD, MPI_INFO_NULL, &persistent);
  /* MPI_Testall of MPICH 4.0.2 fails for persistent collectives. */
  MEASURE("bcast_init", is_waited_for && rank == late, MPI_Start(&persistent); list[0] = persistent;
          complete(1, function == 5 ? 4 : function));
  if (step == steps - 1) MPI_Request_free(&persistent);
#endif
  /* No time of a collective, though requests may have the handles of those before. */
  come();
  MPI_Irecv(in, 1, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &list[0]);
  MPI_Isend(small, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &list[1]);
  complete(2, function);
}

/* The sums over all ranks and calls of the kind of the first, which are taken out; arrivals by the
 * clock of the machine. */
static void account(const char* kind, int first) {
  double mine[2] = {0, 0}, all[2];
  for (int i = first; i < calls; ++i) {
    const double took = ends[i] - begins[i], waited = last[i] - begins[i];
    if (kinds[i] == NULL || strcmp(kind, kinds[i]) != 0) continue;
    mine[0] += took;
    mine[1] += waited < 0 ? 0 : waited < took ? waited : took;
    kinds[i] = NULL;
  }
  PMPI_Reduce(mine, all, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s %.3f %.3f\n", kind, all[0], all[1]);
}

int main(int argc, char** argv) {
  int periodic = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 5) return 2;
  void (*pattern)(void) = strcmp(argv[1], "cg") == 0       ? cg
                          : strcmp(argv[1], "fft") == 0    ? fft
                          : strcmp(argv[1], "posted") == 0 ? posted
                                                           : stencil;
  steps = atoi(argv[2]);
  late = atoi(argv[3]);
  late_us = atol(argv[4]);
  out = calloc((size_t)size * kBlock, sizeof(double));
  in = calloc((size_t)size * kBlock, sizeof(double));
  PMPI_Comm_split(MPI_COMM_WORLD, 0, rank, &rows);
  PMPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin_us = now_us();
  for (; step < steps && calls + 4 < kMostCalls; ++step) pattern();
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%.0f\n", now_us() - begin_us);
  PMPI_Allreduce(MPI_IN_PLACE, last, calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i < calls; ++i)
    if (kinds[i] != NULL) account(kinds[i], i);
  MPI_Finalize();
  return 0;
}
