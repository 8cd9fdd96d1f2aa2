// SPDX-License-Identifier: BSD-3-Clause
#include "types.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace legal {

namespace {

constexpr int kMostIrregular = 64;  // elements of a type whose places follow no rule

std::vector<Run> runs_at(const Element& element, const std::vector<std::ptrdiff_t>& places) {
  std::vector<Run> runs;
  runs.reserve(places.size() * element.runs.size());
  for (const std::ptrdiff_t place : places) {
    for (const Run& run : element.runs) runs.push_back({place + run.offset, run.bytes});
  }
  return runs;
}

MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

// The type with these bounds; frees the one given.
MPI_Datatype with_bounds(MPI_Datatype type, std::ptrdiff_t lower, std::ptrdiff_t extent) {
  MPI_Datatype resized;
  MPI_Type_create_resized(type, lower, extent, &resized);
  MPI_Type_free(&type);
  return resized;
}

Type contiguous(Random& random, const Element& element, int count) {
  std::vector<std::ptrdiff_t> places;
  for (int i = 0; i < count; ++i) places.push_back(i * element.extent);
  MPI_Datatype type;
  if (count == 1) {
    MPI_Type_dup(element.handle, &type);
  } else if (random.one_in(2)) {
    MPI_Type_contiguous(count, element.handle, &type);
  } else {
    MPI_Type_vector(1, count, count + 3, element.handle, &type);
  }
  return {committed(type), true, runs_at(element, places), count * element.extent};
}

// Elements at a fixed distance, forwards or backwards.
Type strided(Random& random, const Element& element, int count, bool bounds) {
  const bool backwards = bounds && random.one_in(2);
  // Open MPI 4.1.4 takes a stride of minus one element for contiguous data.
  const int distance = random.between(backwards ? 2 : 1, 3);
  const std::ptrdiff_t stride = element.extent * distance * (backwards ? -1 : 1);
  const std::ptrdiff_t span = (count - 1) * std::abs(stride) + element.extent;
  const std::ptrdiff_t lower = (backwards ? element.extent - span : 0) -
                               element.extent * (bounds ? random.between(0, 3) : 0);
  const std::ptrdiff_t extent = span + element.extent * random.between(0, 4);
  std::vector<std::ptrdiff_t> places;
  for (int i = 0; i < count; ++i) places.push_back(i * stride);
  MPI_Datatype type;
  MPI_Type_create_hvector(count, 1, stride, element.handle, &type);
  return {committed(with_bounds(type, lower, extent)), true, runs_at(element, places), extent};
}

// Elements in any order, with gaps and, with `bounds`, around the origin.
Type scattered(Random& random, const Element& element, int count, bool bounds) {
  const int slots = count + random.between(0, count + 2);
  const int origin = bounds ? random.between(0, slots) : 0;
  const std::vector<int> order = shuffled(random, slots);
  std::vector<std::ptrdiff_t> places;
  std::vector<MPI_Aint> displacements;
  std::vector<int> lengths;
  for (int i = 0; i < count; ++i) {
    places.push_back((order[static_cast<std::size_t>(i)] - origin) * element.extent);
    displacements.push_back(places.back());
    lengths.push_back(1);
  }
  MPI_Datatype type;
  if (random.one_in(2)) {
    MPI_Type_create_hindexed(count, lengths.data(), displacements.data(), element.handle, &type);
  } else {
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(count), element.handle);
    MPI_Type_create_struct(count, lengths.data(), displacements.data(), types.data(), &type);
  }
  const std::ptrdiff_t extent = (slots + random.between(0, 2)) * element.extent;
  return {committed(with_bounds(type, -origin * element.extent, extent)), true,
          runs_at(element, places), extent};
}

Type empty_type(Random& random, const Element& element) {
  MPI_Datatype type;
  if (random.one_in(2)) {
    MPI_Type_contiguous(0, element.handle, &type);
  } else {
    MPI_Type_create_struct(0, nullptr, nullptr, nullptr, &type);
  }
  return {committed(type), true, {}, 0};
}

}  // namespace

Type::Type(MPI_Datatype handle, bool owned, std::vector<Run> runs, std::ptrdiff_t extent)
    : handle_(handle), owned_(owned), runs_(std::move(runs)), extent_(extent) {
  for (const Run& run : runs_) size_ += static_cast<std::size_t>(run.bytes);
}

Type::Type(Type&& other) noexcept
    : handle_(other.handle_),
      owned_(std::exchange(other.owned_, false)),
      runs_(std::move(other.runs_)),
      extent_(other.extent_),
      size_(other.size_) {}

Type::~Type() {
  if (owned_) MPI_Type_free(&handle_);
}

const std::vector<Element>& elements() {
  static const std::vector<Element> kElements = [] {
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {0, 8};
    const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
    MPI_Datatype both;
    MPI_Type_create_struct(2, lengths, places, parts, &both);
    return std::vector<Element>{{MPI_CHAR, {{0, 1}}, 1, 1},
                                {MPI_SHORT, {{0, 2}}, 2, 2},
                                {MPI_INT, {{0, 4}}, 4, 4},
                                {MPI_DOUBLE, {{0, 8}}, 8, 8},
                                {committed(both), {{0, 4}, {8, 8}}, 16, 12}};
  }();
  return kElements;
}

Type make_type(Random& random, const Element& element, int count, unsigned features) {
  if ((features & kDerived) != 0 && !random.one_in(4)) {
    const bool bounds = (features & kBounds) != 0;
    const bool small = count <= kMostIrregular;
    if ((features & kPermuted) != 0 && small && random.one_in(2)) {
      return scattered(random, element, count, bounds);
    }
    return strided(random, element, count, bounds);
  }
  if (count == 1) return {element.handle, false, element.runs, element.extent};
  return contiguous(random, element, count);
}

int random_divisor(Random& random, int number) {
  std::vector<int> divisors;
  for (int one = 1; one <= std::min(number, 64); ++one) {
    if (number % one == 0) divisors.push_back(one);
  }
  if (number > 64) divisors.push_back(number);
  return divisors.empty() ? 1 : random.of(divisors);
}

Description describe(Random& random, const Element& element, int count, unsigned features) {
  if (count == 0 && (features & kEmptyTypes) != 0 && !random.one_in(3)) {
    return {empty_type(random, element), random.between(1, 5)};
  }
  const bool vary = (features & (kCounts | kDerived)) != 0;
  const int each = count == 0 || !vary ? 1 : random_divisor(random, count);
  return {make_type(random, element, each, features), count / each};
}

Buffer::Buffer(const Type& type, int items) : type_(type) {
  std::ptrdiff_t least = 0;
  std::ptrdiff_t most = 0;
  for (const int item : {0, items - 1}) {
    if (items <= 0) break;
    for (const Run& run : type.runs()) {
      least = std::min(least, item * type.extent() + run.offset);
      most = std::max(most, item * type.extent() + run.offset + run.bytes);
    }
  }
  constexpr std::ptrdiff_t kMargin = 64;
  shift_ = (kMargin - least + 15) / 16 * 16;
  memory_.assign(static_cast<std::size_t>(shift_ + most + kMargin), 0xA5);
  expected_ = memory_;
}

template <typename Visit>
void Buffer::walk(std::ptrdiff_t item, const Bytes& packed, Visit visit) const {
  std::size_t at = 0;
  for (std::ptrdiff_t place = item * type_.extent(); at < packed.size(); place += type_.extent()) {
    for (const Run& run : type_.runs()) {
      visit(static_cast<std::size_t>(shift_ + place + run.offset), packed.data() + at,
            static_cast<std::size_t>(run.bytes));
      at += static_cast<std::size_t>(run.bytes);
    }
  }
}

void Buffer::put(std::ptrdiff_t item, const Bytes& packed) {
  walk(item, packed, [&](std::size_t place, const std::uint8_t* from, std::size_t bytes) {
    std::copy_n(from, bytes, memory_.data() + place);
  });
  expect(item, packed);
}

void Buffer::expect(std::ptrdiff_t item, const Bytes& packed) {
  walk(item, packed, [&](std::size_t place, const std::uint8_t* from, std::size_t bytes) {
    std::copy_n(from, bytes, expected_.data() + place);
  });
}

bool Buffer::holds(std::ptrdiff_t item, const Bytes& packed) const {
  bool same = true;
  walk(item, packed, [&](std::size_t place, const std::uint8_t* from, std::size_t bytes) {
    same = same && std::equal(from, from + bytes, memory_.data() + place);
  });
  return same;
}

}  // namespace legal
