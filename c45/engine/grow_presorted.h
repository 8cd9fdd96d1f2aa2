// SPDX-License-Identifier: BSD-3-Clause
// Grows release 8's tree on complete data (no unknown value) in O(n log n) for balanced trees.
//
// Every continuous attribute is sorted once; a node owns the same range of every sorted list, and a
// test splits each list stably. With complete data all weights are counts, so x log2 x comes from a
// table and no sum depends on the order of the cases. A cut's gain is first bounded in float64 with
// O(1) work for a case; only cuts that may win within the rounding error of release 8's float32
// sums are evaluated exactly as it does (scan_presorted.cpp).
//
// Memory beside the cases: 16 bytes per case for each continuous attribute, and about 32 more.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/arithmetic.h"
#include "engine/grower.h"

namespace colltree::c45 {

// x log2 x for x = 0..n, the same float64 values as x_log2_x: with complete data all weights are
// counts, and a table replaces the logarithms. 8 bytes per case.
class CountLog {
 public:
  explicit CountLog(std::size_t n) : table_(n + 1) {
    for (std::size_t x = 0; x <= n; ++x) table_[x] = x_log2_x(static_cast<float>(x));
  }
  double operator[](std::size_t count) const { return table_[count]; }
  const double* data() const { return table_.data(); }

 private:
  std::vector<double> table_;
};

// Scratch of the scan for the best cut of one sorted list.
class CutScan {
 public:
  struct Entry {
    float value;
    std::uint32_t id;
    std::uint32_t label;
  };
  struct Node {
    ClassCounts classes;  // sorted
    float base = 0;       // information of the classes per case
  };

  CutScan(std::size_t cases, std::size_t classes) : log_(cases), loss_(cases), side_(classes) {}
  // `cut_at` is set to the number of cases on the low side of the best cut.
  Split best_cut(std::span<const Entry> entries, const Node& node, float min_weight,
                 std::size_t& cut_at);
  float information(const Node& node, std::size_t items) const;

 private:
  struct Sides {
    std::uint32_t low;
    std::uint32_t high;
  };
  struct Range {
    std::size_t first = 0;  // smallest number of cases on the low side
    std::size_t last = 0;
  };
  void reset(const Node& node);
  double measure_losses(std::span<const Entry> entries, Range range, std::size_t& tries);
  Split best_within(double limit, std::span<const Entry> entries, const Node& node, Range range,
                    float cost, std::size_t& cut_at);
  float exact_gain(const Node& node, std::size_t items, std::size_t low) const;
  float split_info(std::size_t items, std::size_t low) const;

  CountLog log_;
  std::vector<double> loss_;  // by cut: bits left after it
  std::vector<Sides> side_;   // by class
};

class PresortedGrower : private Grower {
 public:
  PresortedGrower(const Schema& schema, const Cases& cases, const Thresholds& thresholds);
  // May be called again with other options: the sorting is kept.
  Tree grow(const TreeOptions& options);

 private:
  struct Task {
    std::uint32_t node;
    std::uint32_t begin;
    std::uint32_t end;
    bool closes_discrete;  // not a node: the test on attribute `node` leaves the path
  };

  void start(const TreeOptions& options);
  void count_classes(std::uint32_t begin, std::uint32_t end);
  void split_node(const Task& task);
  void evaluate(const Task& task);
  void evaluate_discrete(const Task& task, std::size_t attribute);
  void distribute(const Task& task, std::size_t attribute);
  void split_lists(const Task& task, std::size_t attribute);
  void distribute_lists(const Task& task, const Node& node);
  void open_branches(const Task& task);
  void collapse();
  void collapse_into_leaf(std::uint32_t index);

  std::vector<std::vector<std::uint32_t>> sorted_;  // by continuous attribute: case ids
  std::vector<std::vector<CutScan::Entry>> lists_;  // the same, split at each node
  std::vector<std::uint32_t> ids_;                  // all cases, split likewise
  std::vector<CutScan::Entry> entry_scratch_;
  std::vector<std::uint32_t> id_scratch_;
  std::vector<std::uint8_t> high_side_;     // by case
  std::vector<std::uint32_t> branch_;       // by case
  std::vector<std::uint32_t> branch_size_;  // of the current test
  CutScan scan_;
  CutScan::Node here_;
  std::vector<Split> splits_;
  std::vector<std::size_t> cut_at_;
  ValueTable table_;
  std::vector<float> best_weight_;  // by node: cases of the best class
  std::vector<Task> tasks_;
};

}  // namespace colltree::c45
