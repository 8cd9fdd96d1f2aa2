// SPDX-License-Identifier: BSD-3-Clause
// The options of a C4.5 fit, of a tree or of rules, and as `parameters` in M.json.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/c45_features.h"

namespace colltree {

struct C45Options {
  int weight = 2;               // -m
  float confidence_level = 25;  // -c, percent
  bool gain_only = false;       // -g
  bool group = false;           // -s
  C45FeatureOptions features;
};

nlohmann::json to_json(const C45Options& options);
// Throws Error.
C45Options read_c45_options(const nlohmann::json& parameters);

}  // namespace colltree
