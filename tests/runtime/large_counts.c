/* SPDX-License-Identifier: BSD-3-Clause */
/* large_counts CALLS: MPI_Allgatherv_c, MPI_Alltoallv_c and MPI_Reduce_scatter_c, each CALLS times
   with small counts, also in place, and once where a rank's own block lies beyond the int
   displacements. CALLS 0: MPI_Allgatherv_c once, with counts that are int and whose sum is not.
   Ends with "ok"; 77: the library has no such functions. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#if MPI_VERSION >= 4
enum { kMost = 64 };
static int rank, size, wrong;
static MPI_Count counts[kMost], equal[kMost];
static MPI_Aint places[kMost], apart[kMost];

static void check(int is_right) { wrong += !is_right; }

static void allgatherv(MPI_Datatype type, int in_place, int* all) {
  int own[kMost];
  for (int i = 0; i < kMost; i++) own[i] = 100 * rank + i;
  for (int i = 0; i < size * kMost; i++) all[i] = -1;
  if (in_place)
    for (int i = 0; i < rank + 1; i++) all[places[rank] + i] = own[i];
  MPI_Allgatherv_c(in_place ? MPI_IN_PLACE : own, rank + 1, type, all, counts, places, type,
                   MPI_COMM_WORLD);
  for (int r = 0; r < size; r++)
    for (int i = 0; i < r + 1; i++) check(all[places[r] + i] == 100 * r + i);
}

/* What the ranks send is as long everywhere; at one of them it lies 3 GB from the buffer's begin.
 */
static void allgatherv_apart(void) {
  const size_t bytes = (size_t)3 << 30;
  char* far = mmap(NULL, bytes + 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (far == MAP_FAILED) exit(3);
  const char own[2] = {(char)rank, (char)(rank + 1)};
  for (int i = 0; i < size; i++)
    equal[i] = 2, apart[i] = rank == 1 && i == 1 ? (MPI_Aint)bytes : 10 * i;
  MPI_Allgatherv_c(own, 2, MPI_BYTE, far, equal, apart, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++) check(far[apart[i]] == i && far[apart[i] + 1] == i + 1);
  munmap(far, bytes + 4096);
}

/* In place: what is sent is memory that nobody wrote, but for its ends. */
static void allgatherv_of_more_than_int(void) {
  const size_t each = INT_MAX / (size_t)size + 4096;
  char* all = mmap(NULL, each * (size_t)size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED) exit(3);
  for (int i = 0; i < size; i++) equal[i] = (MPI_Count)each, apart[i] = (MPI_Aint)(i * each);
  all[apart[rank]] = all[apart[rank] + each - 1] = (char)(rank + 1);
  MPI_Allgatherv_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, equal, apart, MPI_BYTE, MPI_COMM_WORLD);
  for (int i = 0; i < size; i++)
    check(all[apart[i]] == i + 1 && all[apart[i] + 1] == 0 && all[apart[i] + each - 1] == i + 1);
  munmap(all, each * (size_t)size);
}

static void alltoallv(int in_place, int* out, int* in) {
  for (int r = 0; r < size; r++) {
    counts[r] = rank + r + 1;
    places[r] = r * kMost;
    for (int i = 0; i < counts[r]; i++)
      out[places[r] + i] = in[places[r] + i] = 1000 * rank + 10 * r + i;
  }
  MPI_Alltoallv_c(in_place ? MPI_IN_PLACE : out, counts, places, MPI_INT, in, counts, places,
                  MPI_INT, MPI_COMM_WORLD);
  for (int r = 0; r < size; r++)
    for (int i = 0; i < counts[r]; i++) check(in[places[r] + i] == 1000 * r + 10 * rank + i);
}

static void reduce_scatter(int* out, int* in) {
  for (int i = 0; i < size * size; i++) out[i] = rank + i;
  for (int r = 0; r < size; r++) counts[r] = r + 1;
  MPI_Reduce_scatter_c(out, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < rank + 1; i++)
    check(in[i] == size * (size - 1) / 2 + size * (rank * (rank + 1) / 2 + i));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* a = calloc((size_t)size * kMost, sizeof *a);
  int* b = calloc((size_t)size * kMost, sizeof *b);
  const int calls = atoi(argv[1]);
  if (calls == 0) allgatherv_of_more_than_int();
  for (int n = calls; n > 0; n--) {
    for (int r = 0; r < size; r++) counts[r] = r + 1, places[r] = (size - 1 - r) * kMost;
    allgatherv(MPI_INT, n % 2, a);
    alltoallv(n % 2, a, b);
    reduce_scatter(a, b);
  }
  if (calls > 0) allgatherv_apart();
  int all = 0;
  MPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%s\n", all == 0 ? "ok" : "wrong");
  return MPI_Finalize();
}
#else
int main(void) { return 77; }
#endif
