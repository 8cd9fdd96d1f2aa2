// SPDX-License-Identifier: BSD-3-Clause
// Divides the measured instances into k folds, each held out once, so that a model is judged on
// points that it was not fitted to.
//   communicator_sizes  whole sizes in random order: tests decisions for sizes that nobody measured
//   message_sizes       likewise
//   blocks              both axes are cut into k runs of neighbouring sizes; a fold takes one of
//                       the k x k blocks of each run of either axis (a Latin square), so every
//                       size stays known but a region of the grid does not
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "timings/timings.h"

namespace colltree {

enum class HeldOut : std::uint8_t { kCommunicatorSizes, kMessageSizes, kBlocks };

std::string_view name(HeldOut held_out);
// A comma list of "communicator_sizes", "message_sizes", "blocks". Throws UsageError.
std::vector<HeldOut> parse_held_out(std::string_view names);

struct FoldOptions {
  HeldOut held_out = HeldOut::kCommunicatorSizes;
  std::size_t folds = 5;  // of fewer sizes than that: as many folds as sizes
  std::uint64_t seed = 1;
};

class Folds {
 public:
  // One division for all collectives, which a model may decide for together. Throws UsageError for
  // fewer than two folds, Error when a collective could not be fitted without one of its folds.
  Folds(const std::vector<Timings>& timings, const FoldOptions& options);

  std::size_t count() const { return count_; }
  std::size_t fold(const Instance& instance) const { return fold_of_group_[group(instance)]; }
  // The number of the size or block that is held out as a whole with this instance.
  std::size_t group(const Instance& instance) const;

 private:
  // Ascending sizes, and the run that each belongs to; a single run if the axis is not cut.
  struct Axis {
    std::vector<std::uint64_t> sizes;
    std::size_t runs = 1;
    std::size_t run(std::uint64_t size) const;
  };
  void check(const std::vector<Timings>& timings, HeldOut held_out) const;

  Axis ranks_;
  Axis bytes_;
  std::size_t count_ = 0;
  std::vector<std::size_t> fold_of_group_;
};

// The timings without a fold, to fit to, and the fold itself, to judge on; tables as in `timings`.
struct FoldParts {
  std::vector<Timings> rest;
  std::vector<Timings> left_out;
};
FoldParts part(const std::vector<Timings>& timings, const Folds& folds, std::size_t fold);

}  // namespace colltree
