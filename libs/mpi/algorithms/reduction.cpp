// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/reduction.h"

#include <algorithm>

namespace colltree::algorithms {

int Reduction::open(const CollectiveCall& call, const Context& context) {
  rank = context.rank;
  size = context.size;
  COLLTREE_TRY(describe(call.receive_type, &layout));
  commutative = is_common(call.op);
  if (!commutative) COLLTREE_TRY(ask_commutative(call.op, &commutative));
  op = call.op;
  root = call.root;
  count = static_cast<std::size_t>(call.receive_count);
  if (call.collective == Collective::kReduceScatterBlock) count *= static_cast<std::size_t>(size);
  if (call.receive_counts != nullptr) {
    count = 0;
    for (int i = 0; i < size; ++i) count += static_cast<std::size_t>(call.receive_counts[i]);
  }
  result = result_of(call, rank);
  own = own_of(call);
  return MPI_SUCCESS;
}

namespace {

// The library's own loop goes through a table, and in MPICH adds up one number after the other.
template <typename Number>
void add_numbers(const void* lower, void* inout, std::size_t n) {
  constexpr std::size_t kBlock = 64 / sizeof(Number);
  const auto* from = static_cast<const Number*>(lower);
  auto* to = static_cast<Number*>(inout);
  std::size_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    Number sums[kBlock];
    for (std::size_t k = 0; k < kBlock; ++k) sums[k] = from[i + k] + to[i + k];
    for (std::size_t k = 0; k < kBlock; ++k) to[i + k] = sums[k];
  }
  for (; i < n; ++i) to[i] = from[i] + to[i];
}

}  // namespace

bool add_at_once(MPI_Op op, MPI_Datatype type, const void* lower, void* inout, std::size_t n) {
  if (op != MPI_SUM) return false;
  if (type == MPI_DOUBLE)
    add_numbers<double>(lower, inout, n);
  else if (type == MPI_FLOAT)
    add_numbers<float>(lower, inout, n);
  else if (type == MPI_INT)
    add_numbers<unsigned>(lower, inout, n);  // as two's complement
  else
    return false;
  return true;
}

int Reduction::fold(const void* lower, void* inout, std::size_t n) const {
  const Segments parts(n, 0);
  for (std::size_t i = 0; i < parts.count(); ++i) {
    COLLTREE_TRY(PMPI_Reduce_local(layout.element(lower, parts.offset(i)),
                                   layout.element(inout, parts.offset(i)), parts.length(i),
                                   layout.type, op));
  }
  return MPI_SUCCESS;
}

std::size_t elements_per_segment(const Context& context, const TypeLayout& layout) {
  if (context.segment_size == 0) return 0;
  return std::max<std::size_t>(1, context.segment_size / layout.size);
}

}  // namespace colltree::algorithms
