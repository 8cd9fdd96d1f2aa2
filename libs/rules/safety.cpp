// SPDX-License-Identifier: BSD-3-Clause
#include "rules/safety.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <set>

namespace colltree::rules {

namespace {

const LibraryAlgorithm* algorithm_of(const RuleTarget& target, Collective collective,
                                     const Rule& rule) {
  if (!target.library || is_library_default(rule.method)) return nullptr;
  return find_algorithm(*target.library, collective, rule.method.algorithm);
}

struct SafeRegion {
  Span communicator_size;
  Span message;
};

struct Hazard {
  std::uint32_t flag;  // of AlgorithmHazard
  bool segmented;      // only with a segment size
  const char* text;
};
constexpr Hazard kHazards[] = {
    {kBroken, false, " crashes or gives wrong values"},
    {kNonCommutative, false, " gives wrong results for operations that are not commutative"},
    {kTypeSignature, false,
     " fails or hangs where ranks give one message by different counts and types"},
    {kTypeSignatureSegmented, true,
     " with segments fails or hangs where ranks give one message by different counts and types"},
    {kGappedTypes, false, " fails or gives wrong values for types with gaps"},
    {kFailsInPlace, false, " fails for MPI_IN_PLACE"},
    {kCallsBcast, false,
     " on more than 256 ranks calls a bcast that fails or hangs where ranks give one message by "
     "different counts and types"},
    {kFailsElsewhere, false, " is an error for other than 2 ranks"},
};

const Hazard* hazard_in(const LibraryAlgorithm& algorithm, const Rule& rule) {
  const auto* found = std::ranges::find_if(kHazards, [&](const Hazard& hazard) {
    if ((algorithm.hazards & hazard.flag) == 0) return false;
    return !hazard.segmented || rule.method.segment_size.value_or(0) != 0;
  });
  return found == std::end(kHazards) ? nullptr : found;
}

bool holds_power_of_two(const Span& ranks) {
  return std::bit_floor(ranks.most) >= std::max<std::uint64_t>(ranks.least, 1);
}

// The sizes where MPICH itself, without rules (mpich/mpich.json), takes an algorithm with a
// hazard.
constexpr std::uint64_t kOwnRing = 524288;         // bytes of all blocks
constexpr std::uint64_t kOwnRingOddRanks = 81920;  // the same, not a power of two of ranks
constexpr std::uint64_t kOwnPairwise = 524288;     // reduce_scatter: bytes of all blocks
constexpr SafeRegion kOwnBrucks = {{9, UINT64_MAX}, {0, 256}};
// The bound in files is 8 ranks, as in MPICH's own selection; that MPICH takes another algorithm at
// 8 is a slip.
constexpr SafeRegion kOwnBrucksInFiles = {{8, UINT64_MAX}, {0, 256}};

SafeRegion own_ring(const Rule& rule, RuleUnit unit) {
  const bool powers =
      (rule.excluded & kPowerOfTwo) == 0 && holds_power_of_two(rule.communicator_size);
  const std::uint64_t bytes = powers ? kOwnRing : kOwnRingOddRanks;
  const std::uint64_t ranks =
      unit == RuleUnit::kKey ? 1 : std::max<std::uint64_t>(rule.communicator_size.least, 1);
  return {{}, {(bytes + ranks - 1) / ranks, UINT64_MAX}};
}

// The region where the rule's method is safe although it is not everywhere, or MPICH itself takes
// it without rules; nothing if there is no such region.
std::optional<SafeRegion> safe_region(const RuleTarget& target, Collective collective,
                                      const Rule& rule, RuleUnit unit) {
  const LibraryAlgorithm* algorithm = algorithm_of(target, collective, rule);
  if (algorithm == nullptr) return std::nullopt;
  // Up to here Open MPI's own bcast cuts where blocks end (4.1's fixed rules: 8 of 16 to 31 ranks
  // cuts into as many parts as ranks); then split_binary halves the blocks of an odd number of
  // ranks.
  if (algorithm->hazards == kCallsBcast) return SafeRegion{{0, 256}, {}};
  if (algorithm->hazards == kFailsElsewhere) return SafeRegion{{0, 2}, {}};
  if (target.library != Library::kMpich) return std::nullopt;
  if (collective == Collective::kAllgatherv && algorithm->algorithm == "ring") {
    return own_ring(rule, unit);
  }
  if (collective == Collective::kReduceScatter && algorithm->algorithm == "pairwise") {
    return SafeRegion{{}, {kOwnPairwise, UINT64_MAX}};
  }
  if (collective == Collective::kAlltoall && algorithm->algorithm == "brucks")
    return unit == RuleUnit::kKey ? kOwnBrucksInFiles : kOwnBrucks;
  // MPICH itself takes this algorithm for operations that are not commutative.
  if (algorithm->algorithm == "noncommutative" && (rule.excluded & kCommutative) != 0)
    return SafeRegion{};
  return std::nullopt;
}

// Appends the rule, cut at both ends of a span of message sizes.
void append_parts(std::vector<Rule>& parts, Rule rule, const Span& span) {
  if (span.least > 0 && rule.message.least < span.least && span.least <= rule.message.most) {
    parts.push_back(rule);
    parts.back().message.most = span.least - 1;
    rule.message.least = span.least;
  }
  if (rule.message.least <= span.most && span.most < rule.message.most) {
    parts.push_back(rule);
    parts.back().message.most = span.most;
    rule.message.least = span.most + 1;
  }
  parts.push_back(std::move(rule));
}

}  // namespace

void split_where_safe(const RuleTarget& target, CollectiveRules& rules) {
  std::set<std::uint64_t> cuts;
  for (const Rule& rule : rules.rules) {
    const auto region = safe_region(target, rules.collective, rule, RuleUnit::kMessageSize);
    if (!region) continue;
    if (region->communicator_size.least > 0) cuts.insert(region->communicator_size.least - 1);
    if (region->communicator_size.most != UINT64_MAX) cuts.insert(region->communicator_size.most);
  }
  for (const std::uint64_t ranks : cuts) cut_rows(rules, ranks);
  std::vector<Rule> parts;
  for (const Rule& rule : rules.rules) {
    const auto region = safe_region(target, rules.collective, rule, RuleUnit::kMessageSize);
    append_parts(parts, rule, region ? region->message : Span{});
  }
  rules.rules = std::move(parts);
}

std::string hazard_of(const RuleTarget& target, Collective collective, const Rule& rule,
                      RuleUnit unit) {
  const LibraryAlgorithm* algorithm = algorithm_of(target, collective, rule);
  const Hazard* hazard = algorithm == nullptr ? nullptr : hazard_in(*algorithm, rule);
  if (hazard == nullptr) return {};
  const std::optional<SafeRegion> region = safe_region(target, collective, rule, unit);
  if (region && covers(region->communicator_size, rule.communicator_size) &&
      covers(region->message, rule.message)) {
    return {};
  }
  return fmt::format("{} {}{}", name(collective), algorithm->algorithm, hazard->text);
}

bool needs_one_size(const RuleTarget& target, Collective collective) {
  static constexpr Collective kLocalSizes[] = {Collective::kGather, Collective::kScatter,
                                               Collective::kAllgather, Collective::kAllgatherv};
  return target.library == Library::kOpenmpi &&
         std::ranges::find(kLocalSizes, collective) != std::end(kLocalSizes);
}

}  // namespace colltree::rules
