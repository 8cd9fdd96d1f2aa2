// SPDX-License-Identifier: BSD-3-Clause
#include "reference_tree.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <sstream>

#include "reference_gain.h"

namespace colltree::c45::reference {

namespace {

class Program {
 public:
  Program(const Schema& schema, const Cases& cases, const Options& options)
      : schema_(schema), cases_(cases), options_(options), classes_(schema.classes.size()) {
    for (std::size_t i = 0; i < cases.size(); ++i) item_.push_back(i);
    weight_.assign(cases.size(), 1.0F);
    tested_.assign(schema.attributes.size(), false);
  }

  std::unique_ptr<Node> grow() { return form(0, item_.size(), true); }

  void prune(std::unique_ptr<Node>& root) {
    weight_.assign(cases_.size(), 1.0F);
    estimate(root, 0, item_.size(), true);
    if (!options_.group) return;
    std::vector<std::vector<bool>> possible;
    for (const auto& a : schema_.attributes) possible.emplace_back(a.values.size() + 1, true);
    drop_values(*root, possible);
  }

  std::size_t classify(const Node& root, std::size_t id) const {
    std::vector<float> score(classes_, 0.0F);
    spread(root, id, 1.0F, score);
    std::size_t best = 0;
    for (std::size_t c = 1; c < classes_; ++c) {
      if (score[c] > score[best]) best = c;
    }
    return best;
  }

 private:
  // 0 = unknown, or no branch for the value; else the branch, from 1.
  std::size_t outcome(const Node& node, std::size_t id) const {
    if (node.test == Node::Test::kThreshold) {
      const float value = cases_.numbers[node.attribute][id];
      if (value == kUnknownNumber) return 0;
      return value <= node.cut ? 1 : 2;
    }
    const std::size_t value = cases_.values[node.attribute][id];
    if (node.test == Node::Test::kValues) return value;
    for (std::size_t b = 0; b < node.subsets.size(); ++b) {
      if (std::ranges::count(node.subsets[b], value) > 0) return b + 1;
    }
    return 0;
  }

  std::size_t bring(std::size_t from, std::size_t end,
                    const std::function<bool(std::size_t)>& wanted) {
    for (std::size_t i = from; i < end; ++i) {
      if (wanted(item_[i])) std::swap(item_[i], item_[from++]);
    }
    return from;
  }

  float sum(std::size_t from, std::size_t end) const {
    float total = 0;
    for (std::size_t i = from; i < end; ++i) total += weight_[item_[i]];
    return total;
  }

  std::vector<float> distribution(std::size_t from, std::size_t end) const {
    std::vector<float> d(classes_, 0.0F);
    for (std::size_t i = from; i < end; ++i) d[cases_.label[item_[i]]] += weight_[item_[i]];
    return d;
  }

  void sort(std::size_t from, std::size_t end, const std::vector<float>& value) {
    if (end - from < 2) return;
    const std::size_t last = end - 1;
    const float pivot = value[item_[last]];
    const std::size_t above = bring(from, last, [&](std::size_t id) { return value[id] <= pivot; });
    std::size_t equal = above;
    for (std::size_t i = above; i > from; --i) {
      if (value[item_[i - 1]] == pivot) std::swap(item_[i - 1], item_[--equal]);
    }
    sort(from, equal, value);
    std::swap(item_[above], item_[last]);
    sort(above + 1, end, value);
  }

  Table table_of(std::size_t attribute, std::size_t from, std::size_t end) const {
    Table table(schema_.attributes[attribute].values.size() + 1, std::vector<float>(classes_, 0));
    for (std::size_t i = from; i < end; ++i) {
      table[cases_.values[attribute][item_[i]]][cases_.label[item_[i]]] += weight_[item_[i]];
    }
    return table;
  }

  Candidate evaluate(std::size_t attribute, std::size_t from, std::size_t end, float items) {
    const Attribute& a = schema_.attributes[attribute];
    if (a.kind == AttributeKind::kIgnored) return {};
    if (a.kind == AttributeKind::kDiscrete) {
      if (tested_[attribute]) return {};
      const Table table = table_of(attribute, from, end);
      const bool group = options_.group && a.values.size() > 2;
      return group ? grouped(table, items, options_.weight, options_.gain_only)
                   : k_way(table, items, options_.weight);
    }
    const std::vector<float>& value = cases_.numbers[attribute];
    const auto is_unknown = [&](std::size_t id) { return value[id] == kUnknownNumber; };
    std::vector<float> unknown(classes_, 0.0F);
    const float all = sum(from, end);
    for (std::size_t i = from; i < end; ++i) {
      if (is_unknown(item_[i])) unknown[cases_.label[item_[i]]] += weight_[item_[i]];
    }
    float known = all;
    float unknown_sum = 0;
    for (const float w : unknown) unknown_sum += w;
    known -= unknown_sum;
    const std::size_t first = bring(from, end, is_unknown);
    if (known < 2 * static_cast<float>(options_.weight)) return {};
    sort(first, end, value);
    std::vector<Point> points;
    for (std::size_t i = first; i < end; ++i) {
      points.push_back({value[item_[i]], cases_.label[item_[i]], weight_[item_[i]]});
    }
    return two_way(points, known, unknown_sum, items, classes_, options_.weight);
  }

  void set_test(Node& node, std::size_t attribute, const Candidate& candidate) {
    node.attribute = attribute;
    node.branches.resize(2);
    if (schema_.attributes[attribute].kind == AttributeKind::kContinuous) {
      node.test = Node::Test::kThreshold;
      const float bar = (candidate.low + candidate.high) / 2;
      node.cut = candidate.low;
      if (bar >= candidate.high) return;  // the repaired defect
      for (const float value : cases_.numbers[attribute]) {
        if (value <= bar && value > node.cut) node.cut = value;
      }
    } else if (!candidate.subsets.empty()) {
      node.test = Node::Test::kGroups;
      node.subsets = candidate.subsets;
      node.branches.resize(node.subsets.size());
    } else {
      node.test = Node::Test::kValues;
      node.branches.resize(schema_.attributes[attribute].values.size());
    }
  }

  std::unique_ptr<Node> form(std::size_t from, std::size_t end, bool all_known) {
    auto node = std::make_unique<Node>();
    node->distribution = distribution(from, end);
    node->items = all_known ? static_cast<float>(end - from) : sum(from, end);
    node->best = static_cast<std::size_t>(std::ranges::max_element(node->distribution) -
                                          node->distribution.begin());
    const float most = node->distribution[node->best];
    node->errors = node->items - most;
    if (most == node->items || node->items < 2 * static_cast<float>(options_.weight)) return node;

    std::vector<Candidate> candidates;
    for (std::size_t a = 0; a < schema_.attributes.size(); ++a) {
      candidates.push_back(evaluate(a, from, end, node->items));
    }
    const std::size_t chosen =
        select(candidates, schema_, cases_.size(), options_.group, options_.gain_only);
    if (chosen == candidates.size()) return node;
    set_test(*node, chosen, candidates[chosen]);

    const bool mark = node->test == Node::Test::kValues;
    if (mark) tested_[chosen] = true;
    const std::size_t known = bring(from, end, [&](auto id) { return outcome(*node, id) == 0; });
    const float known_weight = node->items - sum(from, known);
    float errors = 0;
    for (std::size_t b = 0; b < node->branches.size(); ++b) {
      const std::size_t stop =
          bring(known, end, [&](auto id) { return outcome(*node, id) == b + 1; });
      if (stop == known) {
        node->branches[b] = std::make_unique<Node>();
        node->branches[b]->best = node->best;
        node->branches[b]->distribution = node->distribution;
        continue;
      }
      const float factor = sum(known, stop) / known_weight;
      for (std::size_t i = from; i < known; ++i) weight_[item_[i]] *= factor;
      node->branches[b] = form(from, stop, all_known && known == from);
      bring(from, stop, [&](auto id) { return outcome(*node, id) == 0; });
      for (std::size_t i = from; i < known; ++i) weight_[item_[i]] /= factor;
      errors += node->branches[b]->errors;
    }
    if (mark) tested_[chosen] = false;
    node->errors = errors;
    if (errors >= node->items - most - 1e-3) make_leaf(*node);
    return node;
  }

  static void make_leaf(Node& node) {
    node.test = Node::Test::kLeaf;
    node.branches.clear();
    node.subsets.clear();
  }

  float estimate(std::unique_ptr<Node>& node, std::size_t from, std::size_t end, bool update) {
    const std::vector<float> d = distribution(from, end);
    const float items = sum(from, end);
    std::size_t best = node->best;
    for (std::size_t c = 0; c < classes_; ++c) {
      if (d[c] > d[best]) best = c;
    }
    const float errors = items - d[best];
    const float as_leaf = errors + extra_errors(items, errors, options_.confidence);
    if (update) {
      node->best = best;
      node->items = items;
      node->distribution = d;
      node->errors = as_leaf;
    }
    if (node->test == Node::Test::kLeaf) return as_leaf;

    const std::size_t known = bring(from, end, [&](auto id) { return outcome(*node, id) == 0; });
    const float known_weight = sum(known, end);
    float as_tree = 0;
    float largest_factor = 0;
    std::size_t largest = 0;
    for (std::size_t b = 0; b < node->branches.size(); ++b) {
      const std::size_t stop =
          bring(known, end, [&](auto id) { return outcome(*node, id) == b + 1; });
      if (stop == known) continue;
      const float factor = sum(known, stop) / known_weight;
      if (factor >= largest_factor) {
        largest_factor = factor;
        largest = b;
      }
      for (std::size_t i = from; i < known; ++i) weight_[item_[i]] *= factor;
      as_tree += estimate(node->branches[b], from, stop, update);
      bring(from, stop, [&](auto id) { return outcome(*node, id) == 0; });
      for (std::size_t i = from; i < known; ++i) weight_[item_[i]] /= factor;
    }
    if (!update) return as_tree;
    const float as_branch = estimate(node->branches[largest], from, end, false);
    if (as_leaf <= as_branch + 0.1 && as_leaf <= as_tree + 0.1) {
      make_leaf(*node);
      return as_leaf;
    }
    if (as_branch <= as_tree + 0.1) {
      const float raised = estimate(node->branches[largest], from, end, true);
      std::unique_ptr<Node> branch = std::move(node->branches[largest]);
      node = std::move(branch);
      return raised;
    }
    node->errors = as_tree;
    return as_tree;
  }

  void drop_values(Node& node, std::vector<std::vector<bool>> possible) {
    if (node.test == Node::Test::kGroups) {
      auto& last = node.subsets.back();
      std::erase_if(last, [&](std::size_t v) { return !possible[node.attribute][v]; });
      if (last.empty()) {
        node.subsets.pop_back();
        node.branches.pop_back();
      }
    }
    for (std::size_t b = 0; b < node.branches.size(); ++b) {
      auto below = possible;
      for (std::size_t v = 1; v < below[node.attribute].size(); ++v) {
        const bool here = node.test == Node::Test::kValues ? v == b + 1
                          : node.test == Node::Test::kGroups
                              ? std::ranges::count(node.subsets[b], v) > 0
                              : true;
        if (!here) below[node.attribute][v] = false;
      }
      drop_values(*node.branches[b], below);
    }
  }

  void spread(const Node& node, std::size_t id, float weight, std::vector<float>& score) const {
    if (node.test == Node::Test::kLeaf) {
      if (node.items > 0) {
        for (std::size_t c = 0; c < classes_; ++c) {
          if (node.distribution[c] != 0) score[c] += weight * node.distribution[c] / node.items;
        }
      } else {
        score[node.best] += weight;
      }
      return;
    }
    const std::size_t to = outcome(node, id);
    if (to > 0 && to <= node.branches.size())
      return spread(*node.branches[to - 1], id, weight, score);
    for (const auto& branch : node.branches) {
      spread(*branch, id, weight * branch->items / node.items, score);
    }
  }

  const Schema& schema_;
  const Cases& cases_;
  Options options_;
  std::size_t classes_;
  std::vector<std::size_t> item_;
  std::vector<float> weight_;
  std::vector<bool> tested_;
};

std::string number(float value) { return fmt::format("{}", value); }

void print(const Node& node, std::ostream& out) {
  out << "(" << node.best << ' ' << number(node.items) << ' ' << number(node.errors);
  if (node.test == Node::Test::kLeaf) {
    for (std::size_t c = 0; c < node.distribution.size(); ++c) {
      if (node.distribution[c] != 0) out << ' ' << c << ':' << number(node.distribution[c]);
    }
  } else {
    out << " a" << node.attribute;
    if (node.test == Node::Test::kThreshold) out << " <=" << number(node.cut);
    for (const auto& subset : node.subsets) {
      out << " {";
      for (const std::size_t v : subset) out << v << ',';
      out << '}';
    }
    for (const auto& branch : node.branches) print(*branch, out);
  }
  out << ")";
}

}  // namespace

Result run(const Schema& schema, const Cases& cases, const Options& options) {
  Program program(schema, cases, options);
  std::unique_ptr<Node> root = program.grow();
  Result result;
  std::ostringstream grown;
  print(*root, grown);
  program.prune(root);
  std::ostringstream pruned;
  print(*root, pruned);
  result.grown = grown.str();
  result.pruned = pruned.str();
  for (std::size_t i = 0; i < cases.size(); ++i)
    result.answers.push_back(program.classify(*root, i));
  return result;
}

}  // namespace colltree::c45::reference
