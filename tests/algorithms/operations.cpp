// SPDX-License-Identifier: BSD-3-Clause
#include "operations.h"

#include <array>

namespace colltree::test {

namespace {

constexpr long kModulus = 10007;

// User operations know the layout of their type at compile time: part type, extent, offsets in
// parts. The offsets are those of Types::Types().
template <typename Part, long Extent, long... Offsets>
struct Layout {
  static constexpr std::array<long, sizeof...(Offsets)> kOffsets{Offsets...};
  using Values = std::array<long, sizeof...(Offsets)>;
  static Values get(const void* base, int i) {
    const Part* element = static_cast<const Part*>(base) + i * Extent;
    Values values;
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<long>(element[kOffsets[k]]);
    return values;
  }
  static void put(void* base, int i, const Values& values) {
    Part* element = static_cast<Part*>(base) + i * Extent;
    for (std::size_t k = 0; k < values.size(); ++k)
      element[kOffsets[k]] = static_cast<Part>(values[k] % kModulus);
  }
};

// (1 + a)(1 + b) - 1: commutative and associative.
template <typename Values>
Values combine(const Values& a, const Values& b) {
  Values c;
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = a[k] + b[k] + a[k] * b[k];
  return c;
}

// Products of 2 x 2 matrices; of two parts, the composition of x -> ax + b.
std::array<long, 4> multiply(const std::array<long, 4>& a, const std::array<long, 4>& b) {
  return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
          a[2] * b[1] + a[3] * b[3]};
}
std::array<long, 2> multiply(const std::array<long, 2>& a, const std::array<long, 2>& b) {
  return {a[0] * b[0], a[0] * b[1] + a[1]};
}

template <typename L>
void combine_all(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) L::put(inout, i, combine(L::get(in, i), L::get(inout, i)));
  folded_elements += *length;
  ++fold_calls;
}

template <typename L>
void multiply_all(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) L::put(inout, i, multiply(L::get(in, i), L::get(inout, i)));
  folded_elements += *length;
  ++fold_calls;
}

using Int = Layout<int, 1, 0>;
using Dense = Layout<int, 4, 0, 1, 2, 3>;
using Gaps = Layout<int, 7, 0, 1, 3, 4>;
using Negative = Layout<int, 11, -6, 0, 1, 3>;
using Shuffled = Layout<int, 4, 2, 0, 3, 1>;
using Interlocked = Layout<double, 2, 0, 3>;

}  // namespace

Operations::Operations() {
  rows_.push_back({"int", {"sum", MPI_SUM, false}});
  rows_.push_back({"int", {"max", MPI_MAX, false}});
  rows_.push_back({"double", {"sum", MPI_SUM, false}});
  add("int", "combine", combine_all<Int>, true);
  add("gaps", "combine", combine_all<Gaps>, true);
  add("negative", "combine", combine_all<Negative>, true);
  add("dense", "multiply", multiply_all<Dense>, false);
  add("gaps", "multiply", multiply_all<Gaps>, false);
  add("negative", "multiply", multiply_all<Negative>, false);
  add("shuffled", "multiply", multiply_all<Shuffled>, false);
  add("interlocked", "multiply", multiply_all<Interlocked>, false);
}

Operations::~Operations() {
  for (Row& row : rows_)
    if (row.op.user) MPI_Op_free(&row.op.op);
}

void Operations::add(const char* type, const char* name, MPI_User_function* function,
                     bool commutes) {
  MPI_Op op;
  MPI_Op_create(function, commutes ? 1 : 0, &op);
  rows_.push_back({type, {name, op, true}});
}

std::vector<OpCase> Operations::of(const TypeCase& type) const {
  std::vector<OpCase> ops;
  for (const Row& row : rows_)
    if (type.name == row.type) ops.push_back(row.op);
  return ops;
}

}  // namespace colltree::test
