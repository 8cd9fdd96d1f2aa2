/* SPDX-License-Identifier: BSD-3-Clause */
/* A preload before the runtime library: counts what a Fortran program calls, by the C library's
 * rules of linking alone, and passes it on. At mpi_finalize_ each rank appends to
 * $COUNT_CALLS_FILE: "collective calls". The independent count that a record is compared with. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* clang-format off */
#define COLLECTIVES(X) \
  X(allgather) X(allgatherv) X(allreduce) X(alltoall) X(alltoallv) \
  X(barrier) X(bcast) X(exscan) X(gather) X(reduce) \
  X(reduce_scatter) X(reduce_scatter_block) X(scan) X(scatter)
/* clang-format on */

/* Every argument of a Fortran function is an address. */
typedef void Any(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);

#define COUNT(name)                                                                          \
  static long count_##name;                                                                  \
  void mpi_##name##_(void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, \
                     void* i, void* j) {                                                     \
    static Any* next;                                                                        \
    if (next == NULL) next = (Any*)dlsym(RTLD_NEXT, "mpi_" #name "_");                       \
    ++count_##name;                                                                          \
    next(a, b, c, d, e, f, g, h, i, j);                                                      \
  }
COLLECTIVES(COUNT)

#define PRINT(name) \
  if (count_##name != 0) length += sprintf(text + length, #name " %ld\n", count_##name);

void mpi_finalize_(void* error) {
  void (*next)(void*) = (void (*)(void*))dlsym(RTLD_NEXT, "mpi_finalize_");
  char text[1024];
  int length = 0;
  COLLECTIVES(PRINT)
  const int file = open(getenv("COUNT_CALLS_FILE"), O_WRONLY | O_CREAT | O_APPEND, 0666);
  if (write(file, text, (size_t)length) != length) abort();
  close(file);
  next(error);
}
