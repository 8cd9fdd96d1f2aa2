// SPDX-License-Identifier: BSD-3-Clause
// Every portable method gives what MPI says and what the library gives, byte for byte and with
// nothing written beside the data: any parameter, root, count, type, operation, in place or not.
// Methods are those of the catalogue; a new collective needs a line here.
#include <fmt/core.h>

#include <array>
#include <optional>
#include <set>

#include "algorithms/algorithms.h"
#include "algorithms/private_communicator.h"
#include "arrivals.h"
#include "cases.h"
#include "checker.h"

namespace colltree::test {

namespace {

struct Size {
  int count;
  std::vector<std::uint64_t> segment_sizes;  // bytes, beside 0
  bool thorough;                             // every type
  bool every_root = false;                   // up to 5 ranks
};

// Many ranks move many bytes in total: their largest message is smaller.
std::vector<Size> sizes_for(int ranks) {
  std::vector<Size> sizes = {{0, {16}, true},
                             {1, {1}, true},
                             {3, {24}, true},
                             {7, {4, 60}, true, true},
                             {64, {24, 256}, false},
                             {1000, {1024}, false},
                             {ranks <= 5 ? 100003 : 10007, {32768}, false}};
  for (const int count : {ranks - 1, ranks + 1}) {
    if (count > 7) sizes.push_back({count, {12}, false});
  }
  return sizes;
}

// Nodes that the ranks are said to be on, wherever they run: in turn by blocks of two, alternating
// between two nodes, and unevenly; on one node, which they share, for rows that need that.
class Layouts {
 public:
  explicit Layouts(int ranks) {
    std::vector<int> node_of(static_cast<std::size_t>(ranks));
    const auto open = [&](algorithms::NodeLayout& layout, auto node) {
      for (int i = 0; i < ranks; ++i) node_of[static_cast<std::size_t>(i)] = node(i);
      layout.open(node_of.data(), ranks);
    };
    open(layouts_[0], [](int rank) { return rank / 2; });
    open(layouts_[1], [](int rank) { return rank % 2; });
    open(layouts_[2], [](int rank) { return rank * rank % 3; });
    open(one_, [](int) { return 0; });
  }
  // The next one, and its memory: nodes' memory for rows that share it, all of which lies on this
  // machine.
  algorithms::Context next(algorithms::Context context) {
    const std::size_t i = turn_++ % layouts_.size();
    context.nodes = &layouts_[i];
    context.shared = &shared_[i];
    return context;
  }
  const algorithms::NodeLayout* one() const { return &one_; }

 private:
  algorithms::NodeLayout one_;
  std::array<algorithms::NodeLayout, 3> layouts_;
  std::array<algorithms::SharedMemory, 3> shared_;
  std::size_t turn_ = 0;
};

struct Job {
  Checker& checker;
  MPI_Comm comm;
  MPI_Comm private_comm;
  Place at;
  Types types;
  Operations operations;
  Layouts layouts;
  std::set<const AlgorithmInfo*> tested;
  bool every_parameter = false;  // the same on all ranks
  algorithms::SharedMemory shared;

  algorithms::Context context_of(const AlgorithmInfo& info) {
    if ((info.needs & kOneNode) == 0) return layouts.next({.comm = private_comm});
    return {.comm = private_comm, .nodes = layouts.one(), .shared = &shared};
  }
};

// All that may differ is tried where all ranks take one plain type, the bare names elsewhere.
ParameterValues parameters(const Job& job) {
  if (!job.every_parameter) return {.fanout = {}, .radix = {3}, .requests = {}};
  return {.fanout = {2}, .radix = {2, 3, 32}, .requests = {2}, .tree_requests = true};
}

// Not in the simulator, whose own collectives fail with derived types. Those of Intel MPI 2021.19
// (gather, reduce and others) are wrong with types that have gaps or negative bounds.
void check_library(Job& job, const Case& one) {
#ifdef I_MPI_VERSION
  if (!job.every_parameter) return;
#endif
#ifndef COLLTREE_SMPI
  Buffer send = one.send;
  Buffer result = one.initial;
  CHECK_MPI(job.checker, call_library(one.call(send, result), job.comm));
  CHECK(job.checker, result == one.expected,
        fmt::format("{} {}: the MPI library disagrees with the test", name(one.layout.collective),
                    one.what));
#else
  (void)job, (void)one;
#endif
}

void check_method(Job& job, const Case& one, const Method& named) {
  const algorithms::Context context =
      job.context_of(*find_portable_algorithm(one.layout.collective, named.algorithm));
  const auto what = [&] {
    return fmt::format("{} {} {}", name(one.layout.collective), named.label(), one.what);
  };
  algorithms::PortableMethod method;
  CHECK(job.checker, algorithms::find_method(one.layout.collective, named, &method),
        what() + ": not found");
  Buffer send = one.send;
  Buffer result = one.initial;
  CHECK_MPI(job.checker, algorithms::run(method, one.call(send, result), context));
  CHECK(job.checker, result == one.expected, what());
  CHECK(job.checker, send == one.send, what() + ": send buffer changed");
}

// All ranks call it with the same collective and `library`: whether the call is one that the
// libraries are asked for too. Making a case costs more than running it.
template <typename MakeCase>
void check(Job& job, const Size& size, Collective collective, bool library, MakeCase make_case) {
  std::optional<Case> made;
  const auto one = [&]() -> const Case& { return made ? *made : made.emplace(make_case()); };
  if (library && job.checker.takes_all_rows() && job.checker.takes_next(nullptr))
    check_library(job, one());
  const ParameterValues values = parameters(job);
  for (const Method& method : portable_methods(collective, size.segment_sizes, values)) {
    const AlgorithmInfo* info = find_portable_algorithm(collective, method.algorithm);
    if (!job.checker.takes_row(info->algorithm) || !job.checker.takes_next(info)) continue;
    job.tested.insert(info);
    check_method(job, one(), method);
  }
}

#ifdef MPICH_VERSION
constexpr bool kMpich = true;
#else
constexpr bool kMpich = false;
#endif

// Never in place: MPICH 4.0.2 then crashes (reduce of 2 KB, root not 0). At powers of two of ranks
// its reduce_scatter_block with such an operation writes elsewhere where a type has holes.
bool library_can(const Reducing& r, Collective collective, bool in_place) {
  return !in_place && !(kMpich && collective == Collective::kReduceScatterBlock &&
                        r.type->derived && r.op.name == "multiply");
}

bool skips(const Size& size, const TypeCase& type) {
  return !size.thorough && type.name != "int" && type.name != "gaps" && type.name != "dense";
}

template <typename Run>
void for_each_root(const Job& job, const Size& size, Run run) {
  for (int root = 0; root < job.at.size; ++root) {
    if (root == size.count % job.at.size || (size.every_root && job.at.size <= 5)) run(root);
  }
}

void test_rooted(Job& job, const Size& size, const Moving& m) {
  for_each_root(job, size, [&](int root) {
    check(job, size, Collective::kBcast, true,
          [&] { return moving_case(Collective::kBcast, m, root, false); });
    if (size.count > 1000) return;
    for (const bool in_place : {false, true}) {
      check(job, size, Collective::kGather, !in_place,
            [&] { return moving_case(Collective::kGather, m, root, in_place); });
      check(job, size, Collective::kScatter, !in_place,
            [&] { return moving_case(Collective::kScatter, m, root, in_place); });
    }
  });
}

void test_moving(Job& job, const Size& size, const Moving& m) {
  test_rooted(job, size, m);
  if (size.count > 1000) return;
  for (const bool in_place : {false, true}) {
    if (in_place && size.count % 2 == 0) continue;
    check(job, size, Collective::kAllgather, !in_place,
          [&] { return moving_case(Collective::kAllgather, m, 0, in_place); });
    check(job, size, Collective::kAlltoall, !in_place,
          [&] { return moving_case(Collective::kAlltoall, m, 0, in_place); });
    for (const bool scattered : {false, true}) {
      // Open MPI 4.1.4 decides by the size of the send type, which ranks may describe differently,
      // and waits for ever.
      check(job, size, Collective::kAllgatherv, !in_place && m.send.type == m.receive.type,
            [&] { return moving_case(Collective::kAllgatherv, m, 0, in_place, scattered); });
      check(job, size, Collective::kAlltoallv, !in_place,
            [&] { return moving_case(Collective::kAlltoallv, m, 0, in_place, scattered); });
    }
  }
}

void test_reducing(Job& job, const Size& size, const Reducing& r) {
  for (const bool in_place : {false, true}) {
    if (in_place && size.count % 2 == 0) continue;
    const auto check_case = [&](Collective collective, int root) {
      check(job, size, collective, library_can(r, collective, in_place),
            [&] { return reducing_case(collective, r, root, in_place); });
    };
    for_each_root(job, size, [&](int root) { check_case(Collective::kReduce, root); });
    for (const Collective collective :
         {Collective::kAllreduce, Collective::kScan, Collective::kExscan,
          Collective::kReduceScatter, Collective::kReduceScatterBlock}) {
      const bool scatters =
          collective == Collective::kReduceScatter || collective == Collective::kReduceScatterBlock;
      if (!scatters || size.count <= 1000) check_case(collective, 0);
    }
  }
}

// MPI_IN_PLACE at one rank alone, where MPI does not say "at all processes".
void test_one_in_place(Job& job, const Size& size, const Reducing& r) {
  const bool in_place = job.at.rank == size.count % job.at.size;
  for (const Collective collective :
       {Collective::kScan, Collective::kExscan, Collective::kReduceScatterBlock})
    check(job, size, collective, false, [&] { return reducing_case(collective, r, 0, in_place); });
}

// Ranks describe one message by different types: only the signature is equal.
void test_mixed_types(Job& job, const Size& size) {
  const Description one{&job.types[job.at.rank % 2 == 0 ? "shuffled" : "int"],
                        job.at.rank % 2 == 0 ? 1 : 4};
  const Description other{&job.types[job.at.rank % 2 == 0 ? "int" : "gaps"],
                          job.at.rank % 2 == 0 ? 4 : 1};
  test_moving(job, size, {job.at, size.count, one, other});
}

void test_size(Job& job, const Size& size) {
  for (const TypeCase& type : job.types.all()) {
    if (skips(size, type)) continue;
    job.every_parameter = type.name == "int";
    test_moving(job, size, {job.at, size.count, {&type, 1}, {&type, 1}});
    for (const OpCase& op : job.operations.of(type))
      test_reducing(job, size, {job.at, size.count, &type, op});
  }
  job.every_parameter = false;
  if (size.count > 1000) return;
  test_mixed_types(job, size);
  for (const char* type : {"int", "gaps"}) {
    for (const OpCase& op : job.operations.of(job.types[type]))
      test_one_in_place(job, size, {job.at, size.count, &job.types[type], op});
  }
}

// Ranks come late in turn: nobody leaves before the last has come.
void test_barrier(Job& job) {
  Arrivals arrivals(job.comm);
  int rounds = 0;
  for (const Method& named : portable_methods(Collective::kBarrier, {})) {
    if (!job.checker.takes_row(named.algorithm)) continue;
    algorithms::PortableMethod method;
    algorithms::find_method(Collective::kBarrier, named, &method);
    job.tested.insert(method.algorithm->info);
    for (int late = 0; late < job.at.size; ++late) {
      if (late == job.at.rank) arrivals.dawdle();
      arrivals.come();
      ++rounds;
      CHECK_MPI(job.checker, algorithms::run(method, algorithms::barrier_call(),
                                             job.context_of(*method.algorithm->info)));
      CHECK(job.checker, arrivals.count() >= rounds * job.at.size,
            fmt::format("barrier {} let a rank through before rank {}", named.algorithm, late));
      MPI_Barrier(job.comm);  // else the next round's arrivals would hide who was missing in this
    }
  }
}

}  // namespace

void run_tests(Checker& checker) {
  MPI_Comm private_comm = MPI_COMM_NULL;
  CHECK_MPI(checker, algorithms::private_communicator(MPI_COMM_WORLD, &private_comm));
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Job job{checker,
          MPI_COMM_WORLD,
          private_comm,
          {checker.rank(), size},
          {},
          {},
          Layouts(size),
          {},
          false,
          {}};
  test_barrier(job);
  for (const Size& one : sizes_for(size)) test_size(job, one);
  for (const AlgorithmInfo& info : portable_algorithms()) {
    CHECK(checker, job.tested.contains(&info) || !checker.takes_row(info.algorithm),
          fmt::format("no case tests {} {}", name(info.collective), info.algorithm));
  }
}

}  // namespace colltree::test
