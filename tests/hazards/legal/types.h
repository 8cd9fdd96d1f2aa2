// SPDX-License-Identifier: BSD-3-Clause
// Many descriptions of one signature: what a datatype holds, byte by byte, as we built it, so that
// buffers can be filled and read without asking the library.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "random.h"

namespace legal {

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
  Buffer(const Type& type, int first, int items);

  void* origin() { return memory_.data() + shift_; }
  void put(int item, const Bytes& packed);     // before the call, and afterwards unless overwritten
  void expect(int item, const Bytes& packed);  // after the call
  void forget();                               // all of it may be anything after the call
  bool right() const { return forgotten_ || memory_ == expected_; }
  // Only what these items hold.
  bool holds(int item, const Bytes& packed) const;

 private:
  template <typename Visit>
  void walk(int item, const Bytes& packed, Visit visit) const;

  const Type& type_;
  std::ptrdiff_t shift_ = 0;
  std::vector<std::uint8_t> memory_;
  std::vector<std::uint8_t> expected_;
  bool forgotten_ = false;
};

}  // namespace legal
