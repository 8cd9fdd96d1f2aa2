// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithms.h"

#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

struct Table {
  Algorithm rows[128];
  std::size_t size = 0;

  const Algorithm* find(Collective collective, std::string_view algorithm) const {
    for (std::size_t i = 0; i < size; ++i) {
      const AlgorithmInfo& info = *rows[i].info;
      if (info.collective == collective && info.algorithm == algorithm) return &rows[i];
    }
    return nullptr;
  }
};

// The rows' order is that of portable_algorithms(): both come from the one .def file.
Table make_table() {
  Table table;
  const auto add = [&](AlgorithmFunction* code) {
    table.rows[table.size] = {&portable_algorithms()[table.size], code, nullptr};
    ++table.size;
  };
#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  add(code);
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
  for (std::size_t i = 0; i < table.size; ++i) {
    Algorithm& row = table.rows[i];
    row.fallback = table.find(row.info->collective, row.info->fallback);
  }
  return table;
}

const Table& table() {
  static const Table rows = make_table();
  return rows;
}

// Nobody waits for anybody when no rank has a byte. Of these two the message size does not say it.
bool is_nothing(const CollectiveCall& call, const CallFacts& facts) {
  return facts.message_size == 0 && call.collective != Collective::kBarrier &&
         call.collective != Collective::kAlltoallv && call.collective != Collective::kAllgatherv;
}

bool find(Collective collective, std::string_view algorithm, const MethodParameters& parameters,
          std::uint64_t segment_size, PortableMethod* method) {
  method->algorithm = table().find(collective, without_source(algorithm));
  method->segment_size = segment_size;
  method->parameters = parameters;
  return method->algorithm != nullptr && takes(*method->algorithm->info, parameters);
}

}  // namespace

bool find_method(Collective collective, const Method& wanted, PortableMethod* method) noexcept {
  return find(collective, wanted.algorithm, wanted.parameters, wanted.segment_size.value_or(0),
              method);
}

bool find_method(Collective collective, std::string_view name, std::uint64_t segment_size,
                 PortableMethod* method) noexcept {
  const MethodName read = read_method_name(name);
  return !read.unknown && find(collective, read.algorithm, read.parameters, segment_size, method);
}

const Algorithm& effective_algorithm(const PortableMethod& method, const CallFacts& facts,
                                     const NodeLayout* nodes) noexcept {
  const Algorithm* row = method.algorithm;
  Instance instance{row->info->collective, static_cast<std::uint64_t>(facts.size),
                    facts.message_size};
  if (nodes != nullptr) {
    instance.nodes = static_cast<std::uint64_t>(nodes->nodes());
    instance.ranks_per_node = static_cast<std::uint64_t>(nodes->most_ranks());
  }
  while (!can_run(*row->info, instance, method.segment_size, facts.commutative))
    row = row->fallback;
  return *row;
}

namespace {

// One block of a side: where it is and how it is described.
struct Side {
  const void* data;
  int count;
  MPI_Datatype type;
};

Side send_side(const CollectiveCall& call) {
  if (call.op != MPI_OP_NULL) {
    const int count = call.receive_counts != nullptr ? call.receive_counts[0] : call.receive_count;
    return {call.send, count, call.receive_type};
  }
  if (call.send_counts == nullptr) return {call.send, call.send_count, call.send_type};
  return {call.send, call.send_counts[0], call.send_type};
}

Side receive_side(const CollectiveCall& call) {
  const int count = call.receive_counts != nullptr ? call.receive_counts[0] : call.receive_count;
  return {call.receive, count, call.receive_type};
}

const void* displaced(const void* data, const int* displacements, const TypeLayout& layout) {
  return displacements == nullptr ? data : at(data, displacements[0] * layout.extent);
}

}  // namespace

int run_alone(const CollectiveCall& call, const Context& context) {
  if (call.collective == Collective::kBarrier || call.collective == Collective::kBcast ||
      call.collective == Collective::kExscan || call.send == MPI_IN_PLACE ||
      call.receive == MPI_IN_PLACE) {
    return MPI_SUCCESS;
  }
  Side from = send_side(call);
  Side to = receive_side(call);
  TypeLayout from_layout;
  TypeLayout to_layout;
  COLLTREE_TRY(describe(from.type, &from_layout));
  COLLTREE_TRY(describe(to.type, &to_layout));
  if (from_layout.size == 0 || from.count == 0) return MPI_SUCCESS;
  from.data = displaced(from.data, call.send_displacements, from_layout);
  to.data = displaced(to.data, call.receive_displacements, to_layout);
  return convert(from.data, static_cast<std::size_t>(from.count), from_layout,
                 const_cast<void*>(to.data), static_cast<std::size_t>(to.count), to_layout,
                 context);
}

namespace {

// Elements that a rank contributes to a reduction, and those that it gets.
struct Counts {
  std::size_t in = 0;
  std::size_t out = 0;
};

Counts counts_of(const CollectiveCall& call, const CallFacts& facts) {
  const auto count = static_cast<std::size_t>(call.receive_count);
  if (call.collective == Collective::kReduceScatterBlock)
    return {count * static_cast<std::size_t>(facts.size), count};
  if (call.receive_counts == nullptr) return {count, count};
  Counts counts;
  for (int i = 0; i < facts.size; ++i)
    counts.in += static_cast<std::size_t>(call.receive_counts[i]);
  counts.out = static_cast<std::size_t>(call.receive_counts[facts.rank]);
  return counts;
}

// Runs the row on this rank's copies where a buffer of it is MPI_BOTTOM, because to a row a null
// pointer is no buffer. Only reductions: of what MPI_BOTTOM and a type of absolute addresses
// describe, which only an operation of the user's takes.
int run_row(const Algorithm& row, const CollectiveCall& call, const CallFacts& facts,
            const Context& context) {
  const bool gets = call.collective != Collective::kReduce || facts.rank == call.root;
  const bool from = call.send == MPI_BOTTOM;
  const bool to = gets && call.receive == MPI_BOTTOM;
  if (call.op == MPI_OP_NULL || context.without_content || (!from && !to))
    return row.code(call, context);
  TypeLayout layout;
  COLLTREE_TRY(describe(call.receive_type, &layout));
  const Counts counts = counts_of(call, facts);
  CollectiveCall copied = call;
  Scratch sent;
  Scratch received;
  if (from) {
    COLLTREE_TRY(sent.allocate(layout, counts.in));
    COLLTREE_TRY(copy(MPI_BOTTOM, sent.data(), counts.in, layout, context));
    copied.send = sent.data();
  }
  if (to) {
    // The buffer must hold what a row leaves as it is, and what MPI_IN_PLACE stands for, before the
    // call.
    const std::size_t before = call.send == MPI_IN_PLACE ? counts.in : counts.out;
    COLLTREE_TRY(received.allocate(layout, before));
    COLLTREE_TRY(copy(MPI_BOTTOM, received.data(), before, layout, context));
    copied.receive = received.data();
  }
  COLLTREE_TRY(row.code(copied, context));
  return to ? copy(received.data(), MPI_BOTTOM, counts.out, layout, context) : int{MPI_SUCCESS};
}

}  // namespace

int run(const PortableMethod& method, const CollectiveCall& call, const Context& context) {
  CallFacts facts;
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(rank_and_size(context, &rank, &size));
  COLLTREE_TRY(look_at(call, rank, size, &facts));
  return run(method, call, facts, context);
}

int run(const PortableMethod& method, const CollectiveCall& call, const CallFacts& facts,
        const Context& context) {
  if (method.algorithm == nullptr || method.algorithm->info->collective != call.collective)
    return MPI_ERR_ARG;
  if (is_nothing(call, facts)) return MPI_SUCCESS;
  Context run_context = context;
  run_context.segment_size = method.segment_size;
  run_context.requests = static_cast<int>(method.parameters.requests);
  run_context.fanout = static_cast<int>(method.parameters.fanout);
  if (facts.size == 1) return run_alone(call, run_context);
  const Algorithm& row = effective_algorithm(method, facts, context.nodes);
  const std::uint64_t radix = method.parameters.radix;
  run_context.radix = static_cast<int>(radix != 0 ? radix : row.info->radix);
  return run_row(row, call, facts, run_context);
}

}  // namespace colltree::algorithms
