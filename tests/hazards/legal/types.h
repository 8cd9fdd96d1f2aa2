// SPDX-License-Identifier: BSD-3-Clause
// Many descriptions of one signature: what a datatype holds, byte by byte, as we built it, so that
// buffers can be filled and read without asking the library.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace legal {

// Random numbers that are the same everywhere: ranks draw what they must agree on from one stream
// and what is their own business from another.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t value = (state_ += 0x9E3779B97F4A7C15);
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
  }
  int below(int end) { return static_cast<int>(next() % static_cast<std::uint64_t>(end)); }
  int between(int least, int most) { return least + below(most - least + 1); }
  bool one_in(int n) { return below(n) == 0; }
  template <typename T>
  const T& of(const std::vector<T>& values) {
    return values[static_cast<std::size_t>(below(static_cast<int>(values.size())))];
  }
  Random fork(std::uint64_t tag) { return Random(next() ^ (tag * 0xD1342543DE82EF95 + 1)); }

 private:
  std::uint64_t state_;
};

// Numbers from 0 to n - 1 in random order.
inline std::vector<int> shuffled(Random& random, int n) {
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int i = n; i-- > 1;) {
    std::swap(order[static_cast<std::size_t>(i)],
              order[static_cast<std::size_t>(random.below(i + 1))]);
  }
  return order;
}

using Bytes = std::vector<std::uint8_t>;  // the packed data of elements, in the order of the map

struct Run {
  std::ptrdiff_t offset;
  int bytes;
};

// What a signature repeats: a predefined type, or an int and a double with a gap between.
struct Element {
  MPI_Datatype handle;
  std::vector<Run> runs;
  std::ptrdiff_t extent;
  int size;  // bytes without the gap
};

// A committed type of several elements.
class Type {
 public:
  Type(MPI_Datatype handle, bool owned, std::vector<Run> runs, std::ptrdiff_t extent);
  Type(Type&& other) noexcept;
  Type& operator=(Type&&) = delete;
  ~Type();

  MPI_Datatype handle() const { return handle_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::ptrdiff_t extent() const { return extent_; }
  std::size_t size() const { return size_; }

 private:
  MPI_Datatype handle_;
  bool owned_;
  std::vector<Run> runs_;
  std::ptrdiff_t extent_;
  std::size_t size_ = 0;
};

struct Description {
  Type type;
  int count;
};

// What a call may do beyond (elements, predefined type) and arguments that all ranks share.
enum Feature : unsigned {
  // How descriptions of data may differ:
  kCounts = 1 << 0,      // other counts of contiguous types
  kGaps = 1 << 1,        // elements at a distance
  kBounds = 1 << 2,      // elements in front of the origin, negative lower bounds and strides
  kPermuted = 1 << 3,    // elements in any order, by index or as members
  kStructs = 1 << 4,     // of an int and a double with a gap between
  kEmptyTypes = 1 << 5,  // nothing, as some items of a type of size 0
  // What calls may do:
  kInPlace = 1 << 6,           // MPI_IN_PLACE, with anything in the arguments it makes ignored
  kIgnored = 1 << 7,           // anything in the arguments that only the root's call uses
  kZero = 1 << 8,              // no elements at some ranks or at all
  kOwnOperation = 1 << 9,      // operations of the program, most not commutative
  kGappedOperation = 1 << 10,  // the same on types with gaps and a negative lower bound
  kCommunicators = 1 << 11,    // parts of the world, other orders of its ranks
  kLarge = 1 << 12,            // messages of up to a quarter of a megabyte
};

inline constexpr unsigned kDerived = kGaps | kBounds | kPermuted;

// To be called between MPI_Init and MPI_Finalize; the same elements on every call.
const std::vector<Element>& elements();
// A type of `count` elements (at least 1).
Type make_type(Random& random, const Element& element, int count, unsigned features);
// `count` elements (0 and more) as some items of a type.
Description describe(Random& random, const Element& element, int count, unsigned features);
int random_divisor(Random& random, int number);

// Memory for items of one type at positions (in extents) of which some may be empty. It knows what
// it must hold after the call: what was put and what is expected, and that nothing else changed.
class Buffer {
 public:
  Buffer(const Type& type, int items);

  void* origin() { return memory_.data() + shift_; }
  // Before the call, and afterwards unless overwritten.
  void put(std::ptrdiff_t item, const Bytes& packed);
  void expect(std::ptrdiff_t item, const Bytes& packed);  // after the call
  bool right() const { return memory_ == expected_; }
  // Only what these items hold.
  bool holds(std::ptrdiff_t item, const Bytes& packed) const;

 private:
  template <typename Visit>
  void walk(std::ptrdiff_t item, const Bytes& packed, Visit visit) const;

  const Type& type_;
  std::ptrdiff_t shift_ = 0;
  std::vector<std::uint8_t> memory_;
  std::vector<std::uint8_t> expected_;
};

}  // namespace legal
