// SPDX-License-Identifier: BSD-3-Clause
// Correct programs that naive rules break, one a word on the command line:
//   reduce allreduce reduce_scatter   an operation that is not commutative
//   gather                            MPI_IN_PLACE at the root
//   scatter                           null arguments at ranks that are no root
//   bcast                             one message, described by different counts and types
//   allgather                         MPI_IN_PLACE with other ignored arguments on each rank
//   allgatherv                        blocks described by different counts and types
// Each for several message sizes. Prints "ok" and ends with 0 when all results are right.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

int rank = 0;
int ranks = 0;
int wrong = 0;

// Affine maps x -> a x + b modulo 2^32 under composition: associative, not commutative.
struct Affine {
  std::uint32_t a, b;
};

void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* left = static_cast<Affine*>(in);
  auto* right = static_cast<Affine*>(inout);
  for (int i = 0; i < *count; ++i) {
    right[i] = {left[i].a * right[i].a, left[i].a * right[i].b + left[i].b};
  }
}

Affine value_of(int owner, int index) {
  return {static_cast<std::uint32_t>(2 * owner + 3),
          static_cast<std::uint32_t>(index + 7 * owner + 1)};
}

Affine expected(int index) {
  Affine result = value_of(ranks - 1, index);
  for (int owner = ranks - 1; owner-- > 0;) {
    const Affine left = value_of(owner, index);
    result = {left.a * result.a, left.a * result.b + left.b};
  }
  return result;
}

void check(bool right) { wrong += right ? 0 : 1; }

void check_range(const std::vector<Affine>& got, int first, int count) {
  for (int i = 0; i < count; ++i) {
    const Affine want = expected(first + i);
    check(got[i].a == want.a && got[i].b == want.b);
  }
}

void reductions(const char* which, int count) {
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
  MPI_Type_commit(&pair);
  MPI_Op op;
  MPI_Op_create(compose, 0, &op);
  const int all = count * ranks;
  std::vector<Affine> in(all), out(all);
  for (int i = 0; i < all; ++i) in[i] = value_of(rank, i);
  if (std::strcmp(which, "reduce") == 0) {
    MPI_Reduce(in.data(), out.data(), all, pair, op, 0, MPI_COMM_WORLD);
    if (rank == 0) check_range(out, 0, all);
  } else if (std::strcmp(which, "allreduce") == 0) {
    MPI_Allreduce(in.data(), out.data(), all, pair, op, MPI_COMM_WORLD);
    check_range(out, 0, all);
  } else {
    const std::vector<int> counts(ranks, count);
    MPI_Reduce_scatter(in.data(), out.data(), counts.data(), pair, op, MPI_COMM_WORLD);
    check_range(out, rank * count, count);
  }
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
}

void gather(int count) {
  std::vector<int> all(count * ranks, -1), own(count, rank);
  if (rank == 0) std::memcpy(all.data(), own.data(), count * sizeof(int));
  if (rank == 0) {
    MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < count * ranks; ++i) check(all[i] == i / count);
  } else {
    MPI_Gather(own.data(), count, MPI_INT, nullptr, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
  }
}

void scatter(int count) {
  std::vector<int> all(count * ranks), own(count, -1);
  for (int i = 0; i < count * ranks; ++i) all[i] = i / count;
  if (rank == 0) {
    MPI_Scatter(all.data(), count, MPI_INT, own.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Scatter(nullptr, 0, MPI_DATATYPE_NULL, own.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  }
  for (const int value : own) check(value == rank);
}

void bcast(int count) {
  std::vector<int> data(count, -1);
  if (rank == 0) {
    for (int i = 0; i < count; ++i) data[i] = 3 * i + 1;
  }
  MPI_Datatype block;
  MPI_Type_contiguous(count, MPI_INT, &block);
  MPI_Type_commit(&block);
  if (rank % 2 == 0) {
    MPI_Bcast(data.data(), count, MPI_INT, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast(data.data(), 1, block, 0, MPI_COMM_WORLD);
  }
  MPI_Type_free(&block);
  for (int i = 0; i < count; ++i) check(data[i] == 3 * i + 1);
}

void allgather(int count) {
  std::vector<int> all(count * ranks, -1);
  for (int i = 0; i < count; ++i) all[rank * count + i] = rank;
  const int ignored_count = rank % 2 == 0 ? 1 : 100000;
  MPI_Allgather(MPI_IN_PLACE, ignored_count, MPI_INT, all.data(), count, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < count * ranks; ++i) check(all[i] == i / count);
}

void allgatherv(int count) {
  std::vector<int> all(count * ranks, -1), own(count, rank), counts(ranks), places(ranks);
  MPI_Datatype block;
  MPI_Type_contiguous(count, MPI_INT, &block);
  MPI_Type_commit(&block);
  const bool sends_block = rank % 2 == 0;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = sends_block ? count : 1;
    places[i] = i * counts[i];
  }
  MPI_Allgatherv(own.data(), sends_block ? 1 : count, sends_block ? block : MPI_INT, all.data(),
                 counts.data(), places.data(), sends_block ? MPI_INT : block, MPI_COMM_WORLD);
  MPI_Type_free(&block);
  for (int i = 0; i < count * ranks; ++i) check(all[i] == i / count);
}

void run(const char* which, int count) {
  if (std::strcmp(which, "allgather") == 0) return allgather(count);
  if (std::strcmp(which, "allgatherv") == 0) return allgatherv(count);
  if (std::strcmp(which, "gather") == 0) return gather(count);
  if (std::strcmp(which, "scatter") == 0) return scatter(count);
  if (std::strcmp(which, "bcast") == 0) return bcast(count);
  reductions(which, count);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 1; i < argc; ++i) {
    for (const int count : {1, 10, 1000, 20000}) run(argv[i], count);
  }
  int all_wrong = 0;
  MPI_Reduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf(all_wrong == 0 ? "ok\n" : "%d wrong values\n", all_wrong);
  MPI_Finalize();
  return rank == 0 && all_wrong != 0 ? 1 : 0;
}
