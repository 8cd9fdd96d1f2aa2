// SPDX-License-Identifier: BSD-3-Clause
// UCC: the variable UCC_TL_UCP_TUNE (ucc_tune.h) for the shell, and beside it the radix of the
// k-nomial algorithms.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "rules/targets/targets.h"
#include "rules/targets/ucc_reader.h"
#include "rules/targets/ucc_tune.h"

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

constexpr std::size_t kUccMostValue = 128 * 1024;  // of a variable with its name, in Linux

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

std::string head(const RuleTarget& target, const std::string& comment) {
  return fmt::format("# {}\n# For UCC {} to {}\n", comment, target.versions.first,
                     target.versions.last);
}

// An empty value is no value: UCC refuses it, so the variable is left out.
constexpr const char* kUccNothing = "# Nothing is chosen: UCC decides.\n";

class UccTarget final : public NamedTarget {
 public:
  UccTarget(const char* name, const char* summary, int version, const KnownVersions& versions)
      : NamedTarget({.name = name,
                     .summary = summary,
                     .versions = versions,
                     .version = version,
                     .goes_on = true,
                     .names = kUccNames,
                     .one_radix = true,
                     .family = "UCC_"}) {}
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    const std::string value = tune(rules);
    if (value.empty()) return head(*this, comment) + kUccNothing;
    if (kUccTune.size() + value.size() + 2 > kUccMostValue) {
      throw Error(
          fmt::format("{}: {} would have {} bytes, and no variable can have more than {}; fit a "
                      "smaller model",
                      name, kUccTune, value.size(), kUccMostValue));
    }
    std::string text = head(*this, comment);
    for (const auto& [variable, radix] : radices(rules))
      text += fmt::format("export {}={}\n", variable, radix);
    return text + fmt::format("export {}='{}'\n", kUccTune, value);
  }
  RuleFile read(std::string_view content) const override { return read_ucc(*this, content); }

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

std::unique_ptr<RuleTarget> targets::ucc_1_3() {
  return std::make_unique<UccTarget>("ucc-1.3", "UCC_TL_UCP_TUNE for the shell, UCC 1.3", 103,
                                     KnownVersions{"UCC", "1.3", "1.3", "run: 1.3.0"});
}

std::unique_ptr<RuleTarget> targets::ucc_1_4() {
  return std::make_unique<UccTarget>("ucc-1.4", "UCC_TL_UCP_TUNE for the shell, UCC 1.4", 104,
                                     KnownVersions{"UCC", "1.4", "1.4", "run: 1.4.4"});
}

std::unique_ptr<RuleTarget> targets::ucc_1_5() {
  return std::make_unique<UccTarget>("ucc-1.5", "UCC_TL_UCP_TUNE for the shell, UCC 1.5 to 1.7",
                                     105, KnownVersions{"UCC", "1.5", "1.7", "run: 1.5.1"});
}

std::unique_ptr<RuleTarget> targets::ucc() {
  return std::make_unique<UccTarget>("ucc", "UCC_TL_UCP_TUNE for the shell, UCC 1.8 to 1.10", 108,
                                     KnownVersions{"UCC", "1.8", "1.10", "run: 1.8.0, 1.10"});
}

}  // namespace colltree::rules
