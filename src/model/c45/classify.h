// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "model/c45/tree.h"

namespace colltree::c45 {

// What a tree says of a case. A case whose test value is unknown goes down all branches with
// weights; the answer is the lowest class with the greatest score, which is not always the label
// printed at a leaf (reference/c45-release8.md, section 8).
class Classifier {
 public:
  Classifier(const Tree& tree, std::size_t classes) : tree_(tree), score_(classes) {}
  std::uint32_t classify(const Cases& cases, std::uint32_t id) {
    return classify_from(0, cases, id);
  }
  // What the subtree at `node` says.
  std::uint32_t classify_from(std::uint32_t node, const Cases& cases, std::uint32_t id);

 private:
  struct Open {
    std::uint32_t node;
    float weight;
  };
  std::uint32_t spread(const Cases& cases, std::uint32_t id, Open from);
  void add_leaf(const Node& leaf, float weight);

  const Tree& tree_;
  std::vector<float> score_;
  std::vector<Open> open_;
};

std::vector<std::uint32_t> classify_all(const Tree& tree, std::size_t classes, const Cases& cases);
std::size_t count_errors(const Tree& tree, std::size_t classes, const Cases& cases);

}  // namespace colltree::c45
