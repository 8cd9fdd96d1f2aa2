/* SPDX-License-Identifier: BSD-3-Clause */
/* clients WORD [ROUNDS]: one legal program a word, after what real programs do (written by us; the
 * first forms of dying, bottom, many, invalid and alias are our programs delattr, bottom, many,
 * badcomm and alias, by which the defects were found). Each checks itself and ends with "ok". */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, wrong;

static void check(int right, const char* what) {
  if (right) return;
  if (wrong++ < 5) {
    printf("rank %d: %s\n", rank, what);
    fflush(stdout);
  }
}

static int sum_of_ones(MPI_Comm comm) {
  int one = 1, sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

/* --- a delete callback calls collectives on the communicator that is being freed --- */
static int deleted;
static int use_dying(MPI_Comm comm, int key, void* value, void* extra) {
  int n, me, from = 0;
  MPI_Comm made;
  (void)key, (void)value, (void)extra;
  MPI_Comm_size(comm, &n);
  MPI_Comm_rank(comm, &me);
  check(sum_of_ones(comm) == n, "allreduce of the dying");
  if (me == n - 1) from = n;
  MPI_Bcast(&from, 1, MPI_INT, n - 1, comm);
  check(from == n, "bcast of the dying");
  MPI_Comm_dup(MPI_COMM_WORLD, &made); /* may not get the handle yet */
  check(sum_of_ones(made) == size, "allreduce of a new one");
  MPI_Comm_free(&made);
  ++deleted;
  return MPI_SUCCESS;
}

static void dying(int rounds) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_dying, &key, NULL);
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm made;
    int n, me, q;
    if (i % 3 == 0)
      MPI_Comm_dup(MPI_COMM_WORLD, &made);
    else
      MPI_Comm_split(MPI_COMM_WORLD, (rank + i) % 2, i % 3 == 1 ? rank : -rank, &made);
    MPI_Comm_size(made, &n);
    MPI_Comm_rank(made, &me);
    /* Before and after ours, and where ours is not there at all. */
    if (i % 4 == 0) MPI_Comm_set_attr(made, key, NULL);
    if (i % 4 != 3) check(sum_of_ones(made) == n, "allreduce");
    q = me == 0 ? rank : -1;
    if (i % 4 != 3) MPI_Bcast(&q, 1, MPI_INT, 0, made);
    if (i % 4 != 0) MPI_Comm_set_attr(made, key, NULL);
    if (i % 2)
      MPI_Comm_free(&made);
    else
      MPI_Comm_disconnect(&made);
  }
  check(deleted == rounds, "delete callbacks");
  MPI_Comm_free_keyval(&key);
}

/* --- MPI_BOTTOM and a type of absolute addresses, in each collective that takes one --- */
static void add_pairs(void* in, void* inout, int* count, MPI_Datatype* type) {
  MPI_Aint lb, extent, true_lb, true_extent;
  MPI_Type_get_extent(*type, &lb, &extent);
  MPI_Type_get_true_extent(*type, &true_lb, &true_extent);
  for (int i = 0; i < *count; ++i) {
    char *a = (char*)in + i * extent + true_lb, *b = (char*)inout + i * extent + true_lb;
    *(int*)b += *(int*)a;
    b += true_extent - (MPI_Aint)sizeof(int);
    a += true_extent - (MPI_Aint)sizeof(int);
    *(int*)b += *(int*)a;
  }
}

static void bottom(int half) {
  const int n = 2 * half;
  int lengths[2] = {half, half}, ones[2] = {1, 1};
  int* v = malloc(sizeof(int) * (size_t)(n + 3)); /* a gap of three */
  int* all = malloc(sizeof(int) * (size_t)(n * size));
  int *counts = malloc(sizeof(int) * (size_t)size),
      *displacements = malloc(sizeof(int) * (size_t)size);
  MPI_Aint addresses[2];
  MPI_Datatype type, pair;
  MPI_Op op;
  int* second = v + half + 3;
#define AT(i) ((i) < half ? v[i] : second[(i)-half])
#define FILL(value) \
  for (int i = 0; i < n; ++i) *((i) < half ? v + i : second + i - half) = (value)
#define ALL_RIGHT(count, got, value, what) \
  for (int i = 0; i < (count); ++i)        \
    if ((got) != (value)) {                \
      check(0, what);                      \
      break;                               \
    }
  MPI_Get_address(v, &addresses[0]);
  MPI_Get_address(second, &addresses[1]);
  MPI_Type_create_hindexed(2, lengths, addresses, MPI_INT, &type);
  MPI_Type_commit(&type);
  FILL(rank * 1000 + i);
  MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  ALL_RIGHT(n, AT(i), i, "bcast");
  FILL(rank * 1000 + i);
  MPI_Gather(MPI_BOTTOM, 1, type, all, n, MPI_INT, size - 1, MPI_COMM_WORLD);
  if (rank == size - 1) ALL_RIGHT(n * size, all[i], i / n * 1000 + i % n, "gather");
  memset(all, 0, sizeof(int) * (size_t)(n * size));
  MPI_Allgather(MPI_BOTTOM, 1, type, all, n, MPI_INT, MPI_COMM_WORLD);
  ALL_RIGHT(n * size, all[i], i / n * 1000 + i % n, "allgather");
  memset(all, 0, sizeof(int) * (size_t)(n * size));
  for (int i = 0; i < size; ++i) counts[i] = n, displacements[i] = i * n;
  MPI_Allgatherv(MPI_BOTTOM, 1, type, all, counts, displacements, MPI_INT, MPI_COMM_WORLD);
  ALL_RIGHT(n * size, all[i], i / n * 1000 + i % n, "allgatherv");
  FILL(0);
  MPI_Scatter(all, n, MPI_INT, MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  ALL_RIGHT(n, AT(i), rank * 1000 + i, "scatter");
  MPI_Type_free(&type);

  addresses[1] = addresses[0] + 3 * (MPI_Aint)sizeof(int);
  MPI_Type_create_hindexed(2, ones, addresses, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_create_hindexed(2, ones, (MPI_Aint[]){0, 3 * (MPI_Aint)sizeof(int)}, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  MPI_Op_create(add_pairs, 1, &op);
  int expected = size * (size + 1) / 2;
#define SET v[0] = rank + 1, v[3] = 10 * (rank + 1)
#define RIGHT(at, what) check((at)[0] == expected && (at)[3] == 10 * expected, what)
  SET;
  MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, MPI_COMM_WORLD);
  RIGHT(v, "allreduce in place");
#ifndef OPEN_MPI /* which loses it by itself (4.1.4) */
  SET;
  MPI_Reduce(rank == 0 ? MPI_IN_PLACE : MPI_BOTTOM, MPI_BOTTOM, 1, type, op, 0, MPI_COMM_WORLD);
  if (rank == 0) RIGHT(v, "reduce");
#endif
  SET;
  MPI_Scan(MPI_IN_PLACE, MPI_BOTTOM, 1, type, op, MPI_COMM_WORLD);
  expected = (rank + 1) * (rank + 2) / 2;
  RIGHT(v, "scan");
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Type_free(&pair);
  free(v), free(all), free(counts), free(displacements);
}

/* --- many communicators at once --- */
static void many(int count) {
  MPI_Comm* made = malloc(sizeof *made * (size_t)count);
  for (int i = 0; i < count; ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &made[i]);
    check(sum_of_ones(made[i]) == size, "allreduce");
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&made[i]);
  free(made);
}

/* --- what is no communicator: the library's own error, once --- */
static int handled;
static int handled_class; /* what the call returns after a handler is 0 in MPICH 5.0.2 */
static char said[MPI_MAX_ERROR_STRING];
static void handler(MPI_Comm* comm, int* code, ...) {
  int length;
  (void)comm;
  ++handled;
  MPI_Error_class(*code, &handled_class);
  MPI_Error_string(*code, said, &length);
}

static void expect_refused(MPI_Comm comm, const char* what) {
  int x = 1;
  handled = 0;
  MPI_Bcast(&x, 1, MPI_INT, 0, comm);
  check(handled_class == MPI_ERR_COMM && handled == 1, what);
#ifdef MPICH
  check(strstr(said, "MPI_Bcast") != NULL, said);
#endif
}

static void invalid(void) {
  MPI_Errhandler own;
  MPI_Comm made, old;
  MPI_Comm_create_errhandler(handler, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
  expect_refused(MPI_COMM_NULL, "null");
#ifdef MPICH /* Open MPI follows any other pointer */
  for (int used = 0; used < 2; ++used) {
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    if (used) sum_of_ones(made);
    old = made;
    MPI_Comm_free(&made);
    expect_refused(old, "freed");
  }
  expect_refused((MPI_Comm)0x12345, "garbage");
  handled = 0;
  MPI_Comm_free(&old);
  check(handled == 1 && strstr(said, "MPI_Comm_free") != NULL, said);
#else
  (void)made, (void)old;
#endif
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&own);
}

/* --- one buffer for both sides: as the library itself takes or refuses it --- */
static void alias(void) {
  int a[64] = {0}, counts[64];
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int count = 1; count <= 4; count += 3) {
    for (int i = 0; i < size && i < 64; ++i) counts[i] = count;
      /* Of one rank, where no method of ours runs, the library says what it refuses. */
#define SAME(call, comm_call, what)                         \
  do {                                                      \
    int mine, theirs;                                       \
    MPI_Error_class(call, &mine);                           \
    MPI_Error_class(comm_call, &theirs);                    \
    if (theirs != MPI_SUCCESS) check(mine == theirs, what); \
  } while (0)
    SAME(MPI_Allreduce(a, a, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
         PMPI_Allreduce(a, a, count, MPI_INT, MPI_SUM, MPI_COMM_SELF), "allreduce");
    SAME(MPI_Scan(a, a, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
         PMPI_Scan(a, a, count, MPI_INT, MPI_SUM, MPI_COMM_SELF), "scan");
    SAME(MPI_Alltoall(a, count, MPI_INT, a, count, MPI_INT, MPI_COMM_WORLD),
         PMPI_Alltoall(a, count, MPI_INT, a, count, MPI_INT, MPI_COMM_SELF), "alltoall");
    SAME(MPI_Reduce_scatter_block(a, a, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
         PMPI_Reduce_scatter_block(a, a, count, MPI_INT, MPI_SUM, MPI_COMM_SELF),
         "reduce_scatter_block");
    SAME(MPI_Reduce_scatter(a, a, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
         PMPI_Reduce_scatter(a, a, counts, MPI_INT, MPI_SUM, MPI_COMM_SELF), "reduce_scatter");
  }
}

/* --- callbacks that MPI_Finalize calls --- */
static int at_the_end(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)value, (void)extra;
  check(sum_of_ones(MPI_COMM_WORLD) == size, "allreduce in MPI_Finalize");
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && wrong == 0) printf("ok\n");
  fflush(stdout);
  return MPI_SUCCESS;
}

static void finalize(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  MPI_Comm_free_keyval(&key);
  check(sum_of_ones(MPI_COMM_WORLD) == size, "allreduce");
  sum_of_ones(MPI_COMM_SELF);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int silent = 0;
  for (int i = 1; i < argc; ++i) {
    const char* word = argv[i];
    const int number = i + 1 < argc ? atoi(argv[i + 1]) : 0;
    if (strcmp(word, "dying") == 0) dying(number);
    if (strcmp(word, "bottom") == 0) bottom(number);
    if (strcmp(word, "many") == 0) many(number);
    if (strcmp(word, "invalid") == 0) invalid();
    if (strcmp(word, "alias") == 0) alias();
    if (strcmp(word, "finalize") == 0) finalize(), silent = 1;
  }
  int all = 0;
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && all == 0 && !silent) printf("ok\n");
  MPI_Finalize();
  return wrong != 0;
}
