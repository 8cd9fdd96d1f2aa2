/* SPDX-License-Identifier: BSD-3-Clause */
/* ulfm COLLECTIVE RANK MESSAGE [FLAG...]: this rank is killed when it posts this message, counted
 * from 1, of a collective that all call again and again (0: before its call). The other ranks get
 * an error that says so, revoke, shrink and continue by a method of ours with the right results.
 * Flags:
 *   dup     the communicator is a duplicate of MPI_COMM_WORLD
 *   first   none of them was called before
 *   small   messages that are sent without waiting for the receiver
 *   agree   nobody revokes: the ranks agree on what happened and shrink
 *   revoke  the rank does not die: it revokes the communicator instead of calling the collective
 *   memory  ranks share memory, where they yield instead of sending: a yield counts as a message
 *   whole   rank 0 makes this memory */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#endif

#ifdef OMPI_HAVE_MPI_EXT_FTMPI

/* The runtime library's messages pass here: the dynamic linker finds an executable's functions
 * first. */
static long posted, last = -1; /* the rank dies when it posts this one */
static int memory = 0;
static long made = 0; /* memory to share */

static void* post(const char* function) {
  if (++posted == last) raise(SIGKILL);
  return dlsym(RTLD_NEXT, function);
}

#define MESSAGE(function, parameters, arguments)                        \
  int function parameters {                                             \
    int(*next) parameters = (int(*) parameters)(size_t)post(#function); \
    return next arguments;                                              \
  }

MESSAGE(PMPI_Send, (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c),
        (b, n, t, to, tag, c))
MESSAGE(PMPI_Recv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status* s),
        (b, n, t, from, tag, c, s))
MESSAGE(PMPI_Isend,
        (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r),
        (b, n, t, to, tag, c, r))
MESSAGE(PMPI_Issend,
        (const void* b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, MPI_Request* r),
        (b, n, t, to, tag, c, r))
MESSAGE(PMPI_Irecv, (void* b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Request* r),
        (b, n, t, from, tag, c, r))
MESSAGE(PMPI_Sendrecv,
        (const void* a, int m, MPI_Datatype u, int to, int tag, void* b, int n, MPI_Datatype t,
         int from, int tag2, MPI_Comm c, MPI_Status* s),
        (a, m, u, to, tag, b, n, t, from, tag2, c, s))

/* Of ours alone: Open MPI 5.0.11 breaks if a rank is lost while it makes a communicator. */
int sched_yield(void) {
  Dl_info from;
  const int is_ours = memory && dladdr(__builtin_return_address(0), &from) != 0 &&
                      strstr(from.dli_fname, "libcolltree") != NULL;
  int (*next)(void) =
      (int (*)(void))(size_t)(is_ours ? post("sched_yield") : dlsym(RTLD_NEXT, "sched_yield"));
  return next();
}

int memfd_create(const char* name, unsigned flags) {
  int (*next)(const char*, unsigned) = (int (*)(const char*, unsigned))(size_t)post("memfd_create");
  ++made;
  return next(name, flags);
}

/* `in` and `out`: as many blocks of `n` bytes as there are ranks. */
#define CASE(name) else if (strcmp(what, #name) == 0)
#define CALL(function, P)                                                                 \
  static int function(const char* what, char* in, char* out, int n, MPI_Comm c) {         \
    int counts[64], at[64], size;                                                         \
    MPI_Comm_size(c, &size);                                                              \
    for (int i = 0; i < size; ++i) counts[i] = n, at[i] = i * n;                          \
    if (strcmp(what, "barrier") == 0) return P##Barrier(c);                               \
    CASE(bcast) {                                                                         \
      memcpy(out, in, (size_t)n);                                                         \
      return P##Bcast(out, n, MPI_BYTE, 0, c);                                            \
    }                                                                                     \
    CASE(reduce) return P##Reduce(in, out, n, MPI_BYTE, MPI_BOR, 0, c);                   \
    CASE(allreduce) return P##Allreduce(in, out, n, MPI_BYTE, MPI_BOR, c);                \
    CASE(scan) return P##Scan(in, out, n, MPI_BYTE, MPI_BOR, c);                          \
    CASE(exscan) return P##Exscan(in, out, n, MPI_BYTE, MPI_BOR, c);                      \
    CASE(reduce_scatter) return P##Reduce_scatter(in, out, counts, MPI_BYTE, MPI_BOR, c); \
    CASE(reduce_scatter_block)                                                            \
    return P##Reduce_scatter_block(in, out, n, MPI_BYTE, MPI_BOR, c);                     \
    CASE(gather) return P##Gather(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, c);               \
    CASE(scatter) return P##Scatter(in, n, MPI_BYTE, out, n, MPI_BYTE, 0, c);             \
    CASE(allgather) return P##Allgather(in, n, MPI_BYTE, out, n, MPI_BYTE, c);            \
    CASE(allgatherv) return P##Allgatherv(in, n, MPI_BYTE, out, counts, at, MPI_BYTE, c); \
    CASE(alltoall) return P##Alltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, c);              \
    CASE(alltoallv)                                                                       \
    return P##Alltoallv(in, counts, at, MPI_BYTE, out, counts, at, MPI_BYTE, c);          \
    return MPI_ERR_ARG;                                                                   \
  }
CALL(call, MPI_)
CALL(call_library, PMPI_)

static int all = 1; /* whether everything was as it must be */
static int rank;

static void check(int good, const char* what, int value) {
  if (good) return;
  printf("rank %d: %s: %d\n", rank, what, value);
  all = 0;
}

/* A call and its result. */
static void check_call(const char* what, char* in, int n, MPI_Comm comm) {
  int size, now;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &now);
  const size_t bytes = (size_t)size * (size_t)n;
  char* out = calloc(1, bytes);
  char* right = calloc(1, bytes);
  const long before = posted;
  const int rc = call(what, in, out, n, comm);
  check(rc == MPI_SUCCESS, "a call fails", rc);
  check(memory || posted > before, "not by a method of ours", size);
  if (rc == MPI_SUCCESS) call_library(what, in, right, n, comm);
  if (now != 0 || strcmp(what, "exscan") != 0)
    check(memcmp(out, right, bytes) == 0, "a wrong result", size);
  free(out);
  free(right);
}

int main(int argc, char** argv) {
  if (argc < 4) return 0; /* there is ULFM */
  const char* what = argv[1];
  const int lost = atoi(argv[2]), message = atoi(argv[3]);
  int dup = 0, first = 0, small = 0, agree = 0, revoke = 0, whole = 0;
  for (int i = 4; i < argc; ++i) {
    dup |= strcmp(argv[i], "dup") == 0;
    first |= strcmp(argv[i], "first") == 0;
    small |= strcmp(argv[i], "small") == 0;
    agree |= strcmp(argv[i], "agree") == 0;
    revoke |= strcmp(argv[i], "revoke") == 0;
    memory |= strcmp(argv[i], "memory") == 0;
    whole |= strcmp(argv[i], "whole") == 0;
  }
  MPI_Comm comm = MPI_COMM_WORLD, left;
  int size, now, class = MPI_SUCCESS, rc = MPI_SUCCESS;
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (dup) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int n = small ? 100 : 20000;
  char* in = malloc((size_t)(size * n));
  char* out = malloc((size_t)(size * n));
  for (int i = 0; i < size * n; ++i) in[i] = (char)((i + 1) * (rank + 3));

  if (!first) check_call(what, in, n, comm);
  PMPI_Barrier(comm);
  if (rank == lost && message > 0) last = posted + message;
  if (rank == lost && message == 0) {
    if (!revoke) raise(SIGKILL);
    MPIX_Comm_revoke(comm);
  }
  while (rc == MPI_SUCCESS) rc = call(what, in, out, n, comm);
  MPI_Error_class(rc, &class);
  check(class == (revoke ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED) ||
            (class == MPIX_ERR_REVOKED && !agree),
        "class", class);
  if (agree)
    MPIX_Comm_agree(comm, &all);
  else
    MPIX_Comm_revoke(comm);
  MPIX_Comm_shrink(comm, &left);
  MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN);
  MPI_Comm_size(left, &now);
  check(now == size - !revoke, "ranks left", now);
  made = 0;
  for (int i = 0; i < 3; ++i) check_call(what, in, n, left);
  MPI_Comm_rank(left, &now);
  check(!whole || now != 0 || made > 0, "no memory of ours", now);
  MPIX_Comm_agree(left, &all);
  rank = now;
  if (rank == 0 && all) printf("ok\n");
  fflush(stdout);
  _exit(0); /* Open MPI 5.0.7 waits in MPI_Finalize for the lost rank, with or without us */
}
#else
int main(void) { return 77; }
#endif
