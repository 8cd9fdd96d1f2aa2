// SPDX-License-Identifier: BSD-3-Clause
#include "rules/mpich/mpich_methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "coll/library_algorithms.h"
#include "rules/mpich/mpich_conditions.h"

namespace colltree::rules {

// mpich_stock.cpp, from mpich/mpich.json and mpich/mpich.device.json.
extern const char* const kMpichSelection;
extern const char* const kMpichDevice;

namespace {

// Algorithms of barrier that are one by two names: k_dissemination of radix 2, in later versions,
// does what dissemination did.
constexpr std::string_view kRenamed[] = {"dissemination", "k_dissemination"};

}  // namespace

std::optional<SizeKey> mpich_size_key(Collective collective) {
  switch (collective) {
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kAlltoall:
    case Collective::kReduceScatter:  // the total, as message_size is
      return SizeKey::kMessage;
    case Collective::kAllgather:
    case Collective::kAllgatherv:
    case Collective::kReduceScatterBlock:
      return SizeKey::kTimesRanks;
    case Collective::kAlltoallv:  // a sum that ranks do not share
    case Collective::kBarrier:
    case Collective::kScan:
    case Collective::kExscan:
    case Collective::kGather:   // forgets the type's size
    case Collective::kScatter:  // the same
      return SizeKey::kNone;
    case Collective::kGatherv:
    case Collective::kScatterv:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string_view mpich_size_condition(Collective collective) {
  const std::optional<SizeKey> key = mpich_size_key(collective);
  if (!key || key == SizeKey::kNone) return "";
  const bool total = key == SizeKey::kTimesRanks || collective == Collective::kReduceScatter;
  return total ? "total_msg_size" : "avg_msg_size";
}

const LibraryAlgorithm* mpich_algorithm(const RuleTarget& target, Collective collective,
                                        std::string_view name) {
  const LibraryAlgorithm* found = find_algorithm(Library::kMpich, collective, name);
  if (found == nullptr || is_in(*found, target.version)) return found;
  if (collective != Collective::kBarrier || std::ranges::count(kRenamed, found->algorithm) == 0)
    return nullptr;
  for (const std::string_view algorithm : kRenamed) {
    const LibraryAlgorithm* same = find_algorithm(Library::kMpich, collective, algorithm);
    if (is_in(*same, target.version)) return same;
  }
  return nullptr;
}

std::uint64_t own_radix(const LibraryAlgorithm& algorithm) {
  for (const std::string_view word : split(algorithm.below, ' ')) {
    if (word.starts_with("k=")) return parse_number<std::uint64_t>(word.substr(2)).value_or(0);
  }
  return algorithm.algorithm == "dissemination" ? 2 : 0;
}

namespace {

// Returns a parameter as the version reads it: 4.2 reads the type of a tree as a number, and so
// takes every word for kary.
std::string_view word_in(const RuleTarget& target, std::string_view word) {
  return target.version < 43 && word == "tree_type=knomial_1" ? "tree_type=1" : word;
}

// `word` is the parameter with the library's own value, or with the one that was measured.
void read_parameter(const LibraryAlgorithm& algorithm, std::string_view word,
                    const Json::Member& found, Method& method, RuleFile& file) {
  const bool radix = word.starts_with("k=");
  if (!radix && !word.starts_with("chunk_size=")) {
    if (found.key != word)
      file.warn(found.line(),
                fmt::format("{} {}: \"{}\" is not what was measured (\"{}\")",
                            name(algorithm.collective), algorithm.algorithm, found.key, word));
    return;
  }
  const std::string_view text = std::string_view(found.key).substr(word.find('=') + 1);
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || *value > INT_MAX || (radix && *value < 2)) {
    file.unsafe(found.line(),
                fmt::format("{} {}: \"{}\": expected {}, got '{}'", name(algorithm.collective),
                            algorithm.algorithm, found.key,
                            radix ? "a radix of 2 or more" : "bytes", text));
  } else if (radix) {
    method.parameters.radix = *value == own_radix(algorithm) ? 0 : *value;
  } else {
    method.segment_size = *value;
  }
}

}  // namespace

void read_mpich_parameters(const RuleTarget& target, const LibraryAlgorithm& algorithm,
                           const Json::Member& member, Method& method, RuleFile& file) {
  for (const std::string_view measured : split(algorithm.below, ' ')) {
    if (measured.empty()) continue;
    const std::string_view word = word_in(target, measured);
    const std::string key(word.substr(0, word.find('=') + 1));
    const auto found = std::ranges::find_if(member.value.items(), [&](const Json::Member& entry) {
      return entry.key.starts_with(key);
    });
    if (found == member.value.items().end()) {
      file.unsafe(member.line(),
                  fmt::format("{} {} without \"{}\" below it: MPICH takes any value",
                              name(algorithm.collective), algorithm.algorithm, word));
    } else {
      read_parameter(algorithm, word, *found, method, file);
    }
  }
}

namespace {

constexpr std::pair<Collective, const char*> kHandedDown[] = {
    {Collective::kBcast, "Bcast_intra_composition_gamma"},
    {Collective::kReduce, "Reduce_intra_composition_gamma"},
    {Collective::kAllreduce, "Allreduce_intra_composition_beta"},
    {Collective::kBarrier, "Barrier_intra_composition_beta"},
    {Collective::kScan, "Scan_intra_composition_beta"}};

constexpr const char* kIntra = "comm_type=intra";
constexpr const char* kInter = "comm_type=inter";

Json composition(std::string_view name) {
  Json json;
  json["composition=MPIDI_" + std::string(name)] = Json::object();
  return json;
}

// The same choices by the names of the target's version.
Json in_version(const RuleTarget& target, Collective collective, const Json& node) {
  Json renamed = Json::object();
  for (const Json::Member& member : node.items()) {
    const MpichTest test = split_test(member.key);
    if (test.key == "algorithm") {
      const LibraryAlgorithm* known = mpich_algorithm(target, collective, test.value);
      return known == nullptr ? node : mpich_leaf(target, *known, {});
    }
    renamed[member.key] = in_version(target, collective, member.value);
  }
  return renamed;
}

// Returns the answer that all calls within `known` give to the test, or nothing if they differ.
std::optional<bool> answer_of(const MpichTest& test, const Rule& known) {
  if (test.value == "any") return true;
  const MpichFacts fact = facts_of(test);
  if (fact.need != 0) {
    if ((known.required & fact.need) != 0) return fact.met;
    if ((known.excluded & fact.need) != 0) return !fact.met;
    return std::nullopt;
  }
  const Span& span = test.key == "comm_size" ? known.communicator_size : known.message;
  const auto most = parse_number<std::uint64_t>(test.value);
  if (most && span.most <= *most) return true;
  if (most && span.least > *most) return false;
  return std::nullopt;
}

// Returns the calls of `known` that answer the test so.
Rule where(Rule known, const MpichTest& test, bool answer) {
  const MpichFacts fact = facts_of(test);
  if (fact.need != 0) {
    (fact.met == answer ? known.required : known.excluded) |= fact.need;
  } else if (const auto most = parse_number<std::uint64_t>(test.value)) {
    Span& span = test.key == "comm_size" ? known.communicator_size : known.message;
    (answer ? span.most : span.least) = answer ? *most : *most + 1;
  }
  return known;
}

// Returns the last test of a chain, which every call that comes to it answers with yes.
std::string last_test(const MpichTest& test, const std::string& written) {
  return test.value == "yes" || test.value == "no" ? written : test.key + "=any";
}

Json without_settled(const Json& node, Rule known) {
  Json kept = Json::object();
  for (const Json::Member& member : node.items()) {
    const MpichTest test = split_test(member.key);
    if (test.key == "algorithm" || test.key == "composition") return node;
    const std::optional<bool> answer = answer_of(test, known);
    if (answer == false) continue;
    Json below = without_settled(member.value, where(known, test, true));
    if (answer == true && kept.empty()) return below;
    kept[answer == true ? last_test(test, member.key) : member.key] = std::move(below);
    if (answer == true) break;
    known = where(known, test, false);
  }
  return kept;
}

}  // namespace

const Json& mpich_stock(MpichLayer layer) {
  static const Json kSelection = Json::parse(kMpichSelection, JsonDialect::kJsonC);
  static const Json kDevice = Json::parse(kMpichDevice, JsonDialect::kJsonC);
  return layer == MpichLayer::kDevice ? kDevice : kSelection;
}

namespace {

// Null means that the device composes nothing for this collective.
Json own_choice(Collective collective, MpichLayer layer) {
  const Json* found =
      mpich_stock(layer).find(fmt::format("{}{}", kCollectiveKey, name(collective)));
  return found == nullptr ? Json() : *found;
}

}  // namespace

Json mpich_handed_down(Collective collective) {
  for (const auto& [one, name] : kHandedDown) {
    if (one == collective) return composition(name);
  }
  return {};
}

Json mpich_leaf(const RuleTarget& target, const LibraryAlgorithm& algorithm, const Method& method) {
  Json parameters = Json::object();
  for (const std::string_view word : split(algorithm.below, ' ')) {
    if (word.empty()) continue;
    std::string text(word_in(target, word));
    if (word.starts_with("k=") && method.parameters.radix != 0)
      text = "k=" + std::to_string(method.parameters.radix);
    if (word.starts_with("chunk_size="))
      text = "chunk_size=" + std::to_string(method.segment_size.value_or(0));
    parameters[text] = Json::object();
  }
  Json json;
  json["algorithm=" + std::string(algorithm.library_name)] = std::move(parameters);
  return json;
}

Json mpich_stock_of(const RuleTarget& target, Collective collective, MpichLayer layer) {
  return in_version(target, collective, own_choice(collective, layer));
}

Json mpich_stock_of_inter(const RuleTarget& target, Collective collective) {
  const Json whole = mpich_stock_of(target, collective);
  const Json* inter = whole.find(kInter);
  return inter == nullptr ? whole : *inter;
}

Json mpich_stock_at(const RuleTarget& target, Collective collective, const Rule& known,
                    MpichLayer layer) {
  const Json whole = mpich_stock_of(target, collective, layer);
  const Json* intra = whole.find(kIntra);
  return without_settled(intra == nullptr ? whole : *intra, known);
}

namespace {

void collect_tests(const Json& node, MpichStockTests& tests) {
  constexpr std::uint32_t kOfCommunicator = kPowerOfTwo | kHierarchy | kConsecutiveNodes;
  for (const Json::Member& member : node.items()) {
    const MpichTest test = split_test(member.key);
    tests.facts |= facts_of(test).need & kOfCommunicator;
    if (test.key == "comm_size" && test.comparison == "<=")
      tests.communicator_sizes.insert(parse_number<std::uint64_t>(test.value).value_or(0));
    collect_tests(member.value, tests);
  }
}

}  // namespace

MpichStockTests mpich_stock_tests(Collective collective, MpichLayer layer) {
  MpichStockTests tests;
  collect_tests(own_choice(collective, layer), tests);
  return tests;
}

}  // namespace colltree::rules
