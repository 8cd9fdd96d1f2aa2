// SPDX-License-Identifier: BSD-3-Clause
// The options of a C4.5 fit, of a tree or of rules, and as `parameters` in M.json.
#pragma once

#include "base/bounds.h"
#include "base/json.h"
#include "model/c45_features.h"
#include "model/parameters.h"

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

Json to_json(const C45Options& options);
C45Options c45_options(const Parameters& parameters);
std::span<const Parameter> c45_parameters();

}  // namespace colltree
