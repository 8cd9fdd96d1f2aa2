/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls every collective function that the MPI library has, each a number of times of its own, and
 * prints "function calls" for each: the count that a record is compared with. */
#include <locale.h>
#include <mpi.h>
#include <stdio.h>

#if MPI_VERSION >= 4
#define HAS_LARGE
#define HAS_PERSISTENT
#define PERSISTENT(Name) MPI_##Name##_init
#elif defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#define HAS_PERSISTENT
#define PERSISTENT(Name) MPI_##Name##_init
#elif defined(OMPI_MAJOR_VERSION)
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define HAS_PERSISTENT
#define PERSISTENT(Name) MPIX_##Name##_init
#endif
#endif

enum { kMost = 64 };
static MPI_Comm world, ring;
static int rank;
static char a[kMost], b[kMost];
static MPI_Datatype types[kMost];
static MPI_Aint addresses[kMost];

/* X(Name, nonblocking name, communicator, arguments before it): nothing is sent. */
#define OF_ALL(X, counts, places)                                                              \
  X(Allgather, Iallgather, world, (a, 0, MPI_BYTE, b, 0, MPI_BYTE, world))                     \
  X(Allgatherv, Iallgatherv, world, (a, 0, MPI_BYTE, b, counts, places, MPI_BYTE, world))      \
  X(Allreduce, Iallreduce, world, (a, b, 0, MPI_INT, MPI_SUM, world))                          \
  X(Alltoall, Ialltoall, world, (a, 0, MPI_BYTE, b, 0, MPI_BYTE, world))                       \
  X(Alltoallv, Ialltoallv, world,                                                              \
    (a, counts, places, MPI_BYTE, b, counts, places, MPI_BYTE, world))                         \
  X(Alltoallw, Ialltoallw, world, (a, counts, places, types, b, counts, places, types, world)) \
  X(Bcast, Ibcast, world, (a, 0, MPI_BYTE, 0, world))                                          \
  X(Exscan, Iexscan, world, (a, b, 0, MPI_INT, MPI_SUM, world))                                \
  X(Gather, Igather, world, (a, 0, MPI_BYTE, b, 0, MPI_BYTE, 0, world))                        \
  X(Gatherv, Igatherv, world, (a, 0, MPI_BYTE, b, counts, places, MPI_BYTE, 0, world))         \
  X(Reduce, Ireduce, world, (a, b, 0, MPI_INT, MPI_SUM, 0, world))                             \
  X(Reduce_scatter, Ireduce_scatter, world, (a, b, counts, MPI_INT, MPI_SUM, world))           \
  X(Reduce_scatter_block, Ireduce_scatter_block, world, (a, b, 0, MPI_INT, MPI_SUM, world))    \
  X(Scan, Iscan, world, (a, b, 0, MPI_INT, MPI_SUM, world))                                    \
  X(Scatter, Iscatter, world, (a, 0, MPI_BYTE, b, 0, MPI_BYTE, 0, world))                      \
  X(Scatterv, Iscatterv, world, (a, counts, places, MPI_BYTE, b, 0, MPI_BYTE, 0, world))       \
  X(Neighbor_allgather, Ineighbor_allgather, ring, (a, 0, MPI_BYTE, b, 0, MPI_BYTE, ring))     \
  X(Neighbor_allgatherv, Ineighbor_allgatherv, ring,                                           \
    (a, 0, MPI_BYTE, b, counts, places, MPI_BYTE, ring))                                       \
  X(Neighbor_alltoall, Ineighbor_alltoall, ring, (a, 0, MPI_BYTE, b, 0, MPI_BYTE, ring))       \
  X(Neighbor_alltoallv, Ineighbor_alltoallv, ring,                                             \
    (a, counts, places, MPI_BYTE, b, counts, places, MPI_BYTE, ring))                          \
  X(Neighbor_alltoallw, Ineighbor_alltoallw, ring,                                             \
    (a, counts, addresses, types, b, counts, addresses, types, ring))

#define LIST(...) __VA_ARGS__
static int times; /* of this function: one more than of the one before */

static void print(const char* name) {
  if (rank == 0) printf("%s %d\n", name, times);
}

#define CALL(function, arguments)                       \
  {                                                     \
    ++times;                                            \
    for (int i = 0; i < times; ++i) function arguments; \
    print(#function);                                   \
  }
#define START(function, ...)                 \
  {                                          \
    MPI_Request request;                     \
    ++times;                                 \
    for (int i = 0; i < times; ++i) {        \
      function(__VA_ARGS__, &request);       \
      MPI_Wait(&request, MPI_STATUS_IGNORE); \
    }                                        \
    print(#function);                        \
  }

/* Started one by one and as a list, beside persistent messages that are no collectives. */
static void start(MPI_Request request) {
  enum { kAll = 3 };
  MPI_Request all[kAll] = {request, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[kAll];
  MPI_Send_init(a, 1, MPI_BYTE, rank, 0, world, &all[1]);
  MPI_Recv_init(b, 1, MPI_BYTE, rank, 0, world, &all[2]);
  ++times;
  for (int i = 0; i < times; ++i) {
    if (i % 2)
      for (int j = 0; j < kAll; ++j) MPI_Start(&all[j]);
    else
      MPI_Startall(kAll, all);
    MPI_Waitall(kAll, all, statuses);
  }
  for (int j = 0; j < kAll; ++j) MPI_Request_free(&all[j]);
}

#define BLOCKING(Name, nonblocking, comm, arguments) CALL(MPI_##Name, arguments)
#define NONBLOCKING(Name, nonblocking, comm, arguments) START(MPI_##nonblocking, LIST arguments)
#define BLOCKING_C(Name, nonblocking, comm, arguments) CALL(MPI_##Name##_c, arguments)
#define NONBLOCKING_C(Name, nonblocking, comm, arguments) \
  START(MPI_##nonblocking##_c, LIST arguments)
#define MAKE(function, name, ...)                   \
  {                                                 \
    MPI_Request request;                            \
    function(__VA_ARGS__, MPI_INFO_NULL, &request); \
    start(request);                                 \
    print(name);                                    \
  }
#define PERSISTENT_OF(Name, nonblocking, comm, arguments) \
  MAKE(PERSISTENT(Name), "MPI_" #Name "_init", LIST arguments)
#define PERSISTENT_C(Name, nonblocking, comm, arguments) \
  MAKE(MPI_##Name##_init_c, "MPI_" #Name "_init_c", LIST arguments)

int main(int argc, char** argv) {
  static int counts[kMost], places[kMost];
  int size, periodic = 1;
  if (setlocale(LC_ALL, "") == NULL) return 3; /* as programs do that speak their user's language */
  MPI_Init(&argc, &argv);
  for (int i = 0; i < kMost; ++i) types[i] = MPI_BYTE;
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  MPI_Cart_create(world, 1, &size, &periodic, 0, &ring);

  OF_ALL(BLOCKING, counts, places)
  OF_ALL(NONBLOCKING, counts, places)
  CALL(MPI_Barrier, (world))
  START(MPI_Ibarrier, world)
#ifdef HAS_PERSISTENT
  OF_ALL(PERSISTENT_OF, counts, places)
  MAKE(PERSISTENT(Barrier), "MPI_Barrier_init", world)
#endif
#ifdef HAS_LARGE
  static MPI_Count large_counts[kMost];
  OF_ALL(BLOCKING_C, large_counts, addresses)
  OF_ALL(NONBLOCKING_C, large_counts, addresses)
  OF_ALL(PERSISTENT_C, large_counts, addresses)
#endif
  MPI_Comm_free(&ring);
  MPI_Comm_free(&world);
  MPI_Finalize();
  return 0;
}
