// SPDX-License-Identifier: BSD-3-Clause
// witness COLLECTIVE BYTES...: one call for each size, as colltree counts it (docs/glossary.md).
// The result of a call with an operation depends on the order in which the library folds the ranks'
// values; rank 0 prints "BYTES ORDER" for each call, ORDER a number that stands for the results and
// the folding steps of all ranks, 0 where nothing is folded.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostRanks = 64 };
static int ranks, rank, counts[kMostRanks], offsets[kMostRanks];
static uint64_t folded;

static uint64_t mix(uint64_t hash, uint64_t value) { return (hash ^ value) * 1099511628211U; }

// Commutative for the library, but neither that nor associative.
static void fold(void* in, void* inout, int* count, MPI_Datatype* type) {
  const unsigned char* a = in;
  unsigned char* b = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) b[i] = (unsigned char)(a[i] * 5 + b[i] * 3 + 1);
  folded = mix(folded, (uint64_t)*count);
}

// Equal blocks, except that the first ranks have one byte more where `total` cannot be cut.
static void cut(long total) {
  for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
    counts[i] = (int)(total / ranks + (i < total % ranks));
    offsets[i] = at;
  }
}

static int call(const char* what, char* a, char* b, long m, MPI_Op op) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const MPI_Datatype byte = MPI_BYTE;
  const int n = (int)m;
  cut(strcmp(what, "reduce_scatter") == 0 ? m : m * ranks);
#define IS(name) if (strcmp(what, name) == 0)
  IS("allreduce") return MPI_Allreduce(a, b, n, byte, op, world);
  IS("reduce") return MPI_Reduce(a, b, n, byte, op, 0, world);
  IS("reduce_scatter") return MPI_Reduce_scatter(a, b, counts, byte, op, world);
  IS("reduce_scatter_block") return MPI_Reduce_scatter_block(a, b, n, byte, op, world);
  IS("bcast") return MPI_Bcast(a, n, byte, 0, world);
  IS("allgather") return MPI_Allgather(a, n, byte, b, n, byte, world);
  IS("allgatherv") return MPI_Allgatherv(a, n, byte, b, counts, offsets, byte, world);
  IS("alltoall") return MPI_Alltoall(a, n, byte, b, n, byte, world);
  IS("alltoallv") return MPI_Alltoallv(a, counts, offsets, byte, b, counts, offsets, byte, world);
  IS("gather") return MPI_Gather(a, n, byte, b, n, byte, 0, world);
  IS("gatherv") return MPI_Gatherv(a, n, byte, b, counts, offsets, byte, 0, world);
  IS("scatter") return MPI_Scatter(a, n, byte, b, n, byte, 0, world);
  IS("scatterv") return MPI_Scatterv(a, counts, offsets, byte, b, n, byte, 0, world);
  IS("barrier") return MPI_Barrier(world);
  return MPI_ERR_OTHER;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Op op;
  MPI_Op_create(fold, 1, &op);
  for (int i = 2; i < argc; ++i) {
    const long m = atol(argv[i]);
    const size_t all = (size_t)m * (size_t)ranks + 1;
    char *a = malloc(all), *b = calloc(all, 1);
    for (size_t j = 0; j < all; ++j) a[j] = (char)(j * 7 + (size_t)rank * 31);
    folded = 0;
    if (call(argv[1], a, b, m, op) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
    uint64_t mine = folded, theirs[kMostRanks], order = 0;
    for (size_t j = 0; folded != 0 && j < all; ++j) mine = mix(mine, (unsigned char)b[j]);
    // Not by a collective: it would be looked up in the same rules.
    MPI_Request sent;
    MPI_Isend(&mine, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD, &sent);
    for (int j = 0; rank == 0 && j < ranks; ++j)
      MPI_Recv(&theirs[j], 1, MPI_UINT64_T, j, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
    int folds = 0;
    for (int j = 0; rank == 0 && j < ranks; ++j) {
      order = mix(order, theirs[j]);
      folds += theirs[j] != 0;
    }
    if (rank == 0) printf("%ld %llu\n", m, folds == 0 ? 0ULL : (unsigned long long)order);
    free(a);
    free(b);
  }
  MPI_Op_free(&op);
  MPI_Finalize();
  return 0;
}
