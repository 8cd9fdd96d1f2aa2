// SPDX-License-Identifier: BSD-3-Clause
#include "model/quadtree/grid_tree_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"
#include "model/kind.h"
#include "model/quadtree/grid_of_timings.h"
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

namespace {

Json axis_to_json(const GridAxis& axis) {
  if (!axis.is_collective) return {{"attribute", name(axis.attribute)}, {"values", axis.values}};
  Json names = Json::array();
  for (const std::uint64_t value : axis.values)
    names.push_back(name(static_cast<Collective>(value)));
  return {{"attribute", "collective"}, {"values", names}};
}

GridAxis axis_from_json(const Json& object) {
  const std::string attribute = json_string(object, "attribute");
  if (attribute != "collective") {
    return make_axis(parse_attribute(attribute), json_unsigned_list(object, "values"));
  }
  std::vector<Collective> collectives;
  for (const Json& value : json_array(object, "values")) {
    if (!value.is_string()) throw Error("'values' of the collective axis must be names");
    collectives.push_back(parse_collective(value.get<std::string>()));
  }
  return make_collective_axis(collectives);
}

// [method], or [first child, split of each axis or null].
Json node_to_json(const GridNode& node, std::size_t axes) {
  if (node.is_leaf()) return Json::array({node.method});
  Json list = Json::array({node.first_child});
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::uint32_t split = node.split[axis];
    list.push_back(split == GridNode::kNoSplit ? Json() : Json(split));
  }
  return list;
}

GridNode node_from_json(const Json& list, std::size_t axes) {
  GridNode node;
  if (list.is_array() && list.size() == 1) {
    node.method = static_cast<std::uint16_t>(json_unsigned_value(list[0], "nodes", 0xFFFF));
    return node;
  }
  if (!list.is_array() || list.size() != axes + 1) {
    throw Error("'nodes' must hold [method] or [first child, split of each axis], not " +
                list.dump());
  }
  constexpr std::uint64_t kMost = GridNode::kNoSplit - 16;
  node.first_child = static_cast<std::uint32_t>(json_unsigned_value(list[0], "first child", kMost));
  for (std::size_t axis = 0; axis < axes; ++axis) {
    if (list[axis + 1].is_null()) continue;
    node.split[axis] =
        static_cast<std::uint32_t>(json_unsigned_value(list[axis + 1], "split", kMost));
  }
  if (node.is_leaf()) throw Error("'nodes' holds an inner node without a split");
  return node;
}

// Axes that decide() relies on: two sizes, and a collective for each origin or none.
void check_axes(const std::vector<GridAxis>& axes, const ModelOrigin& origin) {
  if (axes.size() < 2 || axes.size() > kMostAxes) throw Error("'axes' must be two or three");
  std::size_t decided = 1;
  for (const GridAxis& axis : axes) {
    if (axis.is_collective) decided = axis.size();
    if (axis.is_collective && &axis != &axes.back())
      throw Error("a collective axis must be the last");
  }
  if (origin.collectives.size() != decided) {
    throw Error("'origin.collectives' does not fit the axes of the body");
  }
}

}  // namespace

Json GridTreeModel::body() const {
  Json axes = Json::array();
  for (const GridAxis& axis : axes_) axes.push_back(axis_to_json(axis));
  Json nodes = Json::array();
  for (const GridNode& node : tree_) nodes.push_back(node_to_json(node, axes_.size()));
  return {{"axes", axes}, {"nodes", nodes}};
}

namespace {

bool is_reshape(std::string_view word) { return std::ranges::count(kReshapes, word) > 0; }
bool is_third(std::string_view word) { return word == "collective" || word == "ranks_per_node"; }

constexpr Parameter kMaxDepth = required(
    whole("max_depth", "none", kDepthRange, "most levels of tests; unlimited if absent", "none"));
constexpr Parameter kThreshold =
    required(real("accuracy_threshold", "1", kAccuracyRange,
                  "smallest share of one method that makes a block a leaf"));
constexpr Parameter kThird =
    word("third", "collective", is_third, "collective or ranks_per_node",
         "third dimension: collective (when several are given) or ranks_per_node");
constexpr Parameter kQuadtreeParameters[] = {
    kMaxDepth, kThreshold,
    required(word("reshape", "end", is_reshape, "end, even or none",
                  "fill the power-of-two square at the end, even(ly), or none: a kdtree instead")),
    kThird};
constexpr Parameter kKdtreeParameters[] = {kMaxDepth, kThreshold, kThird};

std::unique_ptr<DecisionFunction> read_grid_tree(StoredModel stored) {
  std::vector<GridAxis> axes;
  json_each(stored.body, "axes", [&](const Json& axis) { axes.push_back(axis_from_json(axis)); });
  check_axes(axes, stored.origin);
  GridTree tree;
  json_each(stored.body, "nodes",
            [&](const Json& node) { tree.push_back(node_from_json(node, axes.size())); });
  GridTreeOptions options =
      grid_tree_options(read_parameters(kQuadtreeParameters, stored.parameters));
  options.weighted = json_flag_or(stored.parameters, "weighted", false);
  auto model = std::make_unique<GridTreeModel>(std::move(stored.origin), std::move(stored.methods),
                                               std::move(axes), std::move(tree), options);
  for (const auto& [name, value] : stored.statistics.items()) model->add_statistic(name, value);
  return model;
}

std::unique_ptr<DecisionFunction> fit_quadtree(const std::vector<Timings>& timings,
                                               const Parameters& parameters) {
  return std::make_unique<GridTreeModel>(origin_of(timings),
                                         make_grid_of(timings, parameters.word("third")),
                                         grid_tree_options(parameters));
}

std::unique_ptr<DecisionFunction> fit_kdtree(const std::vector<Timings>& timings,
                                             const Parameters& parameters) {
  GridTreeOptions options{.reshape = Reshape::kNone,
                          .max_depth = parameters.whole("max_depth"),
                          .accuracy_threshold = parameters.real("accuracy_threshold")};
  return std::make_unique<GridTreeModel>(origin_of(timings),
                                         make_grid_of(timings, parameters.word("third")), options);
}

}  // namespace

GridTreeOptions grid_tree_options(const Parameters& parameters) {
  return {.reshape = parse_reshape(parameters.word("reshape")),
          .max_depth = parameters.whole("max_depth"),
          .accuracy_threshold = parameters.real("accuracy_threshold")};
}

const Kind kQuadtreeKind{"quadtree", "quadtree of the 2007 paper; octree over several collectives",
                         kQuadtreeParameters, fit_quadtree, read_grid_tree};
const Kind kOctreeKind{.name = "octree", .read = read_grid_tree};
const Kind kKdtreeKind{"kdtree", "the same with cuts of one side at the best place",
                       kKdtreeParameters, fit_kdtree, read_grid_tree};

}  // namespace colltree
