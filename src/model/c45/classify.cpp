// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/classify.h"

#include <algorithm>

namespace colltree::c45 {

std::uint32_t Classifier::classify_from(std::uint32_t at, const Cases& cases, std::uint32_t id) {
  while (!tree_.nodes[at].is_leaf()) {
    const Node& node = tree_.nodes[at];
    const std::uint32_t branch = branch_of(tree_, node, cases, id);
    if (branch == kNoBranch) break;
    at = tree_.branches(node)[branch];
  }
  return spread(cases, id, {at, 1.0F});
}

std::uint32_t Classifier::spread(const Cases& cases, std::uint32_t id, Open from) {
  std::ranges::fill(score_, 0.0F);
  open_.assign(1, from);
  while (!open_.empty()) {
    const Open one = open_.back();
    open_.pop_back();
    const Node& node = tree_.nodes[one.node];
    if (node.is_leaf()) {
      add_leaf(node, one.weight);
      continue;
    }
    const auto branches = tree_.branches(node);
    const std::uint32_t branch = branch_of(tree_, node, cases, id);
    if (branch != kNoBranch) {
      open_.push_back({branches[branch], one.weight});
      continue;
    }
    for (std::size_t b = branches.size(); b-- > 0;) {
      open_.push_back({branches[b], one.weight * tree_.nodes[branches[b]].items / node.items});
    }
  }
  const auto best = std::ranges::max_element(score_);
  return static_cast<std::uint32_t>(best - score_.begin());
}

void Classifier::add_leaf(const Node& leaf, float weight) {
  if (!(leaf.items > 0)) {
    score_[leaf.label] += weight;
    return;
  }
  for (const ClassWeight& entry : tree_.leaf_distribution(leaf)) {
    score_[entry.label] += weight * entry.weight / leaf.items;
  }
}

std::vector<std::uint32_t> classify_all(const Tree& tree, std::size_t classes, const Cases& cases) {
  Classifier classifier(tree, classes);
  std::vector<std::uint32_t> answers(cases.size());
  for (std::uint32_t id = 0; id < answers.size(); ++id)
    answers[id] = classifier.classify(cases, id);
  return answers;
}

std::size_t count_errors(const Tree& tree, std::size_t classes, const Cases& cases) {
  Classifier classifier(tree, classes);
  std::size_t errors = 0;
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    errors += classifier.classify(cases, id) != cases.label[id];
  }
  return errors;
}

}  // namespace colltree::c45
