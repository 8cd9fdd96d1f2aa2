// SPDX-License-Identifier: BSD-3-Clause
// made_up_rules TARGET SEED [--unsafe] [--only COLLECTIVE ALGORITHM SEGMENT [COLLECTIVE ...]]
//
// Prints rules of all collectives as `colltree emit TARGET` would, of a made-up model: many sizes
// of communicators and messages, at each a random method of the library's table. --unsafe writes
// what safety would replace. --only: one method everywhere, and rules of these collectives alone;
// the method "any" chooses at random among those of the collective.
#include <fmt/core.h>

#include <cstdio>
#include <cstring>
#include <exception>

#include "base/error.h"
#include "rules/adapt.h"
#include "rules/safety.h"
#include "rules/test_rules.h"

namespace colltree {
namespace {

using testing::pick;
using testing::Random;

constexpr std::uint64_t kCommunicatorSizes[] = {2, 3, 4, 5};
constexpr std::uint64_t kMessageSizes[] = {1,    8,    40,    150,   600,    2000,
                                           6000, 9000, 20000, 50000, 100000, 200000};

struct Wanted {
  Collective collective;
  std::vector<Method> methods;
  int tries = 8;  // to find a safe one
};

// Of the methods that are safe as a rule: what is replaced becomes the library's own choice, of
// which there is to be little.
const Method& choose(Random& random, const rules::RuleTarget& target, const Wanted& wanted) {
  for (int tries = 0; tries < wanted.tries; ++tries) {
    const Method& method = wanted.methods[pick(random, 0, wanted.methods.size() - 1)];
    if (rules::hazard_of(target, wanted.collective, {.communicator_size = {0, 2}, .method = method})
            .empty()) {
      return method;
    }
  }
  return wanted.methods[pick(random, 0, wanted.methods.size() - 1)];
}

std::uint32_t append_row(Random& random, const rules::RuleTarget& target, const Wanted& wanted,
                         model::RuleTree& tree, std::size_t size) {
  const auto leaf = [&] {
    tree.methods.push_back(choose(random, target, wanted));
    return model::append_leaf(tree, static_cast<std::uint16_t>(tree.methods.size() - 1));
  };
  if (size == std::size(kMessageSizes)) return leaf();
  const std::uint32_t node = model::append_test(tree, Attribute::kMessageSize, kMessageSizes[size]);
  const std::uint32_t low = leaf();
  const std::uint32_t high = append_row(random, target, wanted, tree, size + 1);
  tree.nodes[node].low = low;
  tree.nodes[node].high = high;
  return node;
}

std::uint32_t append_rows(Random& random, const rules::RuleTarget& target, const Wanted& wanted,
                          model::RuleTree& tree, std::size_t row) {
  if (row == std::size(kCommunicatorSizes)) return append_row(random, target, wanted, tree, 0);
  const std::uint32_t node =
      model::append_test(tree, Attribute::kCommunicatorSize, kCommunicatorSizes[row]);
  const std::uint32_t low = append_row(random, target, wanted, tree, 0);
  const std::uint32_t high = append_rows(random, target, wanted, tree, row + 1);
  tree.nodes[node].low = low;
  tree.nodes[node].high = high;
  return node;
}

std::vector<Wanted> wanted_of(const rules::RuleTarget& target, int argc, char** argv) {
  std::vector<Wanted> all;
  for (const CollectiveInfo& info : all_collectives()) {
    if (!target.size_key(info.collective)) continue;
    Wanted one{info.collective, testing::expressible(target, info.collective)};
    if (argc == 0 && !one.methods.empty()) all.push_back(one);
    for (int i = 0; i + 2 < argc; i += 3) {
      if (info.name != std::string_view(argv[i])) continue;
      if (std::strcmp(argv[i + 1], "any") != 0) {
        one.methods = {{argv[i + 1], std::strtoull(argv[i + 2], nullptr, 10)}};
      }
      all.push_back(one);
    }
  }
  return all;
}

int run(int argc, char** argv) {
  if (argc < 3) throw Error("made_up_rules TARGET SEED [--unsafe] [--only ...]");
  const rules::RuleTarget& target = rules::find_rule_target(argv[1]);
  Random random(std::strtoull(argv[2], nullptr, 10));
  rules::AdaptOptions options;
  // Open MPI's own choice for allgatherv differs between ranks of legal programs, which then hang.
  options.replace_default = true;
  int at = 3;
  if (at < argc && std::strcmp(argv[at], "--unsafe") == 0) options.allow_unsafe = ++at > 0;
  if (at < argc && std::strcmp(argv[at], "--only") == 0) ++at;
  model::RuleTree tree;
  for (Wanted one : wanted_of(target, argc - at, argv + at)) {
    if (options.allow_unsafe) one.tries = 0;
    const std::uint32_t node = append_rows(random, target, one, tree, 0);
    tree.roots.push_back({one.collective, node});
  }
  model::validate(tree);
  const rules::Adapted adapted = rules::adapt_rules(tree, target, options);
  fmt::print("{}", target.write(adapted.keyed, "made up"));
  for (const std::string& note : adapted.notes) fmt::print(stderr, "{}\n", note);
  return 0;
}

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  try {
    return colltree::run(argc, argv);
  } catch (const std::exception& wrong) {
    fmt::print(stderr, "made_up_rules: {}\n", wrong.what());
    return 1;
  }
}
