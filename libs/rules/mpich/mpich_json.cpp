// SPDX-License-Identifier: BSD-3-Clause
// Writes the part of a selection file of MPICH for one collective. MPICH aborts on a file that ends
// a chain without "any" or has an unknown name, and an algorithm gives wrong results where it
// cannot run. So every algorithm stands behind guards for what it needs.
#include "rules/mpich/mpich_json.h"

#include <algorithm>
#include <bit>

#include "rules/mpich/mpich_conditions.h"
#include "rules/mpich/mpich_methods.h"
#include "rules/rule_set.h"
#include "rules/rule_target.h"

namespace colltree::rules {

namespace {

// A fact that a condition can ask for. Facts of the communicator stand outside the sizes, because
// 4.0.2 misreads comparisons of the communicator below a message size.
struct Guard {
  std::uint32_t need;
  const char* met;
  const char* unmet;
  bool unmet_first;
};
constexpr Guard kCommunicatorGuards[] = {
    {kPowerOfTwo, "comm_size=pow2", "comm_size=any", false},
    {kHierarchy, "comm_hierarchy=parent", "comm_hierarchy=any", false},
    {kConsecutiveNodes, "is_node_consecutive=yes", "is_node_consecutive=no", false},
};
constexpr Guard kCallGuards[] = {
    {kCommutative, "is_commutative=yes", "is_commutative=no", false},
    {kBuiltInOperation, "is_op_built_in=yes", "is_op_built_in=no", false},
    {kRegularBlocks, "is_block_regular=yes", "is_block_regular=no", false},
    {kCountAtLeastPowerOfTwo, "count=any", "count<pow2", true},
};

constexpr std::uint32_t kGuarded = [] {
  std::uint32_t needs = kInPlace;
  for (const Guard& guard_row : kCommunicatorGuards) needs |= guard_row.need;
  for (const Guard& guard_row : kCallGuards) needs |= guard_row.need;
  return needs;
}();

// `known` says which calls come to a place in the file: their communicator sizes, their keys and
// the facts that guards have settled. A call that the rules leave to MPICH gets its own choice
// there.
class CollectiveWriter {
 public:
  CollectiveWriter(const RuleTarget& target, const CollectiveRules& rules, MpichLayer layer)
      : target_(target),
        rules_(rules),
        layer_(layer),
        own_(mpich_stock_tests(rules.collective, layer)) {
    if (!leaves(rules_.rules)) return;
    for (const std::uint64_t ranks : own_.communicator_sizes) cut_rows(rules_, ranks);
  }

  Json intra() {
    const bool composed = !mpich_handed_down(rules_.collective).is_null();
    if (layer_ == MpichLayer::kSelection && composed && !is_blind_to_its_own(target_))
      return users_communicators();
    if (rules_.collective != Collective::kAlltoall && rules_.collective != Collective::kAlltoallv) {
      return placements({});
    }
    Json json;
    json["is_sendbuf_inplace=yes"] = own_choice({.required = kInPlace});
    json["is_sendbuf_inplace=no"] = placements({.excluded = kInPlace});
    return json;
  }

 private:
  // MPICH decides on the communicators inside and between nodes, where the device and "smp" compose
  // collectives of others.
  Json users_communicators() {
    const Json inside = own_choice({.excluded = kHierarchy | kConsecutiveNodes});
    Json json;
    json["comm_hierarchy=node"] = inside;
    json["comm_hierarchy=node_roots"] = inside;
    json["comm_hierarchy=any"] = placements({});
    return json;
  }

  std::uint32_t needs(const Rule& rule) const {
    if (is_library_default(rule.method)) return 0;
    return find_algorithm(Library::kMpich, rules_.collective, rule.method.algorithm)->needs;
  }

  // True if some calls of a rule are left to MPICH, by the rule itself or because a guard
  // keeps them from its algorithm.
  bool leaves(const std::vector<Rule>& rules) const {
    return std::ranges::any_of(rules, [&](const Rule& rule) {
      return is_library_default(rule.method) || (needs(rule) & kGuarded) != 0;
    });
  }

  Json own_choice(const Rule& rule) const {
    return mpich_stock_at(target_, rules_.collective, rule, layer_);
  }

  Json chosen(const Rule& rule) const {
    if (layer_ == MpichLayer::kDevice) return mpich_handed_down(rules_.collective);
    return mpich_leaf(target_,
                      *find_algorithm(Library::kMpich, rules_.collective, rule.method.algorithm),
                      rule.method);
  }

  Json placements(const Rule& known) {
    std::vector<CollectiveRules> parts;
    for (const Rule& rule : rules_.rules) {
      if (parts.empty() || parts.back().rules[0].ranks_per_node != rule.ranks_per_node) {
        parts.push_back({.collective = rules_.collective});
      }
      parts.back().rules.push_back(rule);
    }
    if (parts.size() == 1) return communicators(parts[0], known);
    Json json;
    for (const CollectiveRules& part : parts) {
      const std::uint64_t most = part.rules[0].ranks_per_node.most;
      json[most == UINT64_MAX ? "comm_size=any" : "comm_avg_ppn<=" + std::to_string(most)] =
          communicators(part, known);
    }
    return json;
  }

  Json communicators(const CollectiveRules& part, Rule rule) {
    const std::vector<RuleRow> rows = rows_of(part);
    Json json;
    for (const RuleRow& row : rows) {
      rule.communicator_size = row[0].communicator_size;
      const std::uint64_t most = rule.communicator_size.most;
      Json below = guarded_row(row, 0, rule);
      if (rows.size() == 1) return below;
      json[most == UINT64_MAX ? "comm_size=any" : "comm_size<=" + std::to_string(most)] =
          std::move(below);
    }
    return json;
  }

  // A guard stands where an algorithm of the row needs it, and where MPICH's own choice asks for
  // the same fact.
  Json guarded_row(const RuleRow& row, std::size_t guard, const Rule& known) {
    if (guard == std::size(kCommunicatorGuards)) return sizes(row, known);
    const Guard& guard_row = kCommunicatorGuards[guard];
    const bool needed = (leaves(row) && (own_.facts & guard_row.need) != 0) ||
                        std::ranges::any_of(row, [&](const Rule& rule) {
                          return (needs(rule) & guard_row.need) != 0;
                        });
    if (!needed) return guarded_row(row, guard + 1, known);
    Rule met = known;
    met.required |= guard_row.need;
    Rule unmet = known;
    unmet.excluded |= guard_row.need;
    const Span& ranks = known.communicator_size;
    if (guard_row.need == kPowerOfTwo && ranks.least == ranks.most)
      return guarded_row(row, guard + 1, std::has_single_bit(ranks.least) ? met : unmet);
    Json json;
    json[guard_row.met] = guarded_row(row, guard + 1, met);
    json[guard_row.unmet] = guarded_row(row, guard + 1, unmet);
    return json;
  }

  Json sizes(const RuleRow& row, Rule known) {
    const std::string key(mpich_size_condition(rules_.collective));
    Json json;
    for (const Rule& rule : row) {
      known.message = rule.message;
      const std::uint64_t most = rule.message.most;
      Json below = guarded_leaf(rule, 0, known);
      if (row.size() == 1) return below;
      json[most == UINT64_MAX ? key + "=any" : key + "<=" + std::to_string(most)] =
          std::move(below);
    }
    return json;
  }

  Json guarded_leaf(const Rule& rule, std::size_t guard, const Rule& known) {
    const std::uint32_t need = needs(rule);
    // Calls in place have their own branch, so an algorithm that only works for them cannot stand
    // here.
    if (is_library_default(rule.method) || (need & (kInPlace | known.excluded) & kGuarded) != 0)
      return own_choice(known);
    if (guard == std::size(kCallGuards)) return chosen(rule);
    const Guard& guard_row = kCallGuards[guard];
    if ((need & guard_row.need) == 0) return guarded_leaf(rule, guard + 1, known);
    Rule met = known;
    met.required |= guard_row.need;
    Rule unmet = known;
    unmet.excluded |= guard_row.need;
    Json json;
    if (guard_row.unmet_first) json[guard_row.unmet] = own_choice(unmet);
    json[guard_row.met] = guarded_leaf(rule, guard + 1, met);
    if (!guard_row.unmet_first) json[guard_row.unmet] = own_choice(unmet);
    return json;
  }

  const RuleTarget& target_;
  CollectiveRules rules_;
  MpichLayer layer_;
  MpichStockTests own_;
};

}  // namespace

Json mpich_collective(const RuleTarget& target, const CollectiveRules& rules) {
  Json node = Json::object();
  node["comm_type=intra"] = CollectiveWriter(target, rules, MpichLayer::kSelection).intra();
  // MPI has no scan and exscan on intercommunicators; MPICH's own choice is one for every call.
  node["comm_type=inter"] = mpich_stock_of_inter(target, rules.collective);
  return node;
}

Json mpich_device_intra(const RuleTarget& target, const CollectiveRules& rules) {
  return CollectiveWriter(target, rules, MpichLayer::kDevice).intra();
}

}  // namespace colltree::rules
