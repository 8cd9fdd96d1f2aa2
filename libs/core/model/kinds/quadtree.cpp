// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/quadtree.h"

#include <algorithm>

#include "model/quadtree/label_grid.h"

namespace colltree::model {

namespace {

constexpr std::string_view kReshapes[] = {"end", "even", "none"};
constexpr const char* kCollective = "collective";

bool is_reshape(std::string_view word) { return std::ranges::count(kReshapes, word) > 0; }
bool is_third(std::string_view word) { return word == kCollective || word == "ranks_per_node"; }

constexpr Parameter kMaxDepth = required(
    whole("max_depth", "none", kDepthRange, "most levels of tests; unlimited if absent", "none"));
constexpr Parameter kThreshold =
    required(real("accuracy_threshold", "1", kAccuracyRange,
                  "smallest share of one method that makes a block a leaf"));
constexpr Parameter kThird =
    word("third", kCollective, is_third, "collective or ranks_per_node",
         "third dimension: collective (when several are given) or ranks_per_node");
constexpr Parameter kQuadtreeParameters[] = {
    kMaxDepth, kThreshold,
    required(word("reshape", "end", is_reshape, "end, even or none",
                  "fill the power-of-two square at the end, even(ly), or none: a kdtree instead")),
    kThird};
constexpr Parameter kKdtreeParameters[] = {kMaxDepth, kThreshold, kThird};

const Kind& kind_of(const LabelGrid& grid, const GridTreeOptions& options) {
  if (options.reshape == Reshape::kNone) return kKdtreeKind;
  return grid.axes.size() > 2 ? kOctreeKind : kQuadtreeKind;
}

Parameters parameters_of(const Kind& kind, const LabelGrid& grid, const GridTreeOptions& options) {
  Parameters parameters(kind.parameters);
  parameters.put("max_depth", options.max_depth);
  parameters.put("accuracy_threshold", options.accuracy_threshold);
  if (&kind != &kKdtreeKind) parameters.put("reshape", std::string(name(options.reshape)));
  if (grid.axes.size() > 2 && !grid.axes[2].is_collective) {
    parameters.put("third", std::string(name(grid.axes[2].attribute)));
  }
  return parameters;
}

Model fit_grid(const std::vector<Timings>& timings, const Parameters& parameters) {
  return fit_quadtree(origin_of(timings), make_grid_of(timings, parameters.word("third")),
                      grid_tree_options(parameters));
}

}  // namespace

std::string_view name(Reshape reshape) { return kReshapes[static_cast<std::size_t>(reshape)]; }

GridTreeOptions grid_tree_options(const Parameters& parameters) {
  const bool is_kdtree = parameters.declared().data() == kKdtreeParameters;
  const std::string reshape = is_kdtree ? "none" : parameters.word("reshape");
  return {.reshape = static_cast<Reshape>(std::ranges::find(kReshapes, reshape) - kReshapes),
          .max_depth = parameters.whole("max_depth"),
          .accuracy_threshold = parameters.real("accuracy_threshold")};
}

Model fit_quadtree(ModelOrigin origin, const LabelGrid& grid, const GridTreeOptions& options) {
  const Kind& kind = kind_of(grid, options);
  const auto [tree, shape] = fit_grid_tree(grid, options);
  Model model{.kind = kind.name,
              .origin = std::move(origin),
              .parameters = parameters_of(kind, grid, options),
              .weighted = !grid.weights.empty(),
              .statistics = {.shape = shape}};
  model.rules = lower(tree, grid.axes, grid.methods, model.origin.collectives);
  return model;
}

const Kind kQuadtreeKind{"quadtree", "quadtree of the 2007 paper; octree over several collectives",
                         kQuadtreeParameters, fit_grid, "quadtree:max_depth=*"};
const Kind kOctreeKind{.name = "octree", .parameters = kQuadtreeParameters};
const Kind kKdtreeKind{"kdtree", "k-d tree: each cut divides one side, at the best place",
                       kKdtreeParameters, fit_grid};

}  // namespace colltree::model
