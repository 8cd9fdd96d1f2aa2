// SPDX-License-Identifier: BSD-3-Clause
#include "operation.h"

#include <cstring>

namespace legal {

namespace {

// An affine map x -> a x + b modulo 2^32. Composition is associative and not commutative.
struct Affine {
  std::uint32_t a, b;
};

// Where a and b stand in an item, and how far it is to the next: in front of the item's origin and
// behind it, with gaps.
struct Place {
  std::ptrdiff_t a, b, lower, extent;
};
constexpr Place kDense = {0, 4, 0, 8};
constexpr Place kGapped = {-8, 12, -12, 40};

template <const Place& place>
void compose(void* in, void* inout, int* count, MPI_Datatype*) {
  for (std::ptrdiff_t i = 0; i < *count; ++i) {
    const auto* left = static_cast<const std::uint8_t*>(in) + i * place.extent;
    auto* right = static_cast<std::uint8_t*>(inout) + i * place.extent;
    Affine l, r;
    std::memcpy(&l.a, left + place.a, 4);
    std::memcpy(&l.b, left + place.b, 4);
    std::memcpy(&r.a, right + place.a, 4);
    std::memcpy(&r.b, right + place.b, 4);
    const Affine both = {l.a * r.a, l.a * r.b + l.b};
    std::memcpy(right + place.a, &both.a, 4);
    std::memcpy(right + place.b, &both.b, 4);
  }
}

template <auto combine>
void combine_numbers(void* in, void* inout, int* count, MPI_Datatype*) {
  const auto* left = static_cast<const std::uint32_t*>(in);
  auto* right = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i) right[i] = combine(left[i], right[i]);
}

// By Kind: of packed elements.
constexpr MPI_User_function* kPacked[] = {
    combine_numbers<[](std::uint32_t a, std::uint32_t b) { return a + b; }>,
    combine_numbers<[](std::uint32_t a, std::uint32_t b) { return a ^ b; }>,
    combine_numbers<[](std::uint32_t a, std::uint32_t b) { return a & b; }>,
    combine_numbers<[](std::uint32_t a, std::uint32_t b) { return a * b; }>,
    compose<kDense>,
    compose<kDense>};

Type pair_type(const Place& place) {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {place.a, place.b};
  MPI_Datatype loose, type;
  MPI_Type_create_hindexed(2, lengths, places, MPI_UINT32_T, &loose);
  MPI_Type_create_resized(loose, place.lower, place.extent, &type);
  MPI_Type_free(&loose);
  MPI_Type_commit(&type);
  return {type, true, {{place.a, 4}, {place.b, 4}}, place.extent};
}

}  // namespace

Operation::Kind Operation::pick_kind(Call& call) {
  if (call.may(kGappedOperation) && !call.shared.one_in(3)) return Kind::kGappedAffine;
  if (call.may(kOwnOperation) && !call.shared.one_in(4)) {
    return call.shared.one_in(4) ? Kind::kProduct : Kind::kAffine;
  }
  return static_cast<Kind>(call.shared.below(3));
}

Type Operation::type_of(Kind kind) {
  if (kind < Kind::kAffine) return {MPI_UINT32_T, false, {{0, 4}}, 4};
  return pair_type(kind == Kind::kAffine ? kDense : kGapped);
}

Operation::Operation(Call& call) : kind_(pick_kind(call)), type_(type_of(kind_)) {
  const MPI_Op built_in[] = {MPI_SUM, MPI_BXOR, MPI_BAND};
  const bool commutes = kind_ == Kind::kProduct;
  if (kind_ < Kind::kProduct)
    op_ = built_in[static_cast<int>(kind_)];
  else
    MPI_Op_create(
        kind_ == Kind::kGappedAffine ? compose<kGapped> : kPacked[static_cast<int>(kind_)],
        commutes ? 1 : 0, &op_);
}

Operation::~Operation() {
  if (kind_ >= Kind::kProduct) MPI_Op_free(&op_);
}

Bytes Operation::combined(std::uint64_t key, int from, int ranks, std::size_t first,
                          std::size_t count) const {
  Bytes result;
  for (int rank = from; rank < from + ranks; ++rank) {
    Bytes right = data_of(key, rank, 0, (first + count) * type_.size());
    right.erase(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(first * type_.size()));
    int elements = static_cast<int>(count);
    if (rank > from)
      kPacked[static_cast<int>(kind_)](result.data(), right.data(), &elements, nullptr);
    result = std::move(right);
  }
  return result;
}

}  // namespace legal
