// SPDX-License-Identifier: BSD-3-Clause
#include "report/tree_study.h"

#include "model/kinds/quadtree.h"

namespace colltree::report {

namespace {

StudyRow study(const StudyInput& input, const model::GridTreeOptions& options, const char* limit) {
  const model::Model model =
      model::fit_quadtree({.collectives = input.grid.collectives}, input.grid, options);
  PenaltyPoints points;
  for (const Timings& one : input.timings) points.add(model::penalty_points(one, model));
  std::uint64_t tests = 0;
  for (const model::RuleNode& node : model.rules.nodes) tests += node.is_leaf() ? 0 : 1;
  return {.limit = limit,
          .options = options,
          .shape = model.statistics.shape,
          .tests = tests,
          .penalty = summarize(points)};
}

}  // namespace

std::vector<StudyRow> depth_study(const StudyInput& input, model::Reshape reshape) {
  const model::GridTreeOptions exact{.reshape = reshape};
  const std::uint64_t deepest = model::shape(model::fit_grid_tree(input.grid, exact)).max_depth;
  std::vector<StudyRow> rows;
  for (std::uint64_t depth = 0; depth <= deepest; ++depth) {
    rows.push_back(study(input, {.reshape = reshape, .max_depth = depth}, "max_depth"));
  }
  return rows;
}

std::vector<StudyRow> threshold_study(const StudyInput& input, model::Reshape reshape) {
  std::vector<StudyRow> rows;
  for (int percent = 5; percent <= 100; percent += 5) {
    rows.push_back(study(input, {.reshape = reshape, .accuracy_threshold = percent / 100.0},
                         "accuracy_threshold"));
  }
  return rows;
}

}  // namespace colltree::report
