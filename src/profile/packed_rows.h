// SPDX-License-Identifier: BSD-3-Clause
// The rows of a CSV file in 48 bytes each: an import holds all of them, because what identifies it
// is their canonical order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "profile/csv.h"

namespace colltree {

struct PackedRow {
  std::uint32_t system;  // number among PackedRows::systems()
  std::uint32_t method;
  std::uint32_t communicator_size, nodes, ranks_per_node;
  std::int32_t rep;
  std::uint64_t message_size;
  double time_us;
  std::uint32_t line;  // of the file, from 1
  Collective collective;
};

class PackedRows {
 public:
  struct System {
    std::string name;
    std::string mpi;
  };

  void add(const CsvRow& row);
  // After the last add: numbers systems by name and methods in their order.
  void close();

  const std::vector<System>& systems() const { return systems_; }
  std::vector<PackedRow>& rows() { return rows_; }

  void sort_by_line();
  void sort_canonically();  // by all members but the line, as CsvRow; after close

  CsvRow unpacked(const PackedRow& row) const;

 private:
  std::map<std::string, std::uint32_t> system_numbers_;
  std::map<Method, std::uint32_t> method_numbers_;
  std::vector<System> systems_;
  std::vector<Method> methods_;
  std::vector<PackedRow> rows_;
};

// Of a row: the instance, and whether two rows stand for the same but for the line.
Instance instance_of(const PackedRow& row);
bool same_point(const PackedRow& a, const PackedRow& b);  // system, instance and method
bool same_row(const PackedRow& a, const PackedRow& b);    // and rep and time

}  // namespace colltree
