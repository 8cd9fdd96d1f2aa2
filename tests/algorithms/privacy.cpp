// SPDX-License-Identifier: BSD-3-Clause
// Our messages never meet the user's, the private communicator lives as long as the user's, and an
// algorithm does no more work than it says: reductions and copies are counted.
#include <fmt/core.h>

#include <numeric>
#include <optional>
#include <thread>

#include "algorithms/algorithms.h"
#include "algorithms/private_communicator.h"
#include "cases.h"
#include "checker.h"
#include "coll/catalogue.h"

namespace colltree::test {

namespace {

#ifdef COLLTREE_SMPI
constexpr bool kSimulated = true;
#else
constexpr bool kSimulated = false;
#endif

constexpr int kCount = 1000;
using Values = std::vector<int>;

algorithms::Context context_of(Checker& checker, MPI_Comm comm) {
  algorithms::Context context;
  CHECK_MPI(checker, algorithms::private_communicator(comm, &context.comm));
  return context;
}

algorithms::PortableMethod method_of(const AlgorithmInfo& info) {
  algorithms::PortableMethod method;
  algorithms::find_method(info.collective, info.algorithm, 512, &method);
  return method;
}

int ranks_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

const TypeCase& integers() {
  static const TypeCase type{"int", MPI_INT, MPI_INT, {0}, sizeof(int), false};
  return type;
}

// A call of kCount integers a block, and what must come out.
Case exercise(Collective collective, int rank, int size, int root) {
  algorithms::CallSide side{.type = MPI_INT, .count = kCount};
  algorithms::CallLayout layout{.collective = collective, .rank = rank, .size = size, .root = root};
  if (!adds_up(collective) && collective != Collective::kBcast) layout.send = side;
  if (collective == Collective::kAllgatherv || collective == Collective::kAlltoallv ||
      collective == Collective::kReduceScatter) {
    for (int i = 0; i < size; ++i) {
      side.counts.push_back(kCount);
      side.places.push_back(i * kCount);
    }
  }
  if (collective == Collective::kAlltoallv) layout.send = side;
  layout.receive = std::move(side);
  return make_case("", std::move(layout), integers(), integers(),
                   adds_up(collective) ? MPI_SUM : MPI_OP_NULL);
}

// Every portable algorithm once, with results checked.
void run_all(Checker& checker, MPI_Comm comm) {
  const int size = ranks_of(comm);
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int root = size - 1;
  for (const AlgorithmInfo& info : portable_algorithms()) {
    const algorithms::Context context = context_of(checker, comm);
    const auto label = [&] { return fmt::format("{} {}", name(info.collective), info.algorithm); };
    Case one = exercise(info.collective, rank, size, root);
    CHECK_MPI(checker, algorithms::run(method_of(info), one.call(one.send, one.initial), context));
    CHECK(checker, one.initial == one.expected, label());
  }
}

// The user waits for anything from anyone while the algorithms run.
void test_wildcard_receives(Checker& checker, MPI_Comm comm) {
  const int size = ranks_of(comm);
  Values received(8, -1);
  std::vector<MPI_Request> requests(received.size());
  for (std::size_t i = 0; i < received.size(); ++i)
    MPI_Irecv(&received[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &requests[i]);
  run_all(checker, comm);
  const int to = (checker.rank() + 1) % size;
  for (int i = 0; i < static_cast<int>(received.size()); ++i) MPI_Send(&i, 1, MPI_INT, to, i, comm);
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(comm);  // else the next test's messages come early into another's wildcards
  Values expected(received.size());
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(checker, received == expected, "a wildcard receive of the user got another message");
}

// The user's messages, with our tag, are under way and not yet received.
void test_outstanding_sends(Checker& checker, MPI_Comm comm) {
  const int size = ranks_of(comm);
  const int value = 4711;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(size));
  for (int to = 0; to < size; ++to)
    MPI_Isend(&value, 1, MPI_INT, to, 0, comm, &requests[static_cast<std::size_t>(to)]);
  run_all(checker, comm);
  for (int from = 0; from < size; ++from) {
    int received = -1;
    MPI_Recv(&received, 1, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
    CHECK(checker, received == value, "a message of the user was taken");
  }
  MPI_Waitall(size, requests.data(), MPI_STATUSES_IGNORE);
}

int count_copy(MPI_Comm, int, void* copies, void*, void*, int* flag) {
  ++*static_cast<int*>(copies);
  *flag = 0;
  return MPI_SUCCESS;
}

void test_users_attributes_stay(Checker& checker) {
  int copies = 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -checker.rank(), &comm);
  MPI_Comm_create_keyval(count_copy, MPI_COMM_NULL_DELETE_FN, &keyval, &copies);
  MPI_Comm_set_attr(comm, keyval, nullptr);
  context_of(checker, comm);
  CHECK(checker, copies == 0, "the copy callback of a user's attribute ran");
  MPI_Comm_delete_attr(comm, keyval);
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free(&comm);
}

// MPICH has about 2000 communicators: one left behind by each would not fit.
void test_freed_with_the_users(Checker& checker) {
  const int rounds = ranks_of(MPI_COMM_WORLD) == 2 && !kSimulated ? 2500 : 5;
  const algorithms::PortableMethod linear =
      method_of(*find_portable_algorithm(Collective::kBcast, "linear"));
  for (int i = 0; i < rounds; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int value = checker.rank() == 0 ? i : -1;
    if (!CHECK_MPI(checker, algorithms::run(linear, algorithms::bcast_call(&value, 1, MPI_INT, 0),
                                            context_of(checker, comm))))
      break;
    CHECK(checker, value == i, "bcast on a fresh communicator");
    MPI_Comm_free(&comm);
  }
}

void test_release(Checker& checker) {
  MPI_Comm first = MPI_COMM_NULL;
  CHECK_MPI(checker, algorithms::private_communicator(MPI_COMM_WORLD, &first));
  MPI_Barrier(MPI_COMM_WORLD);
  if (!kSimulated) {  // there MPI_COMM_WORLD is one object of all ranks
    CHECK_MPI(checker, algorithms::release_private_communicator(MPI_COMM_WORLD));
    CHECK_MPI(checker, algorithms::release_private_communicator(MPI_COMM_WORLD));
  }
  run_all(checker, MPI_COMM_WORLD);
}

// Two threads, each with its own communicator, meet at the first use of the library.
void test_threads(Checker& checker) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (kSimulated || provided < MPI_THREAD_MULTIPLE) return;
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  Checker of_threads[2] = {Checker(checker.rank()), Checker(checker.rank())};
  {
    std::jthread one([&] { run_all(of_threads[0], comms[0]); });
    std::jthread other([&] { run_all(of_threads[1], comms[1]); });
  }
  for (const Checker& thread : of_threads)
    CHECK(checker, thread.failures() == 0, "two threads at once");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// Exactly size-1 reductions of the message, whatever the tree, and as many calls as segments.
void test_number_of_reductions(Checker& checker) {
  const int size = ranks_of(MPI_COMM_WORLD);
  Types types;
  Operations operations;
  for (const char* type_name : {"int", "dense"}) {
    const TypeCase& type = types[type_name];
    const OpCase op = operations.of(type).back();
    for (const AlgorithmInfo& info : portable_algorithms()) {
      if (info.collective != Collective::kReduce) continue;
      Buffer own(type, kCount);
      own.fill(1);
      Buffer result = own;
      const algorithms::Context context = context_of(checker, MPI_COMM_WORLD);
      MPI_Barrier(MPI_COMM_WORLD);
      const long before[2] = {folded_elements, fold_calls};
      MPI_Barrier(MPI_COMM_WORLD);
      algorithms::run(
          method_of(info),
          algorithms::reduce_call(own.data(), result.data(), kCount, type.type, op.op, 0), context);
      MPI_Barrier(MPI_COMM_WORLD);
      long folded[2] = {folded_elements - before[0], fold_calls - before[1]};
      if (!kSimulated) MPI_Allreduce(MPI_IN_PLACE, folded, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
      const long per_segment =
          info.segmented() ? 512 / static_cast<long>(type.parts() * sizeof(int)) : kCount;
      const long segments = (kCount + per_segment - 1) / per_segment;
      // Where its needs are not met, or it halves the message, calls are not segments.
      const bool calls = info.needs != 0 || std::string_view(info.algorithm) == "butterfly" ||
                         folded[1] == segments * (size - 1);
      CHECK(checker, folded[0] == static_cast<long>(kCount) * (size - 1) && calls,
            fmt::format("reduce {} {} folded {} elements in {} calls", info.algorithm, type.name,
                        folded[0], folded[1]));
    }
  }
}

thread_local std::size_t copied_bytes = 0;

std::size_t copies_of(Checker& checker, const AlgorithmInfo& info) {
  algorithms::Context context = context_of(checker, MPI_COMM_WORLD);
  context.charge_copy = [](std::size_t bytes) { copied_bytes += bytes; };
  Case one = exercise(info.collective, checker.rank(), ranks_of(MPI_COMM_WORLD), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  copied_bytes = 0;
  algorithms::run(method_of(info), one.call(one.send, one.initial), context);
  return copied_bytes;
}

// Blocks copied in Bruck's alltoall: those with a bit of their distance set, for each bit, and all
// at the end. One that is alone in its message is not copied at all.
std::size_t copied_by_bruck(std::size_t size) {
  std::size_t copied = size;
  for (std::size_t bit = 1; bit < size; bit *= 2) {
    std::size_t moved = 0;
    for (std::size_t i = 0; i < size; ++i) moved += (i & bit) != 0 ? 1 : 0;
    copied = moved == 1 ? copied - 1 : copied + moved;
  }
  return copied;
}

// Blocks that one rank copies; nothing: not said here, or, without nodes, of the fallback.
std::optional<std::size_t> copied_blocks(const AlgorithmInfo& info, std::size_t size) {
  if ((info.needs & kHierarchy) != 0) return std::nullopt;
  if (size == 1) {
    const bool none = info.collective == Collective::kBcast ||
                      info.collective == Collective::kExscan ||
                      info.collective == Collective::kBarrier;
    return none ? 0 : 1;
  }
  const bool bruck = info.algorithm == "bruck" || (size == 3 && info.fallback == "bruck");
  switch (info.collective) {
    case Collective::kBarrier:
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kAllreduce:
      return 0;
    case Collective::kAllgather:
    case Collective::kAllgatherv:  // the own block; Bruck then puts all in place, sparbit packs
      if (info.algorithm == "sparbit") return 1 + 2 * (size - 1);
      return bruck ? 1 + size : 1;
    case Collective::kAlltoall:  // half of all in each step, then all to their places
      return bruck ? copied_by_bruck(size) : 1;
    case Collective::kAlltoallv:
      return 1;
    default:
      return std::nullopt;
  }
}

// Plain types are sent from and received into the user's memory.
void test_copies(Checker& checker) {
  const std::size_t size = static_cast<std::size_t>(ranks_of(MPI_COMM_WORLD));
  if (kSimulated) return;  // one counter for all ranks there
  for (const AlgorithmInfo& info : portable_algorithms()) {
    const std::optional<std::size_t> blocks = copied_blocks(info, size);
    if (!blocks) continue;
    const std::size_t copied = copies_of(checker, info);
    const std::size_t expected = *blocks * kCount * sizeof(int);
    CHECK(checker, copied == expected,
          fmt::format("{} {} copied {} bytes, not {}", name(info.collective), info.algorithm,
                      copied, expected));
  }
}

// Other types are packed once at the root and unpacked once elsewhere, and only where they are cut.
void test_packing(Checker& checker) {
  if (kSimulated || ranks_of(MPI_COMM_WORLD) == 1) return;
  Types types;
  const TypeCase& type = types["shuffled"];
  Buffer buffer(type, kCount);
  buffer.fill(1);
  algorithms::Context context = context_of(checker, MPI_COMM_WORLD);
  context.charge_copy = [](std::size_t bytes) { copied_bytes += bytes; };
  for (const AlgorithmInfo& info : portable_algorithms()) {
    if (info.collective != Collective::kBcast) continue;
    const std::size_t bytes = kCount * type.parts() * sizeof(int);
    const bool cut = info.segmented() || info.needs != 0;  // needs: of those that scatter it
    const std::size_t expected = cut ? bytes : 0;
    copied_bytes = 0;
    algorithms::run(method_of(info), algorithms::bcast_call(buffer.data(), kCount, type.type, 0),
                    context);
    CHECK(checker, copied_bytes == expected,
          fmt::format("bcast {} packed {} bytes, not {}", info.algorithm, copied_bytes, expected));
  }
}

void test_wrong_collective(Checker& checker) {
  int value = 0;
  const algorithms::Context context = context_of(checker, MPI_COMM_WORLD);
  CHECK(checker,
        algorithms::run(method_of(*find_portable_algorithm(Collective::kReduce, "linear")),
                        algorithms::bcast_call(&value, 1, MPI_INT, 0), context) == MPI_ERR_ARG,
        "a reduce algorithm broadcast");
  CHECK(checker, find_portable_algorithm(Collective::kBcast, "bruck") == nullptr,
        "bcast bruck exists");
}

}  // namespace

void run_tests(Checker& checker) {
  test_threads(checker);
  MPI_Comm comm = MPI_COMM_WORLD;
  // SimGrid 3.32 crashes when a wildcard receive waits on the world of ranks in one process.
  if (kSimulated) MPI_Comm_split(MPI_COMM_WORLD, 0, checker.rank(), &comm);
  test_wildcard_receives(checker, comm);
  test_outstanding_sends(checker, comm);
  if (kSimulated) MPI_Comm_free(&comm);
  test_users_attributes_stay(checker);
  test_freed_with_the_users(checker);
  test_release(checker);
  test_number_of_reductions(checker);
  test_copies(checker);
  test_packing(checker);
  test_wrong_collective(checker);
}

}  // namespace colltree::test
