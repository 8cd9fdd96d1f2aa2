// SPDX-License-Identifier: BSD-3-Clause
// The C4.5 decision tree of the 2006 paper as a model (kind "c45"): weight and confidence level
// rule its size (section 3, tables 2 and 4). Its text is that of the paper's tables 1 and 5.
#pragma once

#include <span>
#include <vector>

#include "colltree/c45.hpp"
#include "model/kind.h"
#include "model/kinds/c45_table.h"

namespace colltree::model {

// The settings of a C4.5 fit, of a tree or of rules: those of the training and the attributes.
struct C45Options {
  c45::TreeOptions tree;
  C45FeatureOptions features;
};

std::span<const Parameter> c45_parameters();
C45Options c45_options(const Parameters& parameters);
Parameters parameters_of(const C45Options& options);

// Throws Error when the timings hold no instance with a time.
Model fit_c45_tree(const std::vector<Timings>& timings, const C45Options& options);

// One root for each collective: the tests on the collective are decided beforehand.
RuleTree lower(const c45::Tree& tree, const C45Vocabulary& words);

extern const Kind kC45Kind;

}  // namespace colltree::model
