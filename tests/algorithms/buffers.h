// SPDX-License-Identifier: BSD-3-Clause
// Datatypes worth trying, reduction operations for them, and buffers that notice what is written
// beside the data.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace colltree::test {

// Elements made of equal parts (int or double) at known offsets, so that a user operation and the
// filling of a buffer can find them. The signature lists them in the order of `offsets`.
struct TypeCase {
  std::string name;
  MPI_Datatype type;
  MPI_Datatype part;
  std::vector<MPI_Aint> offsets;  // bytes from the element's origin
  MPI_Aint extent;
  bool derived;

  std::size_t parts() const { return offsets.size(); }
};

class Types {
 public:
  Types();
  ~Types();
  Types(const Types&) = delete;
  Types& operator=(const Types&) = delete;
  const std::vector<TypeCase>& all() const { return all_; }
  const TypeCase& operator[](const std::string& name) const;

 private:
  void add(std::string name, MPI_Datatype part, const std::vector<MPI_Aint>& offsets, MPI_Aint lb,
           MPI_Aint extent);
  std::vector<TypeCase> all_;
};

// What Buffer::fill(seed) writes into the parts first .. first+n-1, whatever their type.
std::vector<double> part_values(std::uint64_t seed, std::size_t first, std::size_t n);

// Memory for `count` elements between guards. All of it, holes too, is compared.
class Buffer {
 public:
  Buffer(const TypeCase& type, std::size_t count);

  void* data() { return memory_.data() + origin_; }
  // Every byte a function of the seed; then the parts small whole numbers, in doubles too.
  void fill(std::uint64_t seed);
  bool operator==(const Buffer& other) const { return memory_ == other.memory_; }
  // The parts' values in the order of the signature, of elements first .. first+n-1.
  std::vector<double> values(std::size_t first, std::size_t n) const;
  void set_values(std::size_t first, const std::vector<double>& values);
  const TypeCase& type() const { return *type_; }
  std::size_t count() const { return count_; }

 private:
  std::uint8_t* part(std::size_t element, std::size_t k);
  const std::uint8_t* part(std::size_t element, std::size_t k) const;
  const TypeCase* type_;
  std::size_t count_;
  std::size_t origin_;
  std::vector<std::uint8_t> memory_;
};

// Reduction operations worth trying, for each TypeCase.
struct OpCase {
  std::string name;
  MPI_Op op;
  bool user;
};

// Elements folded by user operations, and their calls, in this process so far (in the simulator: by
// all ranks).
inline std::atomic<long> folded_elements{0};
inline std::atomic<long> fold_calls{0};

class Operations {
 public:
  Operations();
  ~Operations();
  Operations(const Operations&) = delete;
  Operations& operator=(const Operations&) = delete;
  // Those that make sense for elements of this type.
  std::vector<OpCase> of(const TypeCase& type) const;

 private:
  struct Row {
    const char* type;
    OpCase op;
  };
  void add(const char* type, const char* name, MPI_User_function* function, bool commutes);
  std::vector<Row> rows_;
};

}  // namespace colltree::test
