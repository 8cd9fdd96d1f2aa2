// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/mpich_methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>

#include "base/text.h"
#include "coll/library_algorithms.h"
#include "coll/library_methods.h"

namespace colltree {

namespace {

// One algorithm under two names: of radix 2 k_dissemination is what dissemination was.
struct Renamed {
  Collective collective;
  std::string_view before;
  std::string_view now;
};
constexpr Renamed kRenamed[] = {{Collective::kBarrier, "dissemination", "k_dissemination"}};

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
  switch (collective) {
    case Collective::kBcast:
    case Collective::kReduce:
    case Collective::kAllreduce:
    case Collective::kAlltoall:
      return "avg_msg_size";
    case Collective::kAllgather:
    case Collective::kAllgatherv:
    case Collective::kReduceScatter:
    case Collective::kReduceScatterBlock:
      return "total_msg_size";
    default:
      return "";
  }
}

const LibraryAlgorithm* mpich_algorithm(const RuleTarget& target, Collective collective,
                                        std::string_view name) {
  const LibraryAlgorithm* found = find_algorithm(Library::kMpich, collective, name);
  if (found == nullptr || is_in(*found, target.version)) return found;
  for (const Renamed& one : kRenamed) {
    if (one.collective != collective) continue;
    for (const std::string_view other : {one.before, one.now}) {
      const LibraryAlgorithm* same = find_algorithm(Library::kMpich, collective, other);
      if ((found->algorithm == one.before || found->algorithm == one.now) &&
          is_in(*same, target.version))
        return same;
    }
  }
  return nullptr;
}

std::uint64_t own_radix(const LibraryAlgorithm& algorithm) {
  for (const std::string_view word : split(algorithm.below, ' ')) {
    if (word.starts_with("k=")) return parse_number<std::uint64_t>(word.substr(2)).value_or(0);
  }
  return algorithm.algorithm == "dissemination" ? 2 : 0;
}

Expressed express_mpich(const RuleTarget& target, Collective collective, const Method& method) {
  if (!told_unknown(method.algorithm).empty())
    return {std::nullopt, fmt::format("{} '{}': what it needs and breaks is not known",
                                      name(collective), method.name())};
  if (is_library_default(method)) return {library_default(), ""};
  if (find_nonblocking(collective, method.algorithm) != nullptr)
    return {std::nullopt, fmt::format("{} would change the program's own nonblocking {} too",
                                      method.name(), name(collective))};
  const LibraryAlgorithm* algorithm = mpich_algorithm(target, collective, method.algorithm);
  if (algorithm == nullptr) {
    return {std::nullopt, fmt::format("MPICH {}.{} has no {} '{}'", target.version / 10,
                                      target.version % 10, name(collective), method.name())};
  }
  check_parameters(method);
  if (method.parameters.requests != 0)
    return {std::nullopt, "a selection file cannot set the number of requests"};
  const std::uint64_t own = own_radix(*algorithm);
  const std::uint64_t radix = method.parameters.radix == own ? 0 : method.parameters.radix;
  if (radix != 0 && (algorithm->parameters & kRadix) == 0)
    return {std::nullopt, fmt::format("{} {} of {} has no radix", name(collective),
                                      algorithm->algorithm, target.name)};
  Method canonical{std::string(algorithm->algorithm), 0, {.radix = radix}};
  if ((algorithm->parameters & kSegmentSize) != 0)
    canonical.segment_size = method.segment_size.value_or(0);
  return {std::move(canonical), ""};
}

namespace {

// `word`: the parameter with the library's own value, or with the one that was measured.
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

void read_mpich_parameters(const LibraryAlgorithm& algorithm, const Json::Member& member,
                           Method& method, RuleFile& file) {
  for (const std::string_view word : split(algorithm.below, ' ')) {
    if (word.empty()) continue;
    const std::string key(word.substr(0, word.find('=') + 1));
    const auto found = std::ranges::find_if(
        member.value.items(), [&](const Json::Member& one) { return one.key.starts_with(key); });
    if (found == member.value.items().end()) {
      file.unsafe(member.line(),
                  fmt::format("{} {} without \"{}\" below it: MPICH takes any value",
                              name(algorithm.collective), algorithm.algorithm, word));
    } else {
      read_parameter(algorithm, word, *found, method, file);
    }
  }
}

}  // namespace colltree
