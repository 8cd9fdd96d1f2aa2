// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "evaluate/penalty_json.h"
#include "evaluate/tree_study.h"
#include "model/quadtree/grid_tree_model.h"

namespace colltree {

std::string study_csv(const std::vector<StudyRow>& rows) {
  std::string out =
      "limit,reshape,max_depth_limit,accuracy_threshold,leaves,nodes,tests,min_depth,max_depth,"
      "mean_depth,penalty_min,penalty_max,penalty_mean,penalty_median,penalty_p95\n";
  for (const StudyRow& row : rows) {
    const GridTreeOptions& options = row.options;
    const TreeShape& tree = row.shape;
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", row.limit,
                       name(options.reshape),
                       options.max_depth ? std::to_string(*options.max_depth) : "",
                       format_double(options.accuracy_threshold), tree.leaves, tree.nodes,
                       row.tests, tree.min_depth, tree.max_depth, format_double(tree.mean_depth),
                       format_double(row.penalty.min), format_double(row.penalty.max),
                       format_double(row.penalty.mean), format_double(row.penalty.median),
                       format_double(row.penalty.p95));
  }
  return out;
}

Json study_json(const std::vector<StudyRow>& rows) {
  Json list = Json::array();
  for (const StudyRow& row : rows) {
    list.push_back(
        {{"limit", row.limit},
         {"reshape", name(row.options.reshape)},
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

}  // namespace colltree
