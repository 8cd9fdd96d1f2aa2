// SPDX-License-Identifier: BSD-3-Clause
// A second C4.5, written from the behavioural specification alone for the fuzz test: plain
// recursion, pointers, release 8's order of the cases everywhere, no tables, no shortcuts. Shares
// no code with libs/core/model/c45 but the data set. Slow: every node sorts and scans everything.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/tree.h"

namespace colltree::c45::reference {

struct Options {
  int weight = 2;
  float confidence = 0.25F;
  bool gain_only = false;
  bool group = false;
};

struct Node {
  enum class Test { kLeaf, kThreshold, kValues, kGroups } test = Test::kLeaf;
  std::size_t best = 0;
  float items = 0;
  float errors = 0;
  std::vector<float> distribution;
  std::size_t attribute = 0;
  float cut = 0;
  std::vector<std::vector<std::size_t>> subsets;  // kGroups: values, ascending
  std::vector<std::unique_ptr<Node>> branches;
};

struct Result {
  std::string grown;  // JSON in the form of tree_json
  std::string pruned;
  std::vector<std::size_t> answers;  // of the pruned tree for each case
};

Result run(const Schema& schema, const Cases& cases, const Options& options);

}  // namespace colltree::c45::reference
