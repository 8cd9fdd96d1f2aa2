// SPDX-License-Identifier: BSD-3-Clause
#include "profile/packed_rows.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/error.h"

namespace colltree {

namespace {

auto point_of(const PackedRow& row) {
  return std::tuple(row.system, row.collective, row.communicator_size, row.message_size, row.nodes,
                    row.ranks_per_node, row.method);
}

auto canonical(const PackedRow& row) {
  return std::tuple_cat(point_of(row), std::tuple(row.rep, row.time_us));
}

// The number of `key`, a new one when it was not there.
template <typename Key>
std::uint32_t number_of(std::map<Key, std::uint32_t>& numbers, const Key& key) {
  return numbers.try_emplace(key, static_cast<std::uint32_t>(numbers.size())).first->second;
}

// New numbers in the order of the keys, by old number.
template <typename Key>
std::vector<std::uint32_t> renumbered(std::map<Key, std::uint32_t>& numbers) {
  std::vector<std::uint32_t> ranks(numbers.size());
  std::uint32_t rank = 0;
  for (auto& [key, number] : numbers) ranks[number] = rank++;
  return ranks;
}

}  // namespace

void PackedRows::add(const CsvRow& row) {
  if (row.line > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("more than 4294967295 rows in one file; split it");
  }
  const std::uint32_t system = number_of(system_numbers_, row.system);
  const std::uint32_t method = number_of(method_numbers_, row.method);
  if (system == systems_.size()) systems_.push_back({row.system, row.mpi});
  if (method == methods_.size()) methods_.push_back(row.method);
  const Instance& at = row.instance;
  rows_.push_back({.system = system,
                   .method = method,
                   .communicator_size = static_cast<std::uint32_t>(at.communicator_size),
                   .nodes = static_cast<std::uint32_t>(at.nodes),
                   .ranks_per_node = static_cast<std::uint32_t>(at.ranks_per_node),
                   .rep = static_cast<std::int32_t>(row.sample.rep),
                   .message_size = at.message_size,
                   .time_us = row.sample.time_us,
                   .line = static_cast<std::uint32_t>(row.line),
                   .collective = at.collective});
}

void PackedRows::close() {
  const std::vector<std::uint32_t> systems = renumbered(system_numbers_);
  const std::vector<std::uint32_t> methods = renumbered(method_numbers_);
  for (PackedRow& row : rows_) {
    row.system = systems[row.system];
    row.method = methods[row.method];
  }
  std::ranges::sort(systems_, {}, &System::name);
  std::ranges::sort(methods_);
  system_numbers_.clear();
  method_numbers_.clear();
}

void PackedRows::sort_by_line() { std::ranges::sort(rows_, {}, &PackedRow::line); }

void PackedRows::sort_canonically() { std::ranges::sort(rows_, {}, canonical); }

CsvRow PackedRows::unpacked(const PackedRow& row) const {
  return {.system = systems_[row.system].name,
          .instance = instance_of(row),
          .method = methods_[row.method],
          .sample = {row.rep, row.time_us},
          .mpi = systems_[row.system].mpi,
          .line = row.line};
}

Instance instance_of(const PackedRow& row) {
  return {row.collective, row.communicator_size, row.message_size, row.nodes, row.ranks_per_node};
}

bool same_point(const PackedRow& a, const PackedRow& b) { return point_of(a) == point_of(b); }

bool same_row(const PackedRow& a, const PackedRow& b) { return canonical(a) == canonical(b); }

}  // namespace colltree
