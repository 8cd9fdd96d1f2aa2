// SPDX-License-Identifier: BSD-3-Clause
#include "buffers.h"

#include <algorithm>
#include <array>

namespace colltree::test {

namespace {

constexpr std::size_t kGuard = 64;

std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  return x;
}

MPI_Aint part_size(MPI_Datatype part) {
  return part == MPI_INT ? static_cast<MPI_Aint>(sizeof(int))
                         : static_cast<MPI_Aint>(sizeof(double));
}

}  // namespace

Types::Types() {
  constexpr MPI_Aint i = sizeof(int);
  constexpr MPI_Aint d = sizeof(double);
  all_.push_back({"int", MPI_INT, MPI_INT, {0}, i, false});
  all_.push_back({"double", MPI_DOUBLE, MPI_DOUBLE, {0}, d, false});
  add("dense", MPI_INT, {0, i, 2 * i, 3 * i}, 0, 4 * i);
  add("gaps", MPI_INT, {0, i, 3 * i, 4 * i}, 0, 7 * i);
  // No hole, but memory lists the parts in another order than the signature does.
  add("shuffled", MPI_INT, {2 * i, 0, 3 * i, i}, 0, 4 * i);
#ifndef COLLTREE_SMPI  // SimGrid 3.32 packs these wrongly: its stride is not the resized extent
  add("negative", MPI_INT, {-6 * i, 0, i, 3 * i}, -7 * i, 11 * i);
  // Elements interlock: the extent is less than what one element spans.
  add("interlocked", MPI_DOUBLE, {0, 3 * d}, 0, 2 * d);
#endif
}

void Types::add(std::string name, MPI_Datatype part, const std::vector<MPI_Aint>& offsets,
                MPI_Aint lb, MPI_Aint extent) {
  std::vector<int> lengths(offsets.size(), 1);
  std::vector<MPI_Datatype> parts(offsets.size(), part);
  MPI_Datatype plain;
  MPI_Datatype type;
  MPI_Type_create_struct(static_cast<int>(offsets.size()), lengths.data(), offsets.data(),
                         parts.data(), &plain);
  MPI_Type_create_resized(plain, lb, extent, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&plain);
  all_.push_back({std::move(name), type, part, offsets, extent, true});
}

Types::~Types() {
  for (TypeCase& type : all_)
    if (type.derived) MPI_Type_free(&type.type);
}

const TypeCase& Types::operator[](const std::string& name) const {
  return *std::ranges::find_if(all_, [&](const TypeCase& type) { return type.name == name; });
}

std::vector<double> part_values(std::uint64_t seed, std::size_t first, std::size_t n) {
  std::vector<double> values(n);
  for (double& value : values) value = static_cast<double>(scramble(seed * 7919 + ++first) % 10007);
  return values;
}

Buffer::Buffer(const TypeCase& type, std::size_t count) : type_(&type), count_(count) {
  const auto [low, high] = std::ranges::minmax(type.offsets);
  const MPI_Aint below = std::max<MPI_Aint>(0, -low);
  const MPI_Aint above = static_cast<MPI_Aint>(count) * type.extent + high + part_size(type.part);
  origin_ = kGuard + (static_cast<std::size_t>(below) + 15) / 16 * 16;
  memory_.resize(origin_ + static_cast<std::size_t>(above) + kGuard);
}

std::uint8_t* Buffer::part(std::size_t element, std::size_t k) {
  return memory_.data() + origin_ + static_cast<MPI_Aint>(element) * type_->extent +
         type_->offsets[k];
}

const std::uint8_t* Buffer::part(std::size_t element, std::size_t k) const {
  return const_cast<Buffer*>(this)->part(element, k);
}

void Buffer::fill(std::uint64_t seed) {
  for (std::size_t i = 0; i < memory_.size(); ++i)
    memory_[i] = static_cast<std::uint8_t>(scramble(seed * 1000003 + i / 8) >> (8 * (i % 8)));
  set_values(0, part_values(seed, 0, count_ * type_->parts()));
}

void Buffer::set_values(std::size_t first, const std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::uint8_t* at = part(first + i / type_->parts(), i % type_->parts());
    const int value = static_cast<int>(values[i]);
    if (type_->part == MPI_INT) {
      std::memcpy(at, &value, sizeof value);
    } else {
      std::memcpy(at, &values[i], sizeof(double));
    }
  }
}

std::vector<double> Buffer::values(std::size_t first, std::size_t n) const {
  std::vector<double> values(n * type_->parts());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint8_t* at = part(first + i / type_->parts(), i % type_->parts());
    int value = 0;
    if (type_->part == MPI_INT) {
      std::memcpy(&value, at, sizeof value);
      values[i] = value;
    } else {
      std::memcpy(&values[i], at, sizeof(double));
    }
  }
  return values;
}

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
