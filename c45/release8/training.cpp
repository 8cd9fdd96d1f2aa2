// SPDX-License-Identifier: BSD-3-Clause
#include "release8/training.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "engine/prune.h"
#include "release8/grow_ordered.h"

namespace colltree::c45 {

namespace {

std::size_t default_window(std::size_t cases) {
  const double root = 2 * std::sqrt(static_cast<double>(cases));
  const std::size_t fifth = cases / 5;
  const auto window = static_cast<std::size_t>(std::max(root, static_cast<double>(fifth)));
  return std::min(window, cases);
}

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

class Windowing {
 public:
  // Throws UsageError when the window is larger than the data.
  Windowing(const Schema& schema, const Cases& cases, const WindowOptions& options)
      : cases_(cases),
        first_window_(options.window.value_or(default_window(cases.size()))),
        increment_(options.increment.value_or(std::max<std::size_t>(first_window_ / 5, 1))),
        target_(schema.classes.size(), 0) {
    if (first_window_ > cases.size()) {
      throw UsageError(fmt::format("-w {}: there are only {} cases", first_window_, cases.size()));
    }
    choose_targets();
  }

  // The unpruned tree of the next trial. Uses and permutes `order`, which holds all cases.
  Tree next_trial(OrderedGrower& grower, ItemOrder& order) {
    shuffle(order);
    form(order);
    Tree best;
    std::size_t best_errors = 0;
    for (std::size_t window = first_window_;;) {
      order.reset_weights();
      Tree tree = grower.grow(order, window);
      const auto inside = static_cast<std::size_t>(tree.nodes[0].errors + 0.5);
      const std::size_t exceptions = move_exceptions(tree, order, window);
      if (best.nodes.empty() || inside + exceptions < best_errors) {
        best_errors = inside + exceptions;
        best = std::move(tree);
      }
      if (exceptions == 0) return best;
      window += std::max(std::min(exceptions, increment_), exceptions / 2);
      window = std::min(window, order.items.size());
    }
  }

 private:
  // Evens out the classes: the rarest first, each at most an equal share of what is left.
  void choose_targets() {
    const std::size_t classes = target_.size();
    std::vector<std::size_t> count(classes, 0);
    for (const std::uint32_t c : cases_.label) ++count[c];
    std::vector<std::size_t> by_count(classes);
    std::iota(by_count.begin(), by_count.end(), 0U);
    std::ranges::stable_sort(by_count, {}, [&](std::size_t c) { return count[c]; });
    std::size_t size = first_window_;
    for (std::size_t rank = 0; rank < classes; ++rank) {
      const std::size_t c = by_count[rank];
      target_[c] = std::min(count[c], size / (classes - rank));
      size -= target_[c];
    }
  }

  void shuffle(ItemOrder& order) {
    std::size_t left = order.items.size();
    for (std::size_t p = 0; p < order.items.size(); ++p, --left) {
      const auto step = static_cast<std::size_t>(static_cast<double>(left) * random_.fraction());
      std::swap(order.items[p], order.items[p + step]);
    }
  }

  void form(ItemOrder& order) const {
    std::size_t free = 0;
    for (std::uint32_t c = 0; c < target_.size(); ++c) {
      std::size_t wanted = target_[c];
      for (std::size_t i = free; wanted > 0; ++i) {
        if (cases_.label[order.items[i]] != c) continue;
        std::swap(order.items[i], order.items[free++]);
        --wanted;
      }
    }
  }

  // Brings the cases outside the window that the tree gets wrong beside it; returns their number.
  std::size_t move_exceptions(const Tree& tree, ItemOrder& order, std::size_t window) const {
    Classifier classifier(tree, target_.size());
    const auto is_wrong = [&](std::uint32_t item) {
      return classifier.classify(cases_, item) != cases_.label[item];
    };
    return bring_forward(order.items, window, order.items.size(), is_wrong) - window;
  }

  const Cases& cases_;
  std::size_t first_window_;
  std::size_t increment_;
  std::vector<std::size_t> target_;  // by class: cases in the first window
  Random random_;
};

void train_ordered(const Schema& schema, const Cases& cases, const TrainOptions& options,
                   Training& training) {
  const Thresholds thresholds(schema, cases);
  const float confidence = confidence_fraction(options.tree.confidence_percent);
  OrderedGrower grower(schema, cases, thresholds, options.tree);
  ItemOrder order(cases.size());
  const auto add = [&](Tree grown) {
    PruneResult pruned = prune_ordered(grown, schema, cases, order, confidence);
    training.trials.push_back(
        pruned_trial(std::move(grown), std::move(pruned), schema, options.tree));
  };
  if (!options.windowing.any()) return add(grower.grow(order, cases.size()));
  Windowing windowing(schema, cases, options.windowing);
  constexpr std::uint64_t kTrials = 10;
  for (std::uint64_t t = 0; t < options.windowing.trials.value_or(kTrials); ++t) {
    add(windowing.next_trial(grower, order));
  }
}

}  // namespace

void set_soft_thresholds(Tree& tree, const Schema& schema, const Cases& cases) {
  Softener(tree, schema, cases).run();
}

bool has_unknowns(const Schema& schema, const Cases& cases) {
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    if (schema.attributes[a].kind == AttributeKind::kIgnored) continue;
    if (std::ranges::find(cases.numbers[a], kUnknownNumber) != cases.numbers[a].end()) return true;
    if (std::ranges::find(cases.values[a], kUnknownValue) != cases.values[a].end()) return true;
  }
  return false;
}

Training train(const Schema& schema, const Cases& cases, const TrainOptions& options) {
  Training training;
  // Windows and unknown values need release 8's own permutation of the cases.
  if (options.windowing.any() || options.in_release8_order || has_unknowns(schema, cases)) {
    train_ordered(schema, cases, options, training);
  } else {
    training.trials.push_back(fit_tree(schema, cases, options.tree));
  }
  const auto estimate = [&](std::size_t t) { return training.trials[t].pruned.nodes[0].errors; };
  for (std::size_t t = 1; t < training.trials.size(); ++t) {
    if (estimate(t) < estimate(training.best)) training.best = t;
  }
  if (options.soft_thresholds) {
    set_soft_thresholds(training.trials[training.best].pruned, schema, cases);
  }
  return training;
}

}  // namespace colltree::c45
