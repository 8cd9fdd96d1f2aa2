// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/soft_thresholds.h"

#include <algorithm>
#include <cmath>

#include "model/c45/classify.h"

namespace colltree::c45 {

namespace {

// One case at a node: its value, and whether each branch would classify it wrongly.
struct Point {
  float value;
  bool wrong_low;
  bool wrong_high;
};

struct Limits {
  float lower;
  float upper;
};

Limits limits(std::vector<Point>& points, float cut) {
  std::ranges::sort(points, {}, &Point::value);
  int base = 0;
  float errors = 0;  // with every case sent to the high branch
  for (const Point& p : points) {
    base += p.value <= cut ? p.wrong_low : p.wrong_high;
    errors += p.wrong_high ? 1.0F : 0.0F;
  }
  const auto n = static_cast<double>(points.size());
  const auto deviation = static_cast<float>(std::sqrt((base + 0.5) * (n - base + 0.5) / (n + 1)));
  const float limit = static_cast<float>(base) + deviation;
  Limits result{std::min(cut, points.front().value), std::max(cut, points.back().value)};
  bool lower_found = false;
  float last_value = points.front().value;
  for (std::size_t i = 0; i < points.size();) {
    const float value = points[i].value;
    const float last_errors = errors;
    for (; i < points.size() && points[i].value == value; ++i) {
      errors += static_cast<float>(points[i].wrong_low - points[i].wrong_high);
    }
    if (!lower_found && value <= cut && value > points.front().value && last_errors > limit &&
        errors <= limit) {
      result.lower = value - (value - last_value) * (limit - errors) / (last_errors - errors);
      lower_found = true;
    } else if (value > cut && last_errors <= limit && errors > limit) {
      result.upper =
          last_value + (value - last_value) * (limit - last_errors) / (errors - last_errors);
    }
    last_value = value;
  }
  return result;
}

class Softener {
 public:
  Softener(Tree& tree, const Schema& schema, const Cases& cases)
      : tree_(tree), cases_(cases), classes_(schema.classes.size()) {}

  void run() {
    tree_.soft = true;
    std::vector<std::uint32_t> all(cases_.size());
    for (std::uint32_t id = 0; id < all.size(); ++id) all[id] = id;
    open_.push_back({0, std::move(all)});
    while (!open_.empty()) {
      const Open one = std::move(open_.back());
      open_.pop_back();
      const Node node = tree_.nodes[one.node];
      if (node.is_leaf()) continue;
      if (node.test == TestKind::kThreshold) soften(one.node, one.items);
      distribute(node, one.items);
    }
  }

 private:
  struct Open {
    std::uint32_t node;
    std::vector<std::uint32_t> items;
  };

  void soften(std::uint32_t index, const std::vector<std::uint32_t>& items) {
    Node& node = tree_.nodes[index];
    const auto branches = tree_.branches(node);
    Classifier classifier(tree_, classes_);
    std::vector<Point> points;
    for (const std::uint32_t item : items) {
      const float value = cases_.numbers[node.attribute][item];
      if (value == kUnknownNumber) continue;
      const std::uint32_t label = cases_.label[item];
      points.push_back({value, classifier.classify_from(branches[0], cases_, item) != label,
                        classifier.classify_from(branches[1], cases_, item) != label});
    }
    if (points.empty()) return;
    const Limits found = limits(points, node.cut);
    node.lower = found.lower;
    node.upper = found.upper;
  }

  void distribute(const Node& node, const std::vector<std::uint32_t>& items) {
    std::vector<std::vector<std::uint32_t>> parts(node.count);
    for (const std::uint32_t item : items) {
      const std::uint32_t branch = branch_of(tree_, node, cases_, item);
      if (branch != kNoBranch) parts[branch].push_back(item);
    }
    const auto branches = tree_.branches(node);
    for (std::size_t b = 0; b < parts.size(); ++b) {
      open_.push_back({branches[b], std::move(parts[b])});
    }
  }

  Tree& tree_;
  const Cases& cases_;
  std::size_t classes_;
  std::vector<Open> open_;
};

}  // namespace

void set_soft_thresholds(Tree& tree, const Schema& schema, const Cases& cases) {
  Softener(tree, schema, cases).run();
}

}  // namespace colltree::c45
