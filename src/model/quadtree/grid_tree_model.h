// SPDX-License-Identifier: BSD-3-Clause
// Quadtree, octree and kdtree as a model (docs/formats/model.md).
#pragma once

#include "base/json.h"
#include "model/kind.h"
#include "model/quadtree/grid_tree.h"

namespace colltree {

class GridTreeModel final : public DecisionFunction {
 public:
  // Fits. `origin` says where the grid comes from.
  GridTreeModel(ModelOrigin origin, const LabelGrid& grid, const GridTreeOptions& options);
  // From parts, which are validated. Throws Error.
  GridTreeModel(ModelOrigin origin, std::vector<Method> methods, std::vector<GridAxis> axes,
                GridTree tree, const GridTreeOptions& options);

  std::string kind() const override;  // "quadtree", "octree" or "kdtree"
  const ModelOrigin& origin() const override { return origin_; }
  const std::vector<Method>& methods() const override { return methods_; }
  Method decide(const Instance& instance) const override;
  // Quadrants become nested two-way tests, communicator size first; sides that hold only replicas
  // disappear.
  RuleTree lower() const override;
  Json parameters() const override;
  Json statistics() const override;
  Json body() const override;

  void add_statistic(const std::string& name, Json value) override;

  const std::vector<GridAxis>& axes() const { return axes_; }
  const GridTree& tree() const { return tree_; }
  const GridTreeOptions& options() const { return options_; }

 private:
  ModelOrigin origin_;
  std::vector<Method> methods_;
  std::vector<GridAxis> axes_;
  GridTree tree_;
  GridTreeOptions options_;
  Json added_ = Json::object();
};

std::string_view name(Reshape reshape);
// "end", "even" or "none". Throws UsageError.
Reshape parse_reshape(std::string_view name);

// Of the kind quadtree.
GridTreeOptions grid_tree_options(const Parameters& parameters);

extern const Kind kQuadtreeKind;
extern const Kind kOctreeKind;  // read only: a quadtree over several collectives
extern const Kind kKdtreeKind;

}  // namespace colltree
