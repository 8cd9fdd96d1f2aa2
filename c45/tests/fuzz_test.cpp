// SPDX-License-Identifier: BSD-3-Clause
// The product against the reference on thousands of random data sets: ties, unknown values, nodes
// of one class, unused classes, equal attributes, values beyond 2^24, every option.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/test_sample.h"
#include "engine/prune.h"
#include "engine/tree.h"
#include "reference_tree.h"
#include "release8/training.h"

namespace colltree::c45 {
namespace {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  Dataset dataset() {
    Dataset data;
    const int classes = pick(2, 8);
    for (int c = 0; c < classes; ++c) data.schema.classes.push_back(fmt::format("c{}", c));
    const int attributes = pick(1, 4);
    for (int a = 0; a < attributes; ++a) add_attribute(data.schema);
    data.cases = empty_cases(data.schema);
    const int cases = pick(0, 9) == 0    ? pick(1, 6)
                      : pick(0, 19) == 0 ? pick(200, 500)
                                         : pick(5, 120);
    const double unknown = choose({0.0, 0.0, 0.03, 0.2, 0.6});
    for (int a = 0; a < attributes; ++a) {
      fill(data, static_cast<std::size_t>(a), cases, pick(0, 19) == 0 ? 1.0 : unknown);
    }
    label(data, cases, pick(1, classes), choose({0.0, 0.1, 0.5, 1.0}));
    return data;
  }

  TrainOptions options() {
    TrainOptions options;
    options.tree.weight = choose({1, 2, 2, 3, 5, 10});
    options.tree.gain_only = pick(0, 3) == 0;
    options.tree.group = pick(0, 2) == 0;
    options.tree.confidence_percent = choose({0.5F, 5.0F, 15.0F, 25.0F, 25.0F, 60.0F, 100.0F});
    return options;
  }

 private:
  int pick(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  bool happens(double share) { return std::bernoulli_distribution(share)(random_); }
  template <typename T>
  T choose(std::initializer_list<T> from) {
    return *(from.begin() + pick(0, static_cast<int>(from.size()) - 1));
  }

  void add_attribute(Schema& schema) {
    Attribute attribute{.name = fmt::format("a{}", schema.attributes.size())};
    if (pick(0, 11) == 0) {
      attribute.kind = AttributeKind::kIgnored;
    } else if (pick(0, 2) == 0) {
      attribute.kind = AttributeKind::kDiscrete;
      const int values = pick(2, 7);
      for (int v = 0; v < values; ++v) attribute.values.push_back(fmt::format("v{}", v));
    }
    schema.attributes.push_back(attribute);
  }

  void fill(Dataset& data, std::size_t a, int cases, double unknown) {
    const Attribute& attribute = data.schema.attributes[a];
    if (attribute.kind == AttributeKind::kDiscrete) {
      const int used = pick(1, static_cast<int>(attribute.values.size()));
      for (int i = 0; i < cases; ++i) {
        data.cases.values[a].push_back(
            happens(unknown) ? kUnknownValue : static_cast<std::uint32_t>(pick(1, used)));
      }
    } else if (attribute.kind == AttributeKind::kContinuous) {
      // A copy of the attribute before, in order if not in value, ties the two exactly.
      const bool copy = a > 0 && !data.cases.numbers[a - 1].empty() && pick(0, 3) == 0;
      const int distinct = choose({1, 3, 10, 1000});
      const int shape = pick(0, 3);
      for (int i = 0; i < cases; ++i) {
        const float value =
            copy ? data.cases.numbers[a - 1][static_cast<std::size_t>(i)] : number(distinct, shape);
        data.cases.numbers[a].push_back(happens(unknown) ? kUnknownNumber : value);
      }
    }
  }

  float number(int distinct, int shape) {
    const int value = pick(0, distinct);
    switch (shape) {
      case 0:
        return static_cast<float>(value);
      case 1:
        return static_cast<float>(20000000 + 2 * value);  // adjacent float32 numbers
      case 2:
        return static_cast<float>(value) * 7e-6F;  // near the smallest gap of 1e-5
      default:
        return static_cast<float>(std::ldexp(1.0, value % 24));
    }
  }

  // A rule over the first attributes, some labels drawn at random.
  void label(Dataset& data, int cases, int used, double noise) {
    for (int i = 0; i < cases; ++i) {
      const auto at = static_cast<std::size_t>(i);
      double score = 0;
      for (std::size_t a = 0; a < data.schema.attributes.size(); ++a) {
        if (!data.cases.numbers[a].empty())
          score += std::log2(1 + std::abs(data.cases.numbers[a][at]));
        if (!data.cases.values[a].empty()) score += 3.0 * data.cases.values[a][at];
      }
      const int rule = static_cast<int>(score / 3) % used;
      data.cases.label.push_back(
          static_cast<std::uint32_t>(happens(noise) ? pick(0, used - 1) : rule));
    }
  }

  std::mt19937_64 random_;
};

// The form of reference::Result. Random trees are shallow.
void print(const Tree& tree, std::uint32_t index, std::string& out) {
  const Node& node = tree.nodes[index];
  auto to = std::back_inserter(out);
  fmt::format_to(to, "({} {} {}", node.label, node.items, node.errors);
  for (const ClassWeight& entry : tree.leaf_distribution(node)) {
    fmt::format_to(to, " {}:{}", entry.label, entry.weight);
  }
  if (!node.is_leaf()) fmt::format_to(to, " a{}", node.attribute);
  if (node.test == TestKind::kThreshold) fmt::format_to(to, " <={}", node.cut);
  if (node.test == TestKind::kGroups) {
    for (std::uint32_t b = 0; b < node.count; ++b) {
      out += " {";
      for (const std::uint32_t v : group_values(tree, node, b)) fmt::format_to(to, "{},", v);
      out += '}';
    }
  }
  for (const std::uint32_t branch : tree.branches(node)) print(tree, branch, out);
  out += ')';
}

std::string printed(const Tree& tree) {
  std::string out;
  print(tree, 0, out);
  return out;
}

// One pruner for several confidence levels gives what each level gives alone.
void expect_repeated_pruning(const Dataset& data, const Tree& grown, float confidence,
                             const std::string& expected) {
  CompletePruner pruner(grown, data.schema, data.cases);
  pruner.prune(0.5F);
  for (const float level : {confidence, 0.01F, confidence}) {
    Tree pruned = pruner.prune(level).tree;
    if (level == confidence) {
      ASSERT_EQ(printed(pruned), expected);
    }
  }
}

void expect_same(const Dataset& data, const TrainOptions& options,
                 const reference::Result& expected, const std::string& what) {
  const Trial trial = train(data.schema, data.cases, options).trials[0];
  ASSERT_EQ(printed(trial.grown), expected.grown) << what << ", before pruning";
  ASSERT_EQ(printed(trial.pruned), expected.pruned) << what << ", after pruning";
  ASSERT_TRUE(std::ranges::equal(classify(trial.pruned, data.schema, data.cases), expected.answers))
      << what << ", classes of the cases";
}

TEST(C45Fuzz, AgreesWithTheReference) {
  std::size_t tested = 0;
  std::size_t unknown = 0;
  const std::vector<std::size_t> seeds = colltree::testing::sampled(4000);
  for (const std::uint64_t seed : seeds) {
    Generator generator(seed);
    const Dataset data = generator.dataset();
    TrainOptions options = generator.options();
    const reference::Options same{options.tree.weight,
                                  confidence_fraction(options.tree.confidence_percent),
                                  options.tree.gain_only, options.tree.group};
    const reference::Result expected = reference::run(data.schema, data.cases, same);
    tested += expected.grown.find('a') != std::string::npos;
    unknown += has_unknowns(data.schema, data.cases);
    expect_same(data, options, expected, fmt::format("seed {}", seed));
    if (HasFatalFailure()) return;
    options.in_release8_order = true;
    expect_same(data, options, expected, fmt::format("seed {} in release 8's order", seed));
    if (HasFatalFailure()) return;
    if (options.tree.group || has_unknowns(data.schema, data.cases)) continue;
    const Trial trial = train(data.schema, data.cases, options).trials[0];
    expect_repeated_pruning(data, trial.grown, same.confidence, expected.pruned);
    if (HasFatalFailure()) return;
  }
  // The generator must not have become trivial.
  EXPECT_GT(tested, seeds.size() / 3);
  EXPECT_GT(unknown, seeds.size() / 4);
}

}  // namespace
}  // namespace colltree::c45
