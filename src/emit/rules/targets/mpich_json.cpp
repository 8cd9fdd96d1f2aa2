// SPDX-License-Identifier: BSD-3-Clause
// Writes a whole selection file of MPICH (docs/formats/mpich-selection.md): our rules for the
// collectives that have some, the stock rows for all others. MPICH aborts on a file that lacks a
// collective, ends a chain without "any", or names what it does not know; an algorithm where it
// cannot run gives wrong results. So every algorithm stands behind guards for what it needs.
#include "emit/rules/targets/mpich_json.h"

#include "base/text.h"
#include "emit/rules/mpich_merge.h"
#include "emit/rules/mpich_methods.h"
#include "emit/rules/rule_set.h"
#include "emit/rules/targets/targets.h"

namespace colltree {

namespace {

// A fact that a condition can ask for. Those of the communicator stand outside the sizes: 4.0.2
// reads comparisons of the communicator inside them wrongly.
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

// What stands below an algorithm's name.
Json parameters_of(const LibraryAlgorithm& one, const Method& method) {
  Json json = Json::object();
  for (const std::string_view word : split(one.below, ' ')) {
    if (word.empty()) continue;
    std::string text(word);
    if (word.starts_with("k=") && method.parameters.radix != 0)
      text = "k=" + std::to_string(method.parameters.radix);
    if (word.starts_with("chunk_size="))
      text = "chunk_size=" + std::to_string(method.segment_size.value_or(0));
    json[text] = Json::object();
  }
  return json;
}

class CollectiveWriter {
 public:
  CollectiveWriter(const RuleTarget& target, const CollectiveRules& rules)
      : target_(target), rules_(rules) {}

  Json intra() {
    if (rules_.collective != Collective::kAlltoall && rules_.collective != Collective::kAlltoallv) {
      return placements();
    }
    // Only pairwise_sendrecv_replace works in place, and it only does.
    Json json;
    json["is_sendbuf_inplace=yes"] = leaf({"pairwise_sendrecv_replace", 0});
    json["is_sendbuf_inplace=no"] = placements();
    return json;
  }

 private:
  const LibraryAlgorithm& algorithm(std::string_view name) const {
    return *find_algorithm(Library::kMpich, rules_.collective, name);
  }

  Json leaf(const Method& method) const {
    const LibraryAlgorithm& one = algorithm(method.algorithm);
    Json json;
    json["algorithm=" + std::string(one.library_name)] = parameters_of(one, method);
    return json;
  }

  Json placements() {
    std::vector<CollectiveRules> parts;
    for (const Rule& rule : rules_.rules) {
      if (parts.empty() || parts.back().rules[0].ranks_per_node != rule.ranks_per_node) {
        parts.push_back({.collective = rules_.collective});
      }
      parts.back().rules.push_back(rule);
    }
    if (parts.size() == 1) return communicators(parts[0]);
    Json json;
    for (const CollectiveRules& part : parts) {
      const std::uint64_t most = part.rules[0].ranks_per_node.most;
      json[most == UINT64_MAX ? "comm_size=any" : "comm_avg_ppn<=" + std::to_string(most)] =
          communicators(part);
    }
    return json;
  }

  Json communicators(const CollectiveRules& part) {
    const std::vector<RuleRow> rows = rows_of(part);
    if (rows.size() == 1) return guarded_row(rows[0], 0, 0);
    Json json;
    for (const RuleRow& row : rows) {
      const std::uint64_t most = row[0].communicator_size.most;
      json[most == UINT64_MAX ? "comm_size=any" : "comm_size<=" + std::to_string(most)] =
          guarded_row(row, 0, 0);
    }
    return json;
  }

  // `known`: needs that hold here. A need that does not makes its algorithms the fallback.
  Json guarded_row(const RuleRow& row, std::size_t guard, std::uint32_t known) {
    if (guard == std::size(kCommunicatorGuards)) return sizes(row, known);
    const Guard& one = kCommunicatorGuards[guard];
    bool needed = false;
    for (const Rule& rule : row) {
      needed = needed || (algorithm(rule.method.algorithm).needs & one.need) != 0;
    }
    if (!needed) return guarded_row(row, guard + 1, known | one.need);
    Json json;
    json[one.met] = guarded_row(row, guard + 1, known | one.need);
    json[one.unmet] = guarded_row(row, guard + 1, known);
    return json;
  }

  Json sizes(const RuleRow& row, std::uint32_t known) {
    if (row.size() == 1) return guarded_leaf(row[0], 0, known);
    const std::string key(mpich_size_condition(rules_.collective));
    Json json;
    for (const Rule& rule : row) {
      const std::uint64_t most = rule.message.most;
      json[most == UINT64_MAX ? key + "=any" : key + "<=" + std::to_string(most)] =
          guarded_leaf(rule, 0, known);
    }
    return json;
  }

  Json guarded_leaf(const Rule& rule, std::size_t guard, std::uint32_t known) {
    const std::uint32_t needs = algorithm(rule.method.algorithm).needs;
    constexpr std::uint32_t kOfCommunicator = kPowerOfTwo | kHierarchy | kConsecutiveNodes;
    // In place has its own branch: what only works there cannot stand here.
    if ((needs & (kInPlace | (kOfCommunicator & ~known))) != 0) return fallback();
    if (guard == std::size(kCallGuards)) return leaf(rule.method);
    const Guard& one = kCallGuards[guard];
    if ((needs & one.need) == 0) return guarded_leaf(rule, guard + 1, known);
    Json json;
    if (one.unmet_first) json[one.unmet] = fallback();
    json[one.met] = guarded_leaf(rule, guard + 1, known);
    if (!one.unmet_first) json[one.unmet] = fallback();
    return json;
  }

  Json fallback() const {
    return leaf({std::string(mpich_fallback(target_, rules_.collective)), 0});
  }

  const RuleTarget& target_;
  const CollectiveRules& rules_;
};

// The row's algorithm as the version calls it.
void add_leaf(const RuleTarget& target, Json& node, const MpichStock& row) {
  const std::string name = "MPIR_" + std::string(row.algorithm);
  const auto collective = find_collective(row.collective);
  const LibraryAlgorithm* known = collective ? mpich_algorithm(target, *collective, name) : nullptr;
  if (known == nullptr) {
    node["algorithm=" + name] = Json::object();
  } else {
    node["algorithm=" + std::string(known->library_name)] = parameters_of(*known, {});
  }
}

void add_stock(const RuleTarget& target, Json& collective, const MpichStock& row) {
  Json* node = &collective;
  for (const std::string_view condition : split(row.conditions, ' ')) {
    if (!condition.empty()) node = &(*node)[std::string(condition)];
  }
  add_leaf(target, *node, row);
}

}  // namespace

Json mpich_collective(const RuleTarget& target, const CollectiveRules& rules) {
  Json node = Json::object();
  node["comm_type=intra"] = CollectiveWriter(target, rules).intra();
  for (const MpichStock& row : mpich_stock()) {
    if (row.collective != name(rules.collective)) continue;
    if (row.conditions.starts_with("comm_type=inter")) add_stock(target, node, row);
    // scan and exscan have no intercommunicators; their stock row is for every call.
    if (row.conditions.empty()) add_leaf(target, node["comm_type=inter"], row);
  }
  return node;
}

namespace {

std::string write_mpich_json(const RuleTarget& target, const RuleSet& rules, const std::string&) {
  Json root = Json::object();
  for (const MpichStock& row : mpich_stock()) {
    const auto collective = find_collective(row.collective);
    const CollectiveRules* own = collective ? rules.find(*collective) : nullptr;
    const std::string key = "collective=" + std::string(row.collective);
    if (own == nullptr || own->rules.empty()) {
      add_stock(target, root[key], row);
    } else if (!root.contains(key)) {
      root[key] = mpich_collective(target, *own);
    }
  }
  std::string text = root.dump_in_order(1) + "\n";
  // MPICH maps the file and looks for its end: a file of whole pages has none.
  if (text.size() % 4096 == 0) text += "\n";
  return text;
}

RuleTarget mpich_target(const char* name, const char* summary, const KnownVersions& versions,
                        int version) {
  return {.name = name,
          .summary = summary,
          .versions = versions,
          .library = Library::kMpich,
          .version = version,
          .placement = PlacementAxis::kRanksPerNode,
          .has_default = false,
          .most_message = INT_MAX,
          .size_key = mpich_size_key,
          .express = express_mpich,
          .write = write_mpich_json,
          .read = read_mpich_json,
          .merge = merge_mpich_json,
          .settings = [](const std::string& file) -> std::vector<std::string> {
            return {"MPIR_CVAR_DEVICE_COLLECTIVES=none",
                    "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=" + file};
          }};
}

}  // namespace

RuleTarget targets::mpich_4_0() {
  return mpich_target("mpich-4.0", "selection file of MPICH 4.0, JSON",
                      {"MPICH", "4.0", "4.0", "run: 4.0.2"}, 40);
}

RuleTarget targets::mpich_4_1() {
  return mpich_target("mpich-4.1", "selection file of MPICH 4.1, JSON",
                      {"MPICH", "4.1", "4.1", "its sources; not run"}, 41);
}

RuleTarget targets::mpich_4_2() {
  return mpich_target("mpich-4.2", "selection file of MPICH 4.2 and later, JSON",
                      {"MPICH", "4.2", "4.3", "run: 4.2.1"}, 42);
}

}  // namespace colltree
