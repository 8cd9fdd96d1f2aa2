// SPDX-License-Identifier: BSD-3-Clause
// UCC: the variable UCC_TL_UCP_TUNE for the shell, and beside it the radix of the k-nomial
// algorithms. The value is TOKEN#TOKEN, where a token is collective:bytes:[ranks]:@algorithm and a
// range of bytes holds its first value and not its last. UCC also takes other orders, lists,
// scores, memory types and numbers; the reader takes what the writer writes, because nobody is
// known to write such strings by hand.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "rules/targets.h"
#include "rules/ucc/ucc_scores.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

constexpr const char* kNeverRuns = "never runs on plain buffers";

// The algorithms of TL/UCP, by the first version in which a string can select them; those of a
// collective in the order of UCC's numbers.
constexpr NamedMethod kUccNames[] = {
    {Collective::kAllreduce, "recursive_doubling", "knomial", 0, 2},
    {Collective::kAllreduce, "rabenseifner reduce_scatter_allgather", "sra_knomial", 0, 2},
    {Collective::kAllreduce, "", "sliding_window", 104, 0, kNeverRuns, INT_MAX},
    {Collective::kAllreduce, "", "dbt", 104, 0, "knomial runs for MPI_IN_PLACE"},
    {Collective::kAllreduce, "segmented_ring", "ring", 108, 0,
     "knomial runs where the ranks do not divide the count"},
    {Collective::kBcast, "binomial", "knomial", 0, 2},
    {Collective::kBcast, "scatter_allgather scatter_recursive_doubling_allgather", "sag_knomial", 0,
     2},
    {Collective::kBcast, "", "dbt"},
    {Collective::kAllgather, "recursive_doubling", "knomial", 0, 2},
    {Collective::kAllgather, "", "ring"},
    {Collective::kAllgather, "neighbor_exchange", "neighbor", 0, 0,
     "ring runs on an odd number of ranks"},
    {Collective::kAllgather, "brucks", "bruck", 104},
    {Collective::kAllgather, "", "sparbit", 104},
    {Collective::kAllgather, "basic_linear", "linear", 105},
    {Collective::kAllgather, "", "batched", 105},
    {Collective::kAllgatherv, "", "ring", 104},
    {Collective::kAllgatherv, "recursive_doubling", "knomial", 104, 2,
     "ring runs where blocks have gaps, before UCC 1.6 always", 106},
    {Collective::kAlltoall, "ring", "pairwise"},
    {Collective::kAlltoall, "brucks modified_bruck", "bruck"},
    {Collective::kAlltoall, "", "onesided", 0, 0, kNeverRuns, INT_MAX},
    {Collective::kAlltoallv, "ring", "pairwise"},
    {Collective::kAlltoallv, "", "hybrid"},
    {Collective::kAlltoallv, "", "onesided", 0, 0, kNeverRuns, INT_MAX},
    {Collective::kReduce, "binomial", "knomial", 104, 2},
    {Collective::kReduce, "", "dbt", 104},
    {Collective::kReduce, "rabenseifner reduce_scatter_gather", "srg", 104, 2},
    {Collective::kReduceScatterBlock, "", "ring"},
    {Collective::kReduceScatterBlock, "recursive_halving", "knomial", 104, 2},
    {Collective::kReduceScatter, "", "ring"},
};

constexpr std::string_view kUccTune = "UCC_TL_UCP_TUNE";
constexpr std::size_t kUccMostValue = 128 * 1024;  // of a variable with its name, in Linux

// The variable for the radix of a k-nomial algorithm: "UCC_TL_UCP_BCAST_SAG_KN_RADIX". Knomial has
// the variable of its collective, and allgatherv has that of allgather.
std::string radix_variable(Collective collective, std::string_view algorithm) {
  const Collective named =
      collective == Collective::kAllgatherv ? Collective::kAllgather : collective;
  std::string_view kind = algorithm.substr(0, algorithm.find("knomial"));
  while (kind.ends_with('_')) kind.remove_suffix(1);
  return fmt::format("UCC_TL_UCP_{}{}{}_KN_RADIX", upper(ucc_word(named)), kind.empty() ? "" : "_",
                     upper(kind));
}

std::string bytes_text(std::uint64_t bytes) {
  if (bytes == UINT64_MAX) return "inf";
  const std::string text = format_bytes(bytes);
  return text.ends_with('B') ? text.substr(0, text.size() - 1) : lower(text);
}

std::string token(Collective collective, const Rule& rule) {
  const Span& bytes = rule.message;
  const Span& ranks = rule.communicator_size;
  std::string text(ucc_word(collective));
  if (bytes.least != 0 || bytes.most != UINT64_MAX) {
    text += fmt::format(":{}-{}", bytes_text(bytes.least),
                        bytes_text(bytes.most == UINT64_MAX ? UINT64_MAX : bytes.most + 1));
  }
  if (ranks.least > 1 || ranks.most != UINT64_MAX) {
    text += fmt::format(":[{}-{}]", ranks.least,
                        ranks.most == UINT64_MAX ? std::string("inf") : std::to_string(ranks.most));
  }
  return text + ":@" + rule.method.algorithm;
}

std::string tune(const RuleSet& rules) {
  std::string text;
  for (const CollectiveRules& collective_rules : rules.collectives) {
    for (const Rule& rule : collective_rules.rules) {
      if (is_library_default(rule.method)) continue;
      text += (text.empty() ? "" : "#") + token(collective_rules.collective, rule);
    }
  }
  return text;
}

std::map<std::string, std::uint64_t> radices(const RuleSet& rules) {
  std::map<std::string, std::uint64_t> set;
  for (const CollectiveRules& collective_rules : rules.collectives) {
    for (const Rule& rule : collective_rules.rules) {
      const std::uint64_t radix = rule.method.parameters.radix;
      if (radix != 0)
        set[radix_variable(collective_rules.collective, rule.method.algorithm)] = radix;
    }
  }
  return set;
}

// An empty value is no value: UCC refuses it, so the variable is left out.
constexpr const char* kUccNothing = "# Nothing is chosen: UCC decides.\n";

// Reads "FIRST-LAST", or "FIRST-inf" for no end.
template <typename Read>
std::optional<Span> ucc_span(std::string_view text, const Read& read) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto first = read(text.substr(0, dash));
  const std::string_view end = text.substr(std::min(dash + 1, text.size()));
  const auto last = end == "inf" ? std::optional(UINT64_MAX) : read(end);
  if (!first || !last || *first > *last) return std::nullopt;
  return Span{*first, *last};
}

bool ucc_overlap(const Span& a, const Span& b) { return a.least <= b.most && b.least <= a.most; }

// Reads one of the script's runs. An error of a token drops all of them, as UCC does.
class UccReader {
 public:
  UccReader(const RuleTarget& target, RuleFile& file) : target_(target), file_(file) {}

  // False: the settings hold no rules.
  bool read(const std::vector<Assignment>& settings) {
    bool any = false;
    for (const Assignment& assignment : settings) {
      if (assignment.variable == kUccTune) {
        any = true;
        if (has_value(assignment, file_)) tokens(assignment);
      } else if (!take_radix(assignment)) {
        file_.warn(assignment.line, not_taken_into_account("", assignment.variable));
      }
    }
    for (CollectiveRules& collective_rules : file_.rules.collectives) {
      for (Rule& rule : collective_rules.rules) {
        const auto found =
            radices_.find(radix_variable(collective_rules.collective, rule.method.algorithm));
        if (found != radices_.end()) rule.method.parameters.radix = found->second;
      }
    }
    return any;
  }

 private:
  bool take_radix(const Assignment& assignment) {
    const auto radix = parse_number<std::uint64_t>(assignment.value);
    if (!radix || !assignment.variable.ends_with("_KN_RADIX")) return false;
    if (has_value(assignment, file_)) radices_[assignment.variable] = *radix;
    return true;
  }

  void tokens(const Assignment& assignment) {
    for (const std::string_view text : split(assignment.value, '#')) {
      const std::string problem = token(text, assignment.line);
      if (problem.empty()) continue;
      file_.error(assignment.line, fmt::format("token '{}': {}", text, problem));
      file_.rules = {};
      return;
    }
  }

  // Adds the rule of a token; returns what is wrong with it.
  std::string token(std::string_view text, std::size_t line) {
    const std::vector<std::string_view> fields = split(text, ':');
    if (fields.size() < 2 || !fields.back().starts_with('@')) return kNotRead;
    const std::string_view algorithm = fields.back().substr(1);
    const auto method = std::ranges::find_if(target_.names, [&](const NamedMethod& named) {
      return ucc_word(named.collective) == fields[0] && named.theirs == algorithm;
    });
    if (method == target_.names.end())
      return fmt::format("{} has no algorithm '{}'{}", fields[0], algorithm, kDropped);
    if (method->since > target_.version)
      return fmt::format("{} has {} from UCC {}.{} on{}", fields[0], algorithm, method->since / 100,
                         method->since % 100, kDropped);
    if (method->written_since > target_.version)
      file_.warn(line, fmt::format("{} {}: {}", fields[0], algorithm, method->remark));
    Rule rule{.method = {std::string(algorithm), 0}, .line = line};
    if (!spans({fields.begin() + 1, fields.end() - 1}, rule)) return kNotRead;
    std::vector<Rule>& rules = file_.rules.rules_for(method->collective).rules;
    const bool again = std::ranges::any_of(rules, [&](const Rule& before) {
      return ucc_overlap(before.message, rule.message) &&
             ucc_overlap(before.communicator_size, rule.communicator_size);
    });
    if (again) return fmt::format("overlaps a token before it{}", kDropped);
    rules.push_back(std::move(rule));
    return "";
  }

  // Takes a range of bytes and one of ranks, in this order, each of which may be missing.
  static bool spans(std::vector<std::string_view> fields, Rule& rule) {
    std::optional<Span> ranks = Span{};
    std::optional<Span> bytes = Span{};
    if (!fields.empty() && fields.back().starts_with('[')) {
      const std::string_view text = fields.back();
      if (text.size() < 2 || !text.ends_with(']')) return false;
      ranks = ucc_span(text.substr(1, text.size() - 2), parse_number<std::uint64_t>);
      fields.pop_back();
    }
    if (!fields.empty()) bytes = ucc_span(fields[0], parse_bytes);
    if (!ranks || !bytes || fields.size() > 1) return false;
    // The last value of a range of bytes is not in it.
    if (bytes->most != UINT64_MAX && bytes->most-- == bytes->least) return false;
    rule.communicator_size = *ranks;
    rule.message = *bytes;
    return true;
  }

  static constexpr const char* kNotRead =
      "not read here, where every token is collective:bytes:[ranks]:@algorithm as emit writes it";
  static constexpr const char* kDropped = ": UCC drops the whole string";

  const RuleTarget& target_;
  RuleFile& file_;
  std::map<std::string, std::uint64_t> radices_;
};

class UccTarget final : public NamedTarget {
 public:
  explicit UccTarget(TargetFacts facts)
      : NamedTarget((facts.goes_on = facts.one_radix = true, facts.names = kUccNames,
                     facts.family = "UCC_", facts)) {}
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    const std::string value = tune(rules);
    std::string text =
        fmt::format("# {}\n# For UCC {} to {}\n", comment, versions.first, versions.last);
    if (value.empty()) return text + kUccNothing;
    if (kUccTune.size() + value.size() + 2 > kUccMostValue) {
      throw Error(
          fmt::format("{}: {} would have {} bytes, and no variable can have more than {}; fit a "
                      "smaller model",
                      name, kUccTune, value.size(), kUccMostValue));
    }
    for (const auto& [variable, radix] : radices(rules))
      text += fmt::format("export {}={}\n", variable, radix);
    return text + fmt::format("export {}='{}'\n", kUccTune, value);
  }
  RuleFile read(std::string_view content) const override {
    std::size_t line = 0;
    for (const std::string_view text : split(content, '\n')) {
      ++line;
      // A blank stands behind the bracket of a shell's own test.
      if (text.size() < 2 || text[0] != '[' || text[1] < 'a' || text[1] > 'z') continue;
      RuleFile file;
      file.error(line, fmt::format("a section of ucc.conf, which is not read here; export {} and "
                                   "the radices in a script",
                                   kUccTune));
      return file;
    }
    return read_each_run(content, family, kUccTune, [&](const auto& settings, RuleFile& file) {
      return UccReader(*this, file).read(settings);
    });
  }

 private:
  SizeKey key_of(Collective collective) const override {
    switch (collective) {
      case Collective::kAllgather:
      case Collective::kAllgatherv:
      case Collective::kAlltoall:
        return SizeKey::kTimesRanks;
      case Collective::kAlltoallv:
        return SizeKey::kNone;
      default:
        return SizeKey::kMessage;
    }
  }
};

}  // namespace

RuleTargets targets::ucc() {
  return targets_with<UccTarget>({{.name = "ucc-1.3",
                                   .summary = "UCC_TL_UCP_TUNE for the shell, UCC 1.3",
                                   .versions = {"UCC", "1.3", "1.3", "run: 1.3.0"},
                                   .version = 103},
                                  {.name = "ucc-1.4",
                                   .summary = "UCC_TL_UCP_TUNE for the shell, UCC 1.4",
                                   .versions = {"UCC", "1.4", "1.4", "run: 1.4.4"},
                                   .version = 104},
                                  {.name = "ucc-1.5",
                                   .summary = "UCC_TL_UCP_TUNE for the shell, UCC 1.5 to 1.7",
                                   .versions = {"UCC", "1.5", "1.7", "run: 1.5.1"},
                                   .version = 105},
                                  {.name = "ucc",
                                   .summary = "UCC_TL_UCP_TUNE for the shell, UCC 1.8 to 1.10",
                                   .versions = {"UCC", "1.8", "1.10", "run: 1.8.0, 1.10"},
                                   .version = 108}});
}

}  // namespace colltree::rules
