// SPDX-License-Identifier: BSD-3-Clause
// Every portable algorithm gives what the MPI library gives, byte for byte and with nothing written
// beside the data: any segment size, root, count, type, operation, in place or not.
#include <fmt/format.h>

#include "algorithms/algorithms.h"
#include "algorithms/private_communicator.h"
#include "buffers.h"
#include "checker.h"
#include "operations.h"

namespace colltree::test {

namespace {

struct Size {
  int count;
  std::vector<std::uint64_t> segment_sizes;  // bytes, beside 0
  bool thorough;                             // every type, and up to 5 ranks every root
};

// Many ranks move many bytes in total: their largest message is smaller.
std::vector<Size> sizes_for(int ranks) {
  return {{0, {16}, true},      {1, {1}, true},
          {2, {5}, true},       {3, {24}, true},
          {7, {4, 60}, true},   {64, {24, 256}, true},
          {1000, {1024}, true}, {ranks <= 5 ? 100003 : 10007, {32768}, false}};
}

struct Job {
  Checker& checker;
  MPI_Comm comm;
  MPI_Comm private_comm;
  int rank;
  int size;
  Types types;
  Operations operations;

  Context context(int count) const {
    return {.comm = private_comm, .synchronous_every = count % 2 == 1 ? 3U : 0U};
  }
};

// Calls run(method, label) for all that the catalogue has for the collective.
template <typename Run>
void for_each_method(Collective collective, const Size& size, Run run) {
  for (const Method& one : portable_methods(collective, size.segment_sizes)) {
    PortableMethod method;
    find_method(collective, one.algorithm, *one.segment_size, &method);
    run(method, fmt::format("{} {} of {}", name(collective), one.label(), size.count));
  }
}

bool skips(const Size& size, const TypeCase& type) {
  return !size.thorough && type.name != "int" && type.name != "gaps" && type.name != "dense";
}

template <typename Run>
void for_each_root(const Job& job, const Size& size, Run run) {
  for (int root = 0; root < job.size; ++root) {
    if (root == size.count % job.size || (size.thorough && job.size <= 5)) run(root);
  }
}

Buffer filled(const TypeCase& type, std::size_t count, std::uint64_t seed) {
  Buffer buffer(type, count);
  buffer.fill(seed);
  return buffer;
}

// The oracle is computed here, from the seeds of all ranks, and the library's own result is held
// against it too. Not in the simulator, whose own collectives fail with derived types, and never in
// place: MPICH 4.0.2 then crashes (reduce of 2 KB, root not 0).
template <typename Call>
void check_library(Job& job, const Buffer& expected, Buffer initial, Call call) {
#ifndef COLLTREE_SMPI
  CHECK_MPI(job.checker, call(initial));
  CHECK(job.checker, initial == expected, "the MPI library disagrees with the test");
#else
  (void)job, (void)expected, (void)initial, (void)call;
#endif
}

void test_bcast(Job& job, const Size& size, const TypeCase& type, int root) {
  const Buffer source = filled(type, size.count, root);
  const Buffer initial = filled(type, size.count, job.rank);
  Buffer expected = initial;
  expected.set_values(0, source.values(0, size.count));
  check_library(job, expected, initial, [&](Buffer& buffer) {
    return MPI_Bcast(buffer.data(), size.count, type.type, root, job.comm);
  });
  for_each_method(
      Collective::kBcast, size, [&](const PortableMethod& method, const std::string& label) {
        Buffer buffer = initial;
        CHECK_MPI(job.checker, run(method, bcast_call(buffer.data(), size.count, type.type, root),
                                   job.context(size.count)));
        CHECK(job.checker, buffer == expected,
              fmt::format("{} {} root {}", label, type.name, root));
      });
}

// Ranks describe one message by different types: only the signature is equal.
void test_bcast_of_mixed_types(Job& job, const Size& size, int root) {
  const bool even = job.rank % 2 == 0;
  const TypeCase& type = job.types[even ? "shuffled" : "int"];
  const int count = even ? size.count : 4 * size.count;
  const int ints = 4 * size.count;
  Buffer initial = filled(type, count, job.rank);
  const Buffer source = filled(job.types["int"], ints, 77);
  if (job.rank == root) initial.set_values(0, source.values(0, ints));
  Buffer expected = initial;
  expected.set_values(0, source.values(0, ints));
  for_each_method(
      Collective::kBcast, size, [&](const PortableMethod& method, const std::string& label) {
        Buffer buffer = initial;
        CHECK_MPI(job.checker, run(method, bcast_call(buffer.data(), count, type.type, root),
                                   job.context(size.count)));
        CHECK(job.checker, buffer == expected, label + " mixed types");
      });
}

// Folded in rank order; rank r contributes filled(r + 1).
Buffer expected_reduction(Job& job, const Size& size, const TypeCase& type, MPI_Op op,
                          const Buffer& initial) {
  Buffer folded = filled(type, size.count, job.size);
  for (int rank = job.size - 2; rank >= 0; --rank) {
    Buffer lower = filled(type, size.count, rank + 1);
    MPI_Reduce_local(lower.data(), folded.data(), size.count, type.type, op);
  }
  Buffer expected = initial;
  expected.set_values(0, folded.values(0, size.count));
  return expected;
}

void test_reduce(Job& job, const Size& size, const TypeCase& type, const OpCase& op, bool in_place,
                 int root) {
  const bool is_root = job.rank == root;
  Buffer own = filled(type, size.count, job.rank + 1);
  const Buffer own_before = own;
  const Buffer initial = in_place && is_root ? own : filled(type, size.count, 99);
  const void* send = in_place && is_root ? MPI_IN_PLACE : own.data();
  const Buffer expected = is_root ? expected_reduction(job, size, type, op.op, initial) : initial;
  if (!in_place) {
    check_library(job, expected, initial, [&](Buffer& result) {
      return MPI_Reduce(send, result.data(), size.count, type.type, op.op, root, job.comm);
    });
  }
  for_each_method(Collective::kReduce, size,
                  [&](const PortableMethod& method, const std::string& label) {
                    Buffer result = initial;
                    CHECK_MPI(job.checker, run(method,
                                               reduce_call(send, is_root ? result.data() : nullptr,
                                                           size.count, type.type, op.op, root),
                                               job.context(size.count)));
                    const auto what = [&] {
                      return fmt::format("{} {} {} root {}{}", label, type.name, op.name, root,
                                         in_place ? " in place" : "");
                    };
                    CHECK(job.checker, result == expected, what());
                    CHECK(job.checker, own == own_before, what() + ": send buffer changed");
                  });
}

struct AlltoallCase {
  const TypeCase& send_type;
  const TypeCase& receive_type;
  int send_count;
  int receive_count;
  std::string name;
};

// Rank r sends filled(r + 1).
void test_alltoall(Job& job, const Size& size, const AlltoallCase& types, bool in_place) {
  const auto total = [&](int count) { return static_cast<std::size_t>(count) * job.size; };
  Buffer own = filled(types.send_type, total(types.send_count), job.rank + 1);
  const Buffer initial =
      in_place ? own : filled(types.receive_type, total(types.receive_count), 99);
  const void* send = in_place ? MPI_IN_PLACE : own.data();
  Buffer expected = initial;
  for (int from = 0; from < job.size; ++from) {
    // The values of a buffer depend on its seed and the number of its parts, not on its type.
    const Buffer theirs =
        filled(job.types["int"], total(types.receive_count) * types.receive_type.parts(), from + 1);
    const std::size_t ints = types.receive_count * types.receive_type.parts();
    expected.set_values(static_cast<std::size_t>(types.receive_count) * from,
                        theirs.values(ints * job.rank, ints));
  }
  if (!in_place) {
    check_library(job, expected, initial, [&](Buffer& result) {
      return MPI_Alltoall(send, types.send_count, types.send_type.type, result.data(),
                          types.receive_count, types.receive_type.type, job.comm);
    });
  }
  for_each_method(
      Collective::kAlltoall, size, [&](const PortableMethod& method, const std::string& label) {
        Buffer result = initial;
        CHECK_MPI(job.checker,
                  run(method,
                      alltoall_call(send, in_place ? 0 : types.send_count,
                                    in_place ? MPI_DATATYPE_NULL : types.send_type.type,
                                    result.data(), types.receive_count, types.receive_type.type),
                      job.context(size.count)));
        CHECK(job.checker, result == expected,
              fmt::format("{} {}{}", label, types.name, in_place ? " in place" : ""));
      });
}

// Even ranks send gaps and receive ints, odd ranks the other way round.
void test_alltoall_of_mixed_types(Job& job, const Size& size) {
  const TypeCase& gaps = job.types["gaps"];
  const TypeCase& ints = job.types["int"];
  if (job.rank % 2 == 0) {
    test_alltoall(job, size, {gaps, ints, size.count, 4 * size.count, "gaps to int"}, false);
  } else {
    test_alltoall(job, size, {ints, gaps, 4 * size.count, size.count, "int to gaps"}, false);
  }
}

void test_size(Job& job, const Size& size) {
  for (const TypeCase& type : job.types.all()) {
    if (skips(size, type)) continue;
    for_each_root(job, size, [&](int root) { test_bcast(job, size, type, root); });
    for (const bool in_place : {false, true}) {
      if (in_place && size.count % 2 == 0) continue;
      if (size.count <= 1000)
        test_alltoall(job, size, {type, type, size.count, size.count, type.name}, in_place);
      for (const OpCase& op : job.operations.of(type)) {
        for_each_root(job, size,
                      [&](int root) { test_reduce(job, size, type, op, in_place, root); });
      }
    }
  }
  if (size.count > 1000) return;
  for_each_root(job, size, [&](int root) { test_bcast_of_mixed_types(job, size, root); });
  test_alltoall_of_mixed_types(job, size);
}

}  // namespace

void run_tests(Checker& checker) {
  MPI_Comm private_comm = MPI_COMM_NULL;
  CHECK_MPI(checker, private_communicator(MPI_COMM_WORLD, &private_comm));
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Job job{checker, MPI_COMM_WORLD, private_comm, checker.rank(), size, {}, {}};
  for (const Size& one : sizes_for(size)) test_size(job, one);
}

}  // namespace colltree::test
