// SPDX-License-Identifier: BSD-3-Clause
#include "engine/grower.h"

namespace colltree::c45 {

void Grower::start(const TreeOptions& options) {
  options_ = options;
  averaged_ = averaged_attributes(schema_, cases_.size(), options.group);
  tested_.assign(schema_.attributes.size(), 0);
  tree_ = {};
  tree_.nodes.emplace_back();
}

void Grower::add_test(std::uint32_t index, std::size_t attribute, const Split& split) {
  Node& node = tree_.nodes[index];
  node.attribute = static_cast<std::uint32_t>(attribute);
  if (schema_.attributes[attribute].kind == AttributeKind::kContinuous) {
    node.test = TestKind::kThreshold;
    node.count = 2;
    node.cut = thresholds_.between(attribute, split.low, split.high, options_.strict_r8);
    node.lower = node.upper = node.cut;
  } else if (split.groups > 0) {
    node.test = TestKind::kGroups;
    node.count = split.groups;
    node.groups = static_cast<std::uint32_t>(tree_.group_of.size());
    node.values = static_cast<std::uint32_t>(split.group_of.size());
    tree_.group_of.insert(tree_.group_of.end(), split.group_of.begin(), split.group_of.end());
  } else {
    node.test = TestKind::kValues;
    node.count = static_cast<std::uint32_t>(schema_.attributes[attribute].values.size());
  }
  node.first = static_cast<std::uint32_t>(tree_.links.size());
  const auto fresh = static_cast<std::uint32_t>(tree_.nodes.size());
  for (std::uint32_t b = 0; b < node.count; ++b) tree_.links.push_back(fresh + b);
  tree_.nodes.resize(fresh + node.count);
}

}  // namespace colltree::c45
