/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload: says of the ranks of a job on one machine that they are on two nodes in turn, so that
 * the runtime library and the measuring program run what knows the nodes. With FAKE_CLOCK the
 * second node's clock is five seconds ahead, and gains a second in ten thousand. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

int PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  int rank = 0;
  (void)type, (void)info;
  PMPI_Comm_rank(comm, &rank);
  return PMPI_Comm_split(comm, rank % 2, key, made);
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return PMPI_Comm_split_type(comm, type, key, info, made);
}

static int is_on_second_node(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (rank == NULL) rank = getenv("PMI_RANK");
  return getenv("FAKE_CLOCK") != NULL && rank != NULL && atoi(rank) % 2 == 1;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*real)(clockid_t, struct timespec*);
  static int is_ahead = -1;
  static long long first;
  if (real == NULL) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  if (is_ahead < 0) is_ahead = is_on_second_node();
  const int rc = real(clock, time);
  if (is_ahead == 0 || clock != CLOCK_MONOTONIC) return rc;
  const long long now = time->tv_sec * 1000000000LL + time->tv_nsec;
  if (first == 0) first = now;
  const long long shown = now + 5000000000LL + (now - first) / 10000;
  time->tv_sec = shown / 1000000000;
  time->tv_nsec = shown % 1000000000;
  return rc;
}
