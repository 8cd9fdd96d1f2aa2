// SPDX-License-Identifier: BSD-3-Clause
#include "model/model_kind.h"

namespace colltree {

std::unique_ptr<DecisionFunction> read_rules(StoredModel stored);      // rule_model.cpp
std::unique_ptr<DecisionFunction> read_grid_tree(StoredModel stored);  // quadtree/
std::unique_ptr<DecisionFunction> read_c45(StoredModel stored);        // c45_json.cpp
std::unique_ptr<DecisionFunction> read_c45_rules(StoredModel stored);
std::unique_ptr<DecisionFunction> read_optimal(StoredModel stored);  // optimal/

namespace {

constexpr ModelKind kKinds[] = {
    {"rules", read_rules},      {"quadtree", read_grid_tree},
    {"octree", read_grid_tree}, {"kdtree", read_grid_tree},
    {"c45", read_c45},          {"c45-rules", read_c45_rules},
    {"optimal", read_optimal},
};

}  // namespace

std::span<const ModelKind> model_kinds() { return kKinds; }

}  // namespace colltree
