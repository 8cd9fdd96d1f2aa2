// SPDX-License-Identifier: BSD-3-Clause
#include "report/tree_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/kinds/quadtree.h"
#include "timings/penalty_json.h"

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

std::vector<StudyRow> thresholds(const StudyInput& input, model::Reshape reshape,
                                 int step_percent) {
  std::vector<StudyRow> rows;
  for (int percent = step_percent; percent <= 100; percent += step_percent) {
    rows.push_back(study(input, {.reshape = reshape, .accuracy_threshold = percent / 100.0},
                         "accuracy_threshold"));
  }
  return rows;
}

const StudyRow& nearest_in_depth(const std::vector<StudyRow>& rows, double mean_depth) {
  const StudyRow* best = &rows[0];
  for (const StudyRow& row : rows) {
    const double distance = std::abs(row.shape.mean_depth - mean_depth);
    if (distance <= std::abs(best->shape.mean_depth - mean_depth)) best = &row;
  }
  return *best;
}

// The exact tree has no penalty, so there is always one.
const StudyRow& smallest_as_good(const std::vector<StudyRow>& rows, double mean_penalty) {
  constexpr double kRounding = 1e-12;
  const StudyRow* best = nullptr;
  for (const StudyRow& row : rows) {
    if (row.penalty.mean > mean_penalty + kRounding) continue;
    if (best == nullptr || row.tests < best->tests) best = &row;
  }
  return best == nullptr ? rows.back() : *best;
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
  return thresholds(input, reshape, 5);
}

std::vector<StudyRow> limit_study(const StudyInput& input, model::Reshape reshape) {
  const std::vector<StudyRow> by_threshold = thresholds(input, reshape, 1);
  std::vector<StudyRow> rows;
  for (const StudyRow& row : depth_study(input, reshape)) {
    rows.push_back(row);
    rows.push_back(nearest_in_depth(by_threshold, row.shape.mean_depth));
  }
  return rows;
}

std::vector<StudyRow> encoding_study(const StudyInput& input) {
  std::vector<std::vector<StudyRow>> others;
  for (const model::Reshape reshape : {model::Reshape::kEven, model::Reshape::kNone}) {
    others.push_back(depth_study(input, reshape));
    for (const StudyRow& row : thresholds(input, reshape, 5)) others.back().push_back(row);
  }
  std::vector<StudyRow> rows;
  for (const StudyRow& row : depth_study(input, model::Reshape::kEnd)) {
    rows.push_back(row);
    for (const auto& other : others) rows.push_back(smallest_as_good(other, row.penalty.mean));
  }
  return rows;
}

std::string study_csv(const std::vector<StudyRow>& rows) {
  const bool predicted =
      std::ranges::any_of(rows, [](const StudyRow& row) { return row.penalty.predicted > 0; });
  std::string out = fmt::format(
      "limit,reshape,max_depth_limit,accuracy_threshold,leaves,nodes,tests,min_depth,max_depth,"
      "mean_depth,penalty_min,penalty_max,penalty_mean,penalty_median,penalty_p95{}\n",
      predicted ? ",predicted" : "");
  for (const StudyRow& row : rows) {
    const model::GridTreeOptions& options = row.options;
    const model::TreeShape& tree = row.shape;
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}{}\n", row.limit, model::name(options.reshape),
        options.max_depth ? std::to_string(*options.max_depth) : "",
        format_double(options.accuracy_threshold), tree.leaves, tree.nodes, row.tests,
        tree.min_depth, tree.max_depth, format_double(tree.mean_depth),
        format_double(row.penalty.min), format_double(row.penalty.max),
        format_double(row.penalty.mean), format_double(row.penalty.median),
        format_double(row.penalty.p95), predicted ? fmt::format(",{}", row.penalty.predicted) : "");
  }
  return out;
}

Json study_json(const std::vector<StudyRow>& rows) {
  Json list = Json::array();
  for (const StudyRow& row : rows) {
    list.push_back(
        {{"limit", row.limit},
         {"reshape", model::name(row.options.reshape)},
         {"max_depth_limit", row.options.max_depth ? Json(*row.options.max_depth) : Json()},
         {"accuracy_threshold", row.options.accuracy_threshold},
         {"leaves", row.shape.leaves},
         {"nodes", row.shape.nodes},
         {"tests", row.tests},
         {"min_depth", row.shape.min_depth},
         {"max_depth", row.shape.max_depth},
         {"mean_depth", row.shape.mean_depth},
         {"performance_penalty", penalty_json(row.penalty)}});
  }
  return list;
}

}  // namespace colltree::report
