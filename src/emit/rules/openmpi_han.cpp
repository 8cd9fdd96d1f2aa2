// SPDX-License-Identifier: BSD-3-Clause
// Writes the rules of Open MPI 5's coll/han (docs/formats/rules.md):
//   N_COLLECTIVES { NAME N_LEVELS { LEVEL N_SIZES { RANKS N_RULES { BYTES COMPONENT [@ALGORITHM] }
//   } } }
// Of its three levels only the whole communicator's has rules here; the other two choose the
// components of the communicators that HAN makes for itself.
#include "emit/rules/openmpi_han.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "emit/rules/formats.h"

namespace colltree {

namespace {

struct HanCollective {
  Collective collective;
  std::string_view algorithms;  // by their numbers, blank between two
  std::string_view own;         // the one that "han" alone runs
};
constexpr HanCollective kHanCollectives[] = {
    {Collective::kAllgather, "intra simple", "intra"},
    {Collective::kAllreduce, "intra simple reproducible", "intra"},
    {Collective::kBarrier, "simple", "simple"},
    {Collective::kBcast, "intra simple", "intra"},
    {Collective::kGather, "intra simple", "simple"},
    {Collective::kReduce, "intra simple reproducible", "intra"},
    {Collective::kScatter, "intra simple", "intra"},
};

const HanCollective* find_collective_of_han(Collective collective) {
  const auto* found = std::ranges::find(kHanCollectives, collective, &HanCollective::collective);
  return found == std::end(kHanCollectives) ? nullptr : found;
}

constexpr std::string_view kPrefix = "han_";  // of its algorithms' names as methods

std::string component_text(const Method& method) {
  if (is_library_default(method)) return std::string(kHanComponent);
  const std::string_view algorithm = method.algorithm;
  if (!algorithm.starts_with(kPrefix)) return method.algorithm;
  return fmt::format("{} @{}", kHanComponent, algorithm.substr(kPrefix.size()));
}

}  // namespace

std::vector<std::string> han_algorithms(Collective collective) {
  const HanCollective* found = find_collective_of_han(collective);
  std::vector<std::string> names;
  if (found == nullptr) return names;
  for (const std::string_view one : split(found->algorithms, ' ')) names.emplace_back(one);
  return names;
}

Method han_method(Collective collective, std::string_view algorithm) {
  if (algorithm == find_collective_of_han(collective)->own) return library_default();
  return {fmt::format("{}{}", kPrefix, algorithm), 0};
}

Method han_default(Collective collective) {
  return {fmt::format("{}{}", kPrefix, find_collective_of_han(collective)->own), 0};
}

Method han_marker(Collective collective) {
  for (const std::string& one : han_algorithms(collective)) {
    if (one != find_collective_of_han(collective)->own) return han_method(collective, one);
  }
  return library_default();
}

std::vector<std::string> settings_of_han(const std::string& file) {
  return {"OMPI_MCA_coll_han_use_dynamic_file_rules=1",
          "OMPI_MCA_coll_han_dynamic_rules_filename=" + file};
}

std::optional<SizeKey> han_size_key(Collective collective) {
  if (han_algorithms(collective).empty()) return std::nullopt;
  return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
}

Expressed express_han(const RuleTarget& target, Collective collective, const Method& method) {
  if (is_library_default(method)) return {library_default(), ""};
  const std::string_view algorithm = method.algorithm;
  if (algorithm == kHandedToTuned) return {Method{method.algorithm, 0}, ""};
  if (algorithm.starts_with(kPrefix)) {
    const auto known = han_algorithms(collective);
    if (std::ranges::count(known, algorithm.substr(kPrefix.size())) == 0)
      return {std::nullopt, fmt::format("HAN has no {} '{}'", name(collective), method.name())};
    std::string reason;
    if (method.segment_size && method.segment_size != std::uint64_t{0})
      reason = fmt::format(
          "{} {}: rules of {} cannot set a segment size (coll_han_{}_segsize is one for the job)",
          name(collective), algorithm, target.name, name(collective));
    if (method.parameters.up_module != 0 || method.parameters.low_module != 0)
      reason = fmt::format(
          "{} {}: rules of {} cannot set HAN's modules (coll_han_{}_up_module is one for the job)",
          name(collective), method.name(), target.name, name(collective));
    return {han_method(collective, algorithm.substr(kPrefix.size())), reason};
  }
  if (find_algorithm(Library::kOpenmpi, collective, algorithm) == nullptr)
    return {std::nullopt, fmt::format("Open MPI has no {} '{}'", name(collective), method.name())};
  return {Method{kHandedToTuned, 0},
          fmt::format("{}: handed to coll/tuned; which of its algorithms runs says a file for "
                      "openmpi-5.0.7, loaded beside",
                      name(collective))};
}

std::string write_openmpi_han(const RuleTarget& target, const RuleSet& rules,
                              const std::string& comment) {
  std::string text = fmt::format(
      "# {}\n# For {}: who carries a call out on several nodes; columns: bytes component\n"
      "{} # collectives\n",
      comment, target.name, rules.collectives.size());
  for (const CollectiveRules& one : rules.collectives) {
    const std::vector<RuleRow> rows = rows_of(one);
    text +=
        fmt::format("\n{} # bytes of one rank's {}\n1 # level\n{} # {}\n{} # communicator sizes\n",
                    name(one.collective),
                    message_unit(one.collective) == MessageUnit::kBlock ? "block" : "message",
                    kWholeCommunicator, kHanLevels[kWholeCommunicator], rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // The first row begins at 1, or HAN drops the file.
      const std::uint64_t least = i == 0 ? 1 : rows[i][0].communicator_size.least;
      text += fmt::format("{} # ranks and more\n{} # rules\n", least, rows[i].size());
      for (const Rule& rule : rows[i])
        text += fmt::format(
            "{:<24} # {}\n", fmt::format("{} {}", rule.message.least, component_text(rule.method)),
            is_library_default(rule.method) ? "as without rules" : rule.method.label());
    }
  }
  return text;
}

}  // namespace colltree
