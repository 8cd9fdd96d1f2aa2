/* SPDX-License-Identifier: BSD-3-Clause */
/* known_calls LIBRARY: calls that repeat, which our methods carry out, and between them calls that
 * differ in one argument, or in what a handle stands for. The model (run.sh, case left) leaves
 * messages of at most 64 bytes to the MPI library, whose PMPI functions this program stands in
 * front of. At the end rank 1 loads LIBRARY, which has the name of a device runtime. Ends with
 * "ok". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 64 };  // doubles: 512 bytes, which our methods carry out

static int rank, size, wrong;
static double in[kCount], out[kCount];
static int passed;  // calls with `out` that came to the MPI library

static void check(int right, const char* what) {
  if (right) return;
  printf("rank %d: wrong: %s\n", rank, what);
  wrong = 1;
}

#define COUNTED(Name, parameters, arguments)                                       \
  int PMPI_##Name parameters {                                                     \
    int(*library) parameters = (int(*) parameters)dlsym(RTLD_NEXT, "PMPI_" #Name); \
    passed += receive == out;                                                      \
    return library arguments;                                                      \
  }
COUNTED(Bcast, (void* receive, int count, MPI_Datatype type, int root, MPI_Comm comm),
        (receive, count, type, root, comm))
COUNTED(Reduce,
        (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, int root,
         MPI_Comm comm),
        (send, receive, count, type, op, root, comm))
COUNTED(Allreduce,
        (const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (send, receive, count, type, op, comm))

static void fill(double* buffer, int number) {
  for (int i = 0; i < kCount; ++i) buffer[i] = number + i;
}

/* The call came to the MPI library `left` times, and `doubles` of `out` are `slope * i + from`. */
static void expect(const char* what, int left, int doubles, double slope, double from) {
  char text[100];
  snprintf(text, sizeof text, "%s went to %s", what, left ? "a method of ours" : "the library");
  check(passed == left, text);
  passed = 0;
  for (int i = 0; i < doubles; ++i) {
    if (out[i] == slope * i + from) continue;
    check(0, what);
    break;
  }
}

static void bcast(const char* what, int count, MPI_Datatype type, int doubles, int root, int left,
                  MPI_Comm comm) {
  static int number;
  int here;
  MPI_Comm_rank(comm, &here);
  ++number;
  fill(out, here == root ? number : -1);
  MPI_Bcast(out, count, type, root, comm);
  expect(what, left, doubles, 1, number);
}

static void sum(const char* what, int count, int in_place, int left, MPI_Comm comm) {
  int here, ranks;
  MPI_Comm_rank(comm, &here);
  MPI_Comm_size(comm, &ranks);
  fill(in_place ? out : in, here);
  MPI_Allreduce(in_place ? MPI_IN_PLACE : in, out, count, MPI_DOUBLE, MPI_SUM, comm);
  expect(what, left, count, ranks, ranks * (ranks - 1) / 2);
}

static void sum_at(const char* what, int root, int in_place, MPI_Comm comm) {
  int here, ranks;
  MPI_Comm_rank(comm, &here);
  MPI_Comm_size(comm, &ranks);
  const int is_root = here == root;
  fill(in, here), fill(out, here);
  MPI_Reduce(in_place && is_root ? MPI_IN_PLACE : in, is_root ? out : NULL, kCount, MPI_DOUBLE,
             MPI_SUM, root, comm);
  expect(what, 0, is_root ? kCount : 0, ranks, ranks * (ranks - 1) / 2);
}

static void repeat(MPI_Comm comm) {
  for (int i = 0; i < 3; ++i) {
    bcast("bcast", kCount, MPI_DOUBLE, kCount, 0, 0, comm);
    sum("allreduce", kCount, 0, 0, comm);
    sum_at("reduce", 0, 0, comm);
    MPI_Barrier(comm);
  }
}

static void sizes_and_roots(MPI_Comm comm) {
  bcast("bcast of fewer", 8, MPI_DOUBLE, 8, 0, 1, comm);
  repeat(comm);
  bcast("bcast of another type", kCount, MPI_BYTE, kCount / 8, 0, 1, comm);
  repeat(comm);
  bcast("bcast of another root", kCount, MPI_DOUBLE, kCount, 1, 0, comm);
  sum("allreduce of fewer", 8, 0, 1, comm);
  repeat(comm);
  sum("allreduce in place", kCount, 1, 0, comm);
  sum_at("reduce to another root", 1, 0, comm);
  sum_at("reduce in place", 1, 1, comm);
  repeat(comm);
}

/* The MPI library judges it, on all ranks alike. */
static void refused(const char* what, int rc) {
  check(rc != MPI_SUCCESS, what);
  passed = 0;
}

static void illegal(MPI_Comm comm) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* where Open MPI raises some */
  refused("root too high", MPI_Bcast(out, kCount, MPI_DOUBLE, size, comm));
  refused("root below 0", MPI_Bcast(out, kCount, MPI_DOUBLE, -1, comm));
#ifdef MPICH /* each of a buffer that it refuses itself */
  refused("bcast without buffer", MPI_Bcast(NULL, kCount, MPI_DOUBLE, 0, comm));
#else
  refused("bcast in place", MPI_Bcast(MPI_IN_PLACE, kCount, MPI_DOUBLE, 0, comm));
#endif
  repeat(comm);
  refused("to no place", MPI_Allreduce(in, MPI_IN_PLACE, kCount, MPI_DOUBLE, MPI_SUM, comm));
  refused("reduce root", MPI_Reduce(in, out, kCount, MPI_DOUBLE, MPI_SUM, size, comm));
  repeat(comm);
  /* One buffer for both sides: as the library takes it. */
  if (PMPI_Allreduce(out, out, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF) != MPI_SUCCESS)
    refused("one buffer", MPI_Allreduce(out, out, kCount, MPI_DOUBLE, MPI_SUM, comm));
  passed = 0;
  repeat(comm);
}

/* Of the lowest rank: its order matters. */
static void keep_first(void* lower, void* upper, int* count, MPI_Datatype* type) {
  (void)type;
  memcpy(upper, lower, (size_t)*count * sizeof(double));
}
static void add(void* lower, void* upper, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)upper)[i] += ((double*)lower)[i];
}

static void operations(MPI_Comm comm) {
  MPI_Op commutes, ordered;
  for (int i = 0; i < 3; ++i) {
    fill(in, rank);
    MPI_Allreduce(in, out, kCount, MPI_DOUBLE, MPI_MAX, comm);
    expect("maximum", 0, kCount, 1, size - 1);
    repeat(comm);
    MPI_Op_create(add, 1, &commutes);
    for (int n = 0; n < 3; ++n) {
      fill(in, rank);
      MPI_Allreduce(in, out, kCount, MPI_DOUBLE, commutes, comm);
      expect("sum of ours", 0, kCount, size, size * (size - 1) / 2);
    }
    MPI_Op_free(&commutes);
    MPI_Op_create(keep_first, 0, &ordered); /* it may have the other's handle */
    fill(in, rank);
    MPI_Allreduce(in, out, kCount, MPI_DOUBLE, ordered, comm);
    expect("an order that matters", 0, kCount, 1, 0);
    MPI_Op_free(&ordered);
    repeat(comm);
  }
}

static void types(MPI_Comm comm) {
  MPI_Datatype large, small;
  for (int i = 0; i < 3; ++i) {
    MPI_Type_contiguous(kCount, MPI_DOUBLE, &large);
    MPI_Type_commit(&large);
    for (int n = 0; n < 3; ++n) bcast("bcast of a type", 1, large, kCount, 0, 0, comm);
    MPI_Type_free(&large);
    MPI_Type_contiguous(8, MPI_DOUBLE, &small); /* it may have the other's handle */
    MPI_Type_commit(&small);
    bcast("bcast of a smaller type", 1, small, 8, 0, 1, comm);
    MPI_Type_free(&small);
  }
}

static void communicators(void) {
  for (int i = 0; i < 8; ++i) {
    MPI_Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, i % 4 == 3 ? rank / 2 : 0, i % 2 == 0 ? rank : -rank, &made);
    repeat(made);
    MPI_Comm_free(&made);
  }
}

/* All ranks look for one at the 1st, 2nd, 4th ... call of a method of ours. */
static void devices(const char* library) {
  MPI_Comm made;
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  repeat(made);
  check(rank != 1 || dlopen(library, RTLD_NOW) != NULL, library);
  for (int i = 0; i < 16; ++i) MPI_Allreduce(in, out, kCount, MPI_DOUBLE, MPI_SUM, made);
  passed = 0;
  sum("allreduce beside a device", kCount, 0, 1, made);
  MPI_Comm_free(&made);
}

int main(int argc, char** argv) {
  MPI_Comm comm;
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  repeat(comm);
  sizes_and_roots(comm);
  illegal(comm);
  operations(comm);
  types(comm);
  communicators();
  devices(argv[1]);
  PMPI_Reduce(&wrong, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("ok\n");
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return wrong;
}
