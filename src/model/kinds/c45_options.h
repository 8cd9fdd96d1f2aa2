// SPDX-License-Identifier: BSD-3-Clause
// What a C4.5 fit is given, of a tree or of rules: its parameters, and the training itself.
#pragma once

#include <span>

#include "base/bounds.h"
#include "model/c45/train.h"
#include "model/kind.h"
#include "model/kinds/c45_table.h"

namespace colltree {

inline constexpr WholeRange kWeightRange{1, 1U << 30};
inline constexpr RealRange kConfidenceRange{0.001, 100, true};  // percent

struct C45Options {
  int weight = 2;               // -m
  float confidence_level = 25;  // -c, percent
  bool gain_only = false;       // -g
  bool group = false;           // -s
  C45FeatureOptions features;
};

std::span<const Parameter> c45_parameters();
C45Options c45_options(const Parameters& parameters);
Parameters parameters_of(const C45Options& options);

// One tree, grown and pruned.
c45::Trial train(const C45Table& table, const C45Options& options);

}  // namespace colltree
