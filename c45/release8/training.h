// SPDX-License-Identifier: BSD-3-Clause
// From cases to trees: chooses the fast or release 8's own way, windowed or not, and prunes.
#pragma once

#include <optional>

#include "model/c45/train.h"
#include "release8/reader.h"
#include "release8/windows.h"

namespace colltree::c45 {

// Whether any case lacks a value of an attribute that is not ignored.
bool has_unknowns(const Schema& schema, const Cases& cases);

struct TrainOptions {
  GrowOptions grow;
  float confidence_percent = 25;           // -c
  std::optional<WindowOptions> windowing;  // -t -w -i
  bool soft_thresholds = false;            // -p
  bool in_release8_order = false;          // tests: the slow way even for complete data
};

struct Training {
  std::vector<Trial> trials;  // one without windowing
  std::size_t best = 0;       // the trial with the smallest pessimistic estimate
};

Training train(const Schema& schema, const Cases& cases, const TrainOptions& options);

}  // namespace colltree::c45
