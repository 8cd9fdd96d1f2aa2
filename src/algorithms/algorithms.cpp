// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithms.h"

#include "algorithms/bottom.h"
#include "algorithms/rows.h"
#include "algorithms/run_alone.h"
#include "algorithms/transfer.h"
#include "algorithms/types.h"

namespace colltree {

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
  static const Table all = make_table();
  return all;
}

// Nobody waits for anybody when no rank has a byte. Of these two the message size does not say it.
bool is_nothing(const CollectiveCall& call, const CallFacts& facts) {
  return facts.message_size == 0 && call.collective != Collective::kBarrier &&
         call.collective != Collective::kAlltoallv && call.collective != Collective::kAllgatherv;
}

bool find(Collective collective, std::string_view algorithm, const MethodParameters& parameters,
          std::uint64_t segment_size, PortableMethod* method) {
  method->algorithm = table().find(collective, without_source(algorithm));
  if (method->algorithm == nullptr) return false;
  if (!takes(*method->algorithm->info, parameters)) return false;
  method->segment_size = segment_size;
  method->radix = static_cast<int>(parameters.radix);
  method->requests = static_cast<int>(parameters.requests);
  method->fanout = static_cast<int>(parameters.fanout);
  return true;
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
  Instance at{row->info->collective, static_cast<std::uint64_t>(facts.size), facts.message_size};
  if (nodes != nullptr) {
    at.nodes = static_cast<std::uint64_t>(nodes->nodes());
    at.ranks_per_node = static_cast<std::uint64_t>(nodes->most_ranks());
  }
  while (!can_run(*row->info, at, method.segment_size, facts.commutative)) row = row->fallback;
  return *row;
}

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
  Context own = context;
  own.segment_size = method.segment_size;
  own.requests = method.requests;
  own.fanout = method.fanout;
  if (facts.size == 1) return run_alone(call, own);
  const Algorithm& row = effective_algorithm(method, facts, context.nodes);
  own.radix = method.radix != 0 ? method.radix : static_cast<int>(row.info->radix);
  return run_row(row, call, facts, own);
}

}  // namespace colltree
