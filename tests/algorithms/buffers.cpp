// SPDX-License-Identifier: BSD-3-Clause
#include "buffers.h"

#include <algorithm>

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

}  // namespace colltree::test
