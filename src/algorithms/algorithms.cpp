// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/algorithms.h"

#include "algorithms/rows.h"
#include "algorithms/run_alone.h"
#include "algorithms/types.h"
#include "coll/library_algorithms.h"

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
#define COLLTREE_ALGORITHM(collective, algorithm, ...) add(rows::collective##_##algorithm);
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

}  // namespace

const Algorithm* find_algorithm(Collective collective, std::string_view algorithm) noexcept {
  MethodWords words;
  if (!read_method_name(algorithm, words).empty()) return nullptr;
  return table().find(collective, words.algorithm);
}

bool find_method(Collective collective, std::string_view algorithm, std::uint64_t segment_size,
                 PortableMethod* method) noexcept {
  MethodWords words;
  if (!read_method_name(algorithm, words).empty()) return false;
  method->algorithm = table().find(collective, words.algorithm);
  if (method->algorithm == nullptr) return false;
  const AlgorithmInfo& info = *method->algorithm->info;
  if (!takes(info, words)) return false;
  method->segment_size = segment_size;
  method->radix = static_cast<int>(words.radix);
  method->requests = static_cast<int>(words.requests);
  return true;
}

const Algorithm& effective_algorithm(const PortableMethod& method,
                                     const CallFacts& facts) noexcept {
  const CallSize size{static_cast<std::uint64_t>(facts.size), facts.message_size,
                      method.segment_size, facts.commutative};
  const Algorithm* row = method.algorithm;
  while (!can_run(*row->info, size)) row = row->fallback;
  return *row;
}

int run(const PortableMethod& method, const CollectiveCall& call, const Context& context) {
  CallFacts facts;
  COLLTREE_TRY(look_at(call, context.comm, &facts));
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
  if (facts.size == 1) return run_alone(call, own);
  const Algorithm& row = effective_algorithm(method, facts);
  own.radix = method.radix != 0 ? method.radix : static_cast<int>(row.info->radix);
  return row.code(call, own);
}

}  // namespace colltree
