// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.h"
#include "base/json.h"
#include "model/c45_options.h"
#include "model/fitter_kind.h"
#include "model/optimal/objective.h"
#include "model/optimal/search_limits.h"
#include "model/quadtree/grid_tree.h"

namespace colltree {

using Many = std::vector<Timings>;

std::unique_ptr<DecisionFunction> fit_quadtree(const Many& timings, const Json& parameters);
std::unique_ptr<DecisionFunction> fit_kdtree(const Many& timings, const Json& parameters);
std::unique_ptr<DecisionFunction> fit_c45(const Many& timings, const Json& parameters);
std::unique_ptr<DecisionFunction> fit_c45_rules(const Many& timings, const Json& parameters);
std::unique_ptr<DecisionFunction> fit_optimal(const Many& timings, const Json& parameters);

namespace {

using Parsed = std::optional<Json>;

// A type of value: what `parse` reads and what errors say was expected.
template <const WholeRange& range>
struct Whole {
  static Parsed parse(std::string_view text) {
    const auto value = find_whole(text, range);
    return value ? Parsed(*value) : std::nullopt;
  }
  static std::string expected() { return expected_text(range); }
};

template <const RealRange& range>
struct Real {
  static Parsed parse(std::string_view text) {
    const auto value = find_real(text, range);
    return value ? Parsed(*value) : std::nullopt;
  }
  static std::string expected() { return expected_text(range); }
};

struct Depth {
  static Parsed parse(std::string_view text) {
    return text == "none" ? Parsed(Json()) : Whole<kDepthRange>::parse(text);
  }
  static std::string expected() { return expected_text(kDepthRange) + " or none"; }
};

struct Leaves {
  static Parsed parse(std::string_view text) {
    return text == "auto" ? Parsed(Json("auto")) : Whole<optimal::kLeavesRange>::parse(text);
  }
  static std::string expected() { return expected_text(optimal::kLeavesRange) + " or auto"; }
};

struct Flag {
  static Parsed parse(std::string_view text) {
    if (text != "true" && text != "false") return std::nullopt;
    return Json(text == "true");
  }
  static std::string expected() { return "true or false"; }
};

template <const char* const& first, const char* const& second>
struct OneOf {
  static Parsed parse(std::string_view text) {
    return text == first || text == second ? Parsed(Json(text)) : std::nullopt;
  }
  static std::string expected() { return std::string(first) + " or " + second; }
};
constexpr const char* kEnd = "end";
constexpr const char* kEven = "even";
constexpr const char* kCollective = "collective";
constexpr const char* kRanksPerNode = "ranks_per_node";

struct ObjectiveName {
  static Parsed parse(std::string_view text) {
    try {
      return Json(optimal::name(optimal::parse_objective(text)));
    } catch (const UsageError&) {
      return std::nullopt;
    }
  }
  static std::string expected() { return "mean, max, time or p1 to p99"; }
};

template <typename Type>
constexpr FitterParameter parameter(const char* name, const char* field,
                                    const char* default_value) {
  return {name, field, default_value, Type::expected, Type::parse};
}

template <typename Type>
constexpr FitterParameter parameter(const char* name, const char* default_value) {
  return parameter<Type>(name, name, default_value);
}

constexpr FitterParameter kDepth = parameter<Depth>("max_depth", "null");
constexpr FitterParameter kThreshold = parameter<Real<kAccuracyRange>>("accuracy_threshold", "1.0");
constexpr FitterParameter kThird =
    parameter<OneOf<kCollective, kRanksPerNode>>("third", "\"collective\"");

constexpr FitterParameter kQuadtree[] = {
    kDepth, kThreshold, parameter<OneOf<kEnd, kEven>>("reshape", "\"end\""), kThird};
constexpr FitterParameter kKdtree[] = {kDepth, kThreshold, kThird};
constexpr FitterParameter kC45[] = {
    parameter<Whole<kWeightRange>>("weight", "2"),
    parameter<Real<kConfidenceRange>>("confidence", "confidence_level", "25.0"),
    parameter<Flag>("gain", "gain_only", "false"),
    parameter<Flag>("group", "false"),
    parameter<Flag>("power_of_two", "false"),
    parameter<Flag>("parity", "false"),
    parameter<Flag>("log2_message_size", "false")};
constexpr FitterParameter kOptimal[] = {
    parameter<Leaves>("leaves", "10"), parameter<ObjectiveName>("objective", "\"mean\""),
    parameter<Flag>("power_of_two", "false"), parameter<Flag>("noise_aware", "false")};

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
