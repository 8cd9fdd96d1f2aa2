// SPDX-License-Identifier: BSD-3-Clause
// random_model SEED FILE.cdt: a compact decision file with a random tree for each collective, over
// all portable methods and the default. SEED "foreign": methods that are not ours; "gatherv": of a
// collective that the runtime library does not deploy; "simulated", "openmpi", "elsewhere" and
// "unknown": one binomial bcast with such an origin.
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <string>

#include "base/file.h"
#include "coll/catalogue.h"
#include "decision/cdt_format.h"
#include "emit/cdt.h"

namespace colltree {
namespace {

using Random = std::mt19937_64;

constexpr std::uint64_t kSegmentSizes[] = {0, 64, 1024, 8192};

std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }

std::uint32_t grow(model::RuleTree& tree, Random& random, std::uint16_t first,
                   std::uint16_t methods, int depth) {
  if (depth == 0)
    return model::append_leaf(tree, static_cast<std::uint16_t>(first + below(random, methods)));
  const bool by_ranks = below(random, 3) == 0;
  const std::uint32_t node =
      model::append_test(tree, by_ranks ? Attribute::kCommunicatorSize : Attribute::kMessageSize,
                         by_ranks ? 2 + below(random, 4) : std::uint64_t{1} << below(random, 16));
  const std::uint32_t low = grow(tree, random, first, methods, depth - 1);
  const std::uint32_t high = grow(tree, random, first, methods, depth - 1);
  tree.nodes[node].low = low;
  tree.nodes[node].high = high;
  return node;
}

void add(model::RuleTree& tree, Collective collective, const std::vector<Method>& methods,
         Random& random) {
  const auto first = static_cast<std::uint16_t>(tree.methods.size());
  tree.methods.insert(tree.methods.end(), methods.begin(), methods.end());
  const std::uint32_t root =
      grow(tree, random, first, static_cast<std::uint16_t>(methods.size()), 4);
  tree.roots.push_back({collective, root});
}

const emit::CdtOrigin kPortable = {"random", "measured", cdt::kPortable, ""};
const std::map<std::string, emit::CdtOrigin> kOrigins = {
    {"simulated", {"quadtree on grig, simulated", "simulated", cdt::kPortable, ""}},
    {"openmpi", {"quadtree", "measured", "openmpi", "openmpi-4.1.4"}},
    {"elsewhere", {"quadtree", "measured", cdt::kPortable, "mpich-4.0.2"}},
    {"unknown", {"quadtree", "imported", "", "another-1.0"}}};

model::RuleTree make_tree(const std::string& seed) {
  model::RuleTree tree;
  Random random(std::strtoull(seed.c_str(), nullptr, 10));
  if (seed == "foreign") {
    add(tree, Collective::kBcast, {{"basic_linear", std::nullopt}}, random);
    return tree;
  }
  if (kOrigins.contains(seed)) {
    add(tree, Collective::kBcast, {{"binomial", 0}}, random);
    return tree;
  }
  if (seed == "gatherv") {
    add(tree, Collective::kGatherv, {{"linear", 0}}, random);
    return tree;
  }
  for (const CollectiveInfo& info : all_collectives()) {
    std::vector<Method> methods = portable_methods(info.collective, kSegmentSizes);
    if (methods.empty()) continue;
    methods.push_back({kDefaultAlgorithm, std::nullopt});
    add(tree, info.collective, methods, random);
  }
  return tree;
}

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  try {
    if (argc != 3) return 2;
    const auto named = colltree::kOrigins.find(argv[1]);
    const auto& origin = named == colltree::kOrigins.end() ? colltree::kPortable : named->second;
    colltree::write_file(argv[2], colltree::emit::make_cdt(colltree::make_tree(argv[1]), origin,
                                                           colltree::emit::CdtForm::kAuto));
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}
