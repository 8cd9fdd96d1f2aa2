// SPDX-License-Identifier: BSD-3-Clause
// How often a cell is still repeated: its stop rule at work, on rank 0. Numbers only; CellRunner
// tells the other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "measure/plan.h"
#include "measure/rank/common_start.h"

namespace colltree {

class Sampling {
 public:
  // `stop` must outlive it. `clock_s` is looked at only where the stop rule needs it: in the
  // simulator a look takes time.
  Sampling(const StopRule& stop, std::function<double()> clock_s)
      : stop_(stop), clock_s_(std::move(clock_s)) {}

  // How long one call lasts, as far as the warm-up told.
  void expect(double call_s) { call_s_ = call_s; }

  std::size_t next_batch();  // repetitions; 0: enough
  void add(const Durations& batch);

  const std::vector<double>& samples_us() const { return samples_us_; }
  std::uint64_t discarded() const { return discarded_; }  // repetitions that do not count

 private:
  std::uint64_t tried() const { return samples_us_.size() + discarded_; }
  bool enough() const;
  double budget_s() const;
  std::uint64_t affordable() const;

  const StopRule& stop_;
  std::function<double()> clock_s_;
  double began_s_ = 0;
  double call_s_ = 0;
  std::vector<double> samples_us_;
  std::uint64_t discarded_ = 0;
};

}  // namespace colltree
