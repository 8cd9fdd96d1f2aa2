// SPDX-License-Identifier: BSD-3-Clause
#include "model/kinds/c45_tree.h"

namespace colltree::model {

C45Options c45_options(const Parameters& parameters) {
  return {.tree = {.weight = static_cast<int>(*parameters.whole("weight")),
                   .confidence_percent = static_cast<float>(parameters.real("confidence")),
                   .gain_only = parameters.flag("gain"),
                   .group = parameters.flag("group")},
          .features = {.power_of_two = parameters.flag("power_of_two"),
                       .parity = parameters.flag("parity"),
                       .log2_message_size = parameters.flag("log2_message_size")}};
}

Parameters parameters_of(const C45Options& options) {
  Parameters parameters(c45_parameters());
  parameters.put("weight", static_cast<std::uint64_t>(options.tree.weight));
  parameters.put("confidence", static_cast<double>(options.tree.confidence_percent));
  parameters.put("gain", options.tree.gain_only);
  parameters.put("group", options.tree.group);
  parameters.put("power_of_two", options.features.power_of_two);
  parameters.put("parity", options.features.parity);
  parameters.put("log2_message_size", options.features.log2_message_size);
  return parameters;
}

std::span<const Parameter> c45_parameters() {
  static constexpr Parameter kParameters[] = {
      required(whole("weight", "2", {1, c45::kMostWeight},
                     "in every test, at least two branches hold this many instances")),
      required(single("confidence", "confidence_level", "25",
                      {c45::kLeastConfidencePercent, 100, true},
                      "confidence level of pruning in percent; a small one prunes more")),
      flag("gain", "gain_only", "gain criterion instead of gain ratio"),
      flag("group", "group", "tests on groups of collectives"),
      flag("power_of_two", "power_of_two",
           "also test whether the communicator size is a power of two"),
      flag("parity", "parity", "also test whether the message size is even"),
      flag("log2_message_size", "log2_message_size", "also test log2 of the message size")};
  return kParameters;
}

namespace {

TreeErrors errors_of(const c45::Tree& tree, const C45Table& table) {
  const c45::TreeSize size = c45::size_of(tree);
  const std::size_t errors =
      c45::count_errors(c45::classify(tree, table.schema, table.cases), table.cases);
  return {size.leaves, size.nodes, errors,
          static_cast<double>(errors) / static_cast<double>(table.cases.size())};
}

Statistics statistics_of(const c45::Trial& trial, const C45Table& table) {
  const c45::TreeSize size = c45::size_of(trial.pruned);
  const c45::Node& root = trial.pruned.nodes[0];
  return {.shape = {.leaves = size.leaves,
                    .nodes = size.nodes,
                    .min_depth = size.min_depth,
                    .max_depth = size.max_depth,
                    .mean_depth = size.mean_depth},
          .pruning = Pruning{errors_of(trial.grown, table), errors_of(trial.pruned, table),
                             root.errors / root.items}};
}

class C45Lowering {
 public:
  C45Lowering(const c45::Tree& tree, const C45Vocabulary& words) : tree_(tree), words_(words) {
    result_.methods = words.methods;
  }

  RuleTree run() {
    for (std::uint32_t c = 0; c < words_.collectives.size(); ++c) {
      result_.roots.push_back(
          {words_.collectives[c], static_cast<std::uint32_t>(result_.nodes.size())});
      open_ = {{0}};
      while (!open_.empty()) {
        const Open next = open_.back();
        open_.pop_back();
        append(next, c);
      }
    }
    return std::move(result_);
  }

 private:
  struct Open {
    std::uint32_t node;                      // of the C4.5 tree
    std::uint32_t parent = RuleNode::kLeaf;  // of the result
    bool high = false;
  };

  void append(const Open& open, std::uint32_t collective) {
    const c45::Node& node = tree_.nodes[open.node];
    if (node.is_leaf()) return link(open, leaf(node));
    const auto branches = tree_.branches(node);
    if (words_.features[node.attribute] == C45Feature::kCollective) {
      const std::uint32_t branch = c45::branch_of_value(tree_, node, collective + 1);
      if (branch == c45::kNoBranch) return link(open, leaf(node));
      open_.push_back({branches[branch], open.parent, open.high});
      return;
    }
    const auto test = integer_test(words_.features[node.attribute], node.cut);
    if (!test) {  // nothing is small enough for the low branch
      open_.push_back({branches[1], open.parent, open.high});
      return;
    }
    const std::uint32_t index = append_test(result_, test->attribute, test->threshold);
    open_.push_back({branches[1], index, true});
    open_.push_back({branches[0], index, false});
    link(open, index);
  }

  std::uint32_t leaf(const c45::Node& node) {
    return append_leaf(result_, static_cast<std::uint16_t>(node.label));
  }

  void link(const Open& open, std::uint32_t index) {
    if (open.parent == RuleNode::kLeaf) return;
    (open.high ? result_.nodes[open.parent].high : result_.nodes[open.parent].low) = index;
  }

  const c45::Tree& tree_;
  const C45Vocabulary& words_;
  RuleTree result_;
  std::vector<Open> open_;
};

}  // namespace

RuleTree lower(const c45::Tree& tree, const C45Vocabulary& words) {
  return C45Lowering(tree, words).run();
}

Model fit_c45_tree(const std::vector<Timings>& timings, const C45Options& options) {
  const C45Table table = make_c45_table(timings, options.features);
  const c45::Trial trial = c45::fit_tree(table.schema, table.cases, options.tree);
  return {.kind = kC45Kind.name,
          .origin = origin_of(timings),
          .parameters = parameters_of(options),
          .statistics = statistics_of(trial, table),
          .rules = lower(trial.pruned, table),
          .text = c45::tree_text(trial.pruned, table.schema)};
}

// Compared with the weights and confidence levels of 2006, tables 2 and 4.
const Kind kC45Kind{"c45", "C4.5 tree of the 2006 paper", c45_parameters(),
                    [](const std::vector<Timings>& timings, const Parameters& parameters) {
                      return fit_c45_tree(timings, c45_options(parameters));
                    },
                    "c45:weight=2,confidence=25 c45:weight=4,confidence=25 "
                    "c45:weight=6,confidence=15 c45:weight=8,confidence=5 "
                    "c45:weight=20,confidence=5 c45:weight=40,confidence=5"};

}  // namespace colltree::model
