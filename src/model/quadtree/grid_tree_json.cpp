// SPDX-License-Identifier: BSD-3-Clause
// Body of the kinds quadtree, octree and kdtree (docs/formats/model.md).
#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"
#include "model/model_kind.h"
#include "model/quadtree/grid_of_timings.h"
#include "model/quadtree/grid_tree_model.h"

namespace colltree {

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

GridTreeOptions options_from_json(const Json& parameters) {
  GridTreeOptions options{.reshape = parse_reshape(json_string(parameters, "reshape")),
                          .accuracy_threshold = json_number(parameters, "accuracy_threshold")};
  const Json& max_depth = json_field(parameters, "max_depth");
  if (!max_depth.is_null()) options.max_depth = json_unsigned_value(max_depth, "max_depth");
  options.weighted = json_flag_or(parameters, "weighted", false);
  return options;
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

std::unique_ptr<DecisionFunction> read_grid_tree(StoredModel stored) {
  std::vector<GridAxis> axes;
  json_each(stored.body, "axes", [&](const Json& axis) { axes.push_back(axis_from_json(axis)); });
  check_axes(axes, stored.origin);
  GridTree tree;
  json_each(stored.body, "nodes",
            [&](const Json& node) { tree.push_back(node_from_json(node, axes.size())); });
  auto model = std::make_unique<GridTreeModel>(std::move(stored.origin), std::move(stored.methods),
                                               std::move(axes), std::move(tree),
                                               options_from_json(stored.parameters));
  for (const auto& [name, value] : stored.statistics.items()) model->add_statistic(name, value);
  return model;
}

std::unique_ptr<DecisionFunction> fit_quadtree(const std::vector<Timings>& timings,
                                               const Json& parameters) {
  return std::make_unique<GridTreeModel>(origin_of(timings),
                                         make_grid_of(timings, json_string(parameters, "third")),
                                         options_from_json(parameters));
}

std::unique_ptr<DecisionFunction> fit_kdtree(const std::vector<Timings>& timings,
                                             const Json& parameters) {
  Json all = parameters;
  all["reshape"] = name(Reshape::kNone);
  return fit_quadtree(timings, all);
}

}  // namespace colltree
