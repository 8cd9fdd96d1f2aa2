// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithms.h"

#include "algorithms/reduction.h"
#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree::algorithms {

namespace {

constexpr AlgorithmFunction* kCode[] = {
#define COLLTREE_ALGORITHM(collective, algorithm, measured, parameters, radix, pieces, min_ranks, \
                           min_bytes, needs, fallback, sums, code, cost)                          \
  code,
#include "coll/portable_algorithms.def"
#undef COLLTREE_ALGORITHM
};

const Algorithm* find_row(Collective collective, std::string_view algorithm) {
  static Algorithm rows[std::size(kCode)];
  const auto find = [](Collective operation, std::string_view name) -> const Algorithm* {
    const AlgorithmInfo* info = find_portable_algorithm(operation, name);
    return info == nullptr ? nullptr : &rows[info - portable_algorithms().data()];
  };
  static const bool are_filled [[maybe_unused]] = [&find] {
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      const AlgorithmInfo& info = portable_algorithms()[i];
      rows[i] = {&info, kCode[i], find(info.collective, info.fallback)};
    }
    return true;
  }();
  return find(collective, algorithm);
}

// Nobody waits for anybody when no rank has a byte. Of these two the message size does not say it.
bool is_nothing(const CollectiveCall& call, const CallFacts& facts) {
  return facts.message_size == 0 && call.collective != Collective::kBarrier &&
         call.collective != Collective::kAlltoallv && call.collective != Collective::kAllgatherv;
}

bool find(Collective collective, std::string_view algorithm, const MethodParameters& parameters,
          std::uint64_t segment_size, PortableMethod* method) {
  method->algorithm = find_row(collective, without_source(algorithm));
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

namespace {

// True if the row needs memory that the ranks share, or each other's, and they do not have it.
bool lacks_memory(const AlgorithmInfo& info, const CallFacts& facts, const Context& context) {
  if ((info.needs & (kOneNode | kNodeMemory)) == 0) return false;
  if (context.shared == nullptr) return true;
  if ((info.needs & kNodeMemory) != 0) return context.shared->open_node(context, facts) == nullptr;
  return !context.shared->open(context, facts) ||
         ((info.needs & kDirectCopy) != 0 && !context.shared->arena().all_can_pull());
}

}  // namespace

const Algorithm& effective_algorithm(const PortableMethod& method, const CallFacts& facts,
                                     const Context& context) noexcept {
  const NodeLayout* nodes = context.nodes;
  const Algorithm* row = method.algorithm;
  Instance instance{row->info->collective, static_cast<std::uint64_t>(facts.size),
                    facts.message_size};
  if (nodes != nullptr) {
    instance.nodes = static_cast<std::uint64_t>(nodes->nodes());
    instance.ranks_per_node = static_cast<std::uint64_t>(nodes->most_ranks());
  }
  while (!can_run(*row->info, instance, method.segment_size, facts.commutative) ||
         lacks_memory(*row->info, facts, context))
    row = row->fallback;
  return *row;
}

namespace {

const void* displaced(const void* data, const int* displacements, const TypeLayout& layout) {
  return displacements == nullptr ? data : at(data, displacements[0] * layout.extent);
}

}  // namespace

int run_alone(const CollectiveCall& call, const Context& context) {
  const CallShape shape = call_shape(call.collective);
  if (shape == CallShape::kNothing || shape == CallShape::kFromRoot ||
      shape == CallShape::kPrefixBefore || call.send == MPI_IN_PLACE ||
      call.receive == MPI_IN_PLACE)
    return MPI_SUCCESS;
  const bool combines = call.op != MPI_OP_NULL;
  const int received = call.receive_counts != nullptr ? call.receive_counts[0] : call.receive_count;
  const int sent = combines                      ? received
                   : call.send_counts != nullptr ? call.send_counts[0]
                                                 : call.send_count;
  TypeLayout from;
  TypeLayout to;
  COLLTREE_TRY(describe(combines ? call.receive_type : call.send_type, &from));
  COLLTREE_TRY(describe(call.receive_type, &to));
  if (from.size == 0 || sent == 0) return MPI_SUCCESS;
  return convert(displaced(call.send, call.send_displacements, from),
                 static_cast<std::size_t>(sent), from,
                 const_cast<void*>(displaced(call.receive, call.receive_displacements, to)),
                 static_cast<std::size_t>(received), to, context);
}

// Runs the row on this rank's copies where a buffer of it is MPI_BOTTOM, because to a row a null
// pointer is no buffer. Only reductions: of what MPI_BOTTOM and a type of absolute addresses
// describe, which only an operation of the user's takes.
int run_row(const Algorithm& row, const CollectiveCall& call, const Context& context) {
  const bool gets = call.collective != Collective::kReduce || context.rank == call.root;
  const bool from = call.send == MPI_BOTTOM;
  const bool to = gets && call.receive == MPI_BOTTOM;
  if (call.op == MPI_OP_NULL || context.without_content || (!from && !to))
    return row.code(call, context);
  Reduction r;
  COLLTREE_TRY(r.open(call, context));
  const auto result_count = static_cast<std::size_t>(
      call.receive_counts != nullptr ? call.receive_counts[context.rank] : call.receive_count);
  CollectiveCall copied = call;
  Scratch sent;
  Scratch received;
  if (from) {
    COLLTREE_TRY(sent.allocate(r.layout, r.count));
    COLLTREE_TRY(copy(MPI_BOTTOM, sent.data(), r.count, r.layout, context));
    copied.send = sent.data();
  }
  if (to) {
    // The buffer must hold what a row leaves as it is, and what MPI_IN_PLACE stands for, before the
    // call.
    const std::size_t before = call.send == MPI_IN_PLACE ? r.count : result_count;
    COLLTREE_TRY(received.allocate(r.layout, before));
    COLLTREE_TRY(copy(MPI_BOTTOM, received.data(), before, r.layout, context));
    copied.receive = received.data();
  }
  COLLTREE_TRY(row.code(copied, context));
  return to ? copy(received.data(), MPI_BOTTOM, result_count, r.layout, context) : int{MPI_SUCCESS};
}

const Algorithm& prepare(const PortableMethod& method, const CallFacts& facts, Context* context) {
  context->rank = facts.rank;
  context->size = facts.size;
  context->segment_size = method.segment_size;
  context->requests = static_cast<int>(method.parameters.requests);
  context->fanout = static_cast<int>(method.parameters.fanout);
  const Algorithm& row = effective_algorithm(method, facts, *context);
  if ((row.info->needs & kNodeMemory) != 0)
    context->node_memory = context->shared->open_node(*context, facts);
  const std::uint64_t radix = method.parameters.radix;
  context->radix = 2;  // where the row has none
  if (row.info->radix != 0) context->radix = static_cast<int>(radix != 0 ? radix : row.info->radix);
  return row;
}

int run(const PortableMethod& method, const CollectiveCall& call, const Context& context) {
  CallFacts facts;
  int rank = 0;
  int size = 0;
  COLLTREE_TRY(PMPI_Comm_rank(context.comm, &rank));
  COLLTREE_TRY(PMPI_Comm_size(context.comm, &size));
  COLLTREE_TRY(look_at(call, rank, size, &facts));
  if (method.algorithm == nullptr || method.algorithm->info->collective != call.collective)
    return MPI_ERR_ARG;
  if (is_nothing(call, facts)) return MPI_SUCCESS;
  if (size == 1) return run_alone(call, context);
  Context run_context = context;
  const Algorithm& row = prepare(method, facts, &run_context);
  return run_row(row, call, run_context);
}

}  // namespace colltree::algorithms
