// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "model/fitter_kind.h"
#include "model/optimal/objective.h"
#include "model/optimal/search_limits.h"

namespace colltree {

using nlohmann::json;
using Many = std::vector<Timings>;

std::unique_ptr<DecisionFunction> fit_quadtree(const Many& timings, const json& parameters);
std::unique_ptr<DecisionFunction> fit_kdtree(const Many& timings, const json& parameters);
std::unique_ptr<DecisionFunction> fit_c45(const Many& timings, const json& parameters);
std::unique_ptr<DecisionFunction> fit_c45_rules(const Many& timings, const json& parameters);
std::unique_ptr<DecisionFunction> fit_optimal(const Many& timings, const json& parameters);

namespace {

using Parsed = std::optional<json>;

Parsed whole(std::string_view text, std::uint64_t least) {
  const auto value = parse_number<std::uint64_t>(text);
  return value && *value >= least && *value <= (1U << 30) ? Parsed(*value) : std::nullopt;
}
Parsed positive(std::string_view text) { return whole(text, 1); }
Parsed depth(std::string_view text) { return text == "none" ? Parsed(json()) : whole(text, 0); }

Parsed number_in(std::string_view text, double above, double most) {
  const auto value = parse_number<double>(text);
  return value && *value > above && *value <= most ? Parsed(*value) : std::nullopt;
}
Parsed share(std::string_view text) { return number_in(text, 0, 1); }
Parsed confidence(std::string_view text) { return number_in(text, 0.001, 100); }

Parsed flag(std::string_view text) {
  if (text != "true" && text != "false") return std::nullopt;
  return json(text == "true");
}

template <const char* const& first, const char* const& second>
Parsed one_of(std::string_view text) {
  return text == first || text == second ? Parsed(json(text)) : std::nullopt;
}
constexpr const char* kEnd = "end";
constexpr const char* kEven = "even";
constexpr const char* kCollective = "collective";
constexpr const char* kRanksPerNode = "ranks_per_node";

constexpr const char* kTrueOrFalse = "true or false";

constexpr FitterParameter kDepth = {"max_depth", "max_depth", "null",
                                    "a whole number from 0, or none", depth};
constexpr FitterParameter kThreshold = {"accuracy_threshold", "accuracy_threshold", "1.0",
                                        "a number above 0, at most 1", share};
constexpr FitterParameter kThird = {"third", "third", "\"collective\"",
                                    "collective or ranks_per_node",
                                    one_of<kCollective, kRanksPerNode>};

constexpr FitterParameter kQuadtree[] = {
    kDepth,
    kThreshold,
    {"reshape", "reshape", "\"end\"", "end or even", one_of<kEnd, kEven>},
    kThird};
constexpr FitterParameter kKdtree[] = {kDepth, kThreshold, kThird};
constexpr FitterParameter kC45[] = {
    {"weight", "weight", "2", "a whole number of 1 or more", positive},
    {"confidence", "confidence_level", "25.0", "percent, above 0.001, at most 100", confidence},
    {"gain", "gain_only", "false", kTrueOrFalse, flag},
    {"group", "group", "false", kTrueOrFalse, flag},
    {"power_of_two", "power_of_two", "false", kTrueOrFalse, flag},
    {"parity", "parity", "false", kTrueOrFalse, flag},
    {"log2_message_size", "log2_message_size", "false", kTrueOrFalse, flag}};

Parsed leaf_budget(std::string_view text) {
  if (text == "auto") return json("auto");
  const Parsed value = whole(text, 1);
  return value && *value <= optimal::kMostLeaves ? value : std::nullopt;
}

Parsed objective(std::string_view text) {
  try {
    return json(optimal::name(optimal::parse_objective(text)));
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

constexpr FitterParameter kOptimal[] = {
    {"leaves", "leaves", "10", "auto or a whole number from 1 to 4096", leaf_budget},
    {"objective", "objective", "\"mean\"", "mean, max, time or p1 to p99", objective},
    {"power_of_two", "power_of_two", "false", kTrueOrFalse, flag},
    {"noise_aware", "noise_aware", "false", kTrueOrFalse, flag}};

constexpr FitterKind kKinds[] = {
    {"quadtree", "quadtree of the 2007 paper; octree over several collectives", kQuadtree,
     fit_quadtree},
    {"kdtree", "the same with cuts of one side at the best place", kKdtree, fit_kdtree},
    {"c45", "C4.5 tree of the 2006 paper", kC45, fit_c45},
    {"c45-rules", "production rules of a C4.5 tree", kC45, fit_c45_rules},
    {"optimal", "the tree of so many leaves that loses least", kOptimal, fit_optimal},
};

}  // namespace

std::span<const FitterKind> fitter_kinds() { return kKinds; }

}  // namespace colltree
