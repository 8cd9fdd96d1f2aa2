// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree_model.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "model/quadtree/grid_tree_lower.h"

namespace colltree {

namespace {

constexpr std::string_view kReshapes[] = {"end", "even", "none"};

}  // namespace

std::string_view name(Reshape reshape) { return kReshapes[static_cast<std::size_t>(reshape)]; }

Reshape parse_reshape(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kReshapes); ++i) {
    if (kReshapes[i] == name) return static_cast<Reshape>(i);
  }
  throw UsageError(fmt::format("unknown reshaping '{}'; known are end, even, none", name));
}

GridTreeModel::GridTreeModel(ModelOrigin origin, const LabelGrid& grid,
                             const GridTreeOptions& options)
    : GridTreeModel(std::move(origin), grid.methods, grid.axes, fit_grid_tree(grid, options),
                    options) {
  options_.weighted = !grid.weights.empty();
}

GridTreeModel::GridTreeModel(ModelOrigin origin, std::vector<Method> methods,
                             std::vector<GridAxis> axes, GridTree tree,
                             const GridTreeOptions& options)
    : origin_(std::move(origin)),
      methods_(std::move(methods)),
      axes_(std::move(axes)),
      tree_(std::move(tree)),
      options_(options) {
  for (const GridAxis& axis : axes_) validate(axis);
  validate(tree_, axes_, methods_.size());
}

std::string GridTreeModel::kind() const {
  if (options_.reshape == Reshape::kNone) return "kdtree";
  return axes_.size() > 2 ? "octree" : "quadtree";
}

Method GridTreeModel::decide(const Instance& instance) const {
  std::array<std::size_t, kMostAxes> index = {};
  bool has_collective_axis = false;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    index[axis] = axes_[axis].index(instance);
    has_collective_axis |= axes_[axis].is_collective;
  }
  if (!has_collective_axis && instance.collective != origin_.collectives.at(0)) {
    throw Error(fmt::format("the model does not decide for {}; it does for {}",
                            name(instance.collective), name(origin_.collectives[0])));
  }
  return methods_[decide_at(tree_, index)];
}

RuleTree GridTreeModel::lower() const {
  return lower_grid_tree(tree_, axes_, methods_, origin_.collectives);
}

Json GridTreeModel::parameters() const {
  Json all = {{"reshape", name(options_.reshape)},
              {"max_depth", options_.max_depth ? Json(*options_.max_depth) : Json()},
              {"accuracy_threshold", options_.accuracy_threshold}};
  if (options_.weighted) all["weighted"] = true;
  if (axes_.size() > 2 && !axes_[2].is_collective) all["third"] = name(axes_[2].attribute);
  return all;
}

Json GridTreeModel::statistics() const {
  const TreeShape fitted = shape(tree_);
  Json all = {{"leaves", fitted.leaves},
              {"nodes", fitted.nodes},
              {"min_depth", fitted.min_depth},
              {"max_depth", fitted.max_depth},
              {"mean_depth", fitted.mean_depth}};
  all.update(added_);
  return all;
}

void GridTreeModel::add_statistic(const std::string& name, Json value) {
  added_[name] = std::move(value);
}

}  // namespace colltree
