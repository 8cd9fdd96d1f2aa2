// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI: export I_MPI_ADJUST_<COLLECTIVE>="preset:bytes-bytes@ranks-ranks,...;preset:..."; both
// ends of a range belong to it.
#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "rules/targets/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

// Presets of I_MPI_ADJUST_<COLLECTIVE>, by their numbers. The manual lists more than these, and not
// all: a preset of another number is read and answered by its number.
constexpr NamedMethod kIntelNames[] = {
    {Collective::kAllreduce, "recursive_doubling", "1"},
    {Collective::kAllreduce, "rabenseifner reduce_scatter_allgather", "2"},
    {Collective::kAllreduce, "nonoverlapping", "3"},
    {Collective::kAllreduce, "ring segmented_ring", "8"},
    {Collective::kAllgather, "recursive_doubling", "1"},
    {Collective::kAllgather, "bruck brucks", "2"},
    {Collective::kAllgather, "ring", "3"},
    {Collective::kAllgatherv, "recursive_doubling", "1"},
    {Collective::kAllgatherv, "bruck brucks", "2"},
    {Collective::kAllgatherv, "ring", "3"},
    {Collective::kAlltoall, "bruck brucks modified_bruck", "1"},
    {Collective::kAlltoall, "linear basic_linear scattered", "2"},
    {Collective::kAlltoall, "pairwise ring", "3"},
    {Collective::kBarrier, "dissemination bruck", "1"},
    {Collective::kBarrier, "recursive_doubling", "2"},
    {Collective::kBcast, "binomial", "1"},
    {Collective::kBcast, "scatter_allgather scatter_recursive_doubling_allgather", "2"},
    {Collective::kBcast, "scatter_allgather_ring scatter_ring_allgather", "3"},
    {Collective::kGather, "binomial", "1"},
    {Collective::kReduce, "binomial", "2"},
    {Collective::kReduce, "rabenseifner reduce_scatter_gather", "1"},
    {Collective::kReduceScatter, "recursive_halving", "1"},
    {Collective::kReduceScatter, "pairwise ring", "2"},
    {Collective::kReduceScatter, "recursive_doubling", "3"},
    {Collective::kScatter, "binomial", "1"},
};

constexpr std::string_view kIntelPrefix = "I_MPI_ADJUST_";
constexpr std::string_view kOwnChoice = "0";  // the preset that is Intel MPI's own choice
constexpr std::uint64_t kMost = INT_MAX;      // ranges have no word for "and more"

std::string range(const Rule& rule) {
  return fmt::format("{}-{}@{}-{}", rule.message.least, std::min(rule.message.most, kMost),
                     rule.communicator_size.least, std::min(rule.communicator_size.most, kMost));
}

// Whether a later rule would hold for what this one holds for.
bool stands_before(const Rule& rule, std::span<const Rule> later) {
  const auto meet = [](const Span& a, const Span& b) {
    return a.least <= b.most && b.least <= a.most;
  };
  return std::ranges::any_of(later, [&](const Rule& one) {
    return meet(one.message, rule.message) && meet(one.communicator_size, rule.communicator_size);
  });
}

class IntelReader {
 public:
  IntelReader(const RuleTarget& target, RuleFile& file, const CollectiveVariable& variable)
      : target_(target), file_(file), variable_(variable) {}

  void read() {
    for (const std::string_view part : split(variable_.value, ';')) preset(part);
  }

 private:
  void error(std::string text) { file_.error(variable_.line, std::move(text)); }
  void warn(std::string text) { file_.warn(variable_.line, std::move(text)); }
  void keep(const Rule& rule) { file_.rules.of(variable_.collective).rules.push_back(rule); }

  void preset(std::string_view text) {
    text = trim(text);
    if (text.empty()) return warn("an empty part between two ';'");
    const std::size_t colon = text.find(':');
    const auto number = parse_number<unsigned>(trim(text.substr(0, colon)));
    if (!number) {
      return error(fmt::format("'{}' is no number of a preset", text.substr(0, colon)));
    }
    Rule rule{.method = method_of(*number), .line = variable_.line};
    if (colon == std::string_view::npos || trim(text.substr(colon + 1)).empty()) {
      keep(rule);
      return;
    }
    for (const std::string_view one : split(text.substr(colon + 1), ',')) {
      if (condition(one, rule)) keep(rule);
    }
  }

  // Preset 0 is Intel MPI's own choice.
  Method method_of(unsigned number) {
    if (number == 0) return library_default();
    const std::string preset = std::to_string(number);
    if (std::ranges::count(target_names(target_, variable_.collective), preset) == 0) {
      warn(fmt::format("preset {} of {} is not known here", preset, name(variable_.collective)));
    }
    return {preset, 0};
  }

  bool condition(std::string_view text, Rule& rule) {
    text = trim(text);
    const std::size_t at = text.find('@');
    rule.communicator_size = {};
    return span(text.substr(0, at), "bytes", rule.message) &&
           (at == std::string_view::npos ||
            span(text.substr(at + 1), "ranks", rule.communicator_size));
  }

  bool span(std::string_view text, const char* what, Span& result) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto most =
        dash == std::string_view::npos ? least : parse_number<std::uint64_t>(text.substr(dash + 1));
    if (!least || !most) {
      error(fmt::format("'{}' is no range of {}; write 0-1024", text, what));
      return false;
    }
    if (*most < *least) {
      error(fmt::format("range {} of {} is empty", text, what));
      return false;
    }
    if (*most > kMost) {
      warn(fmt::format("range {} of {}: above {} it is not known what Intel MPI reads", text, what,
                       kMost));
    }
    result = {*least, *most >= kMost ? UINT64_MAX : *most};
    return true;
  }

  const RuleTarget& target_;
  RuleFile& file_;
  const CollectiveVariable& variable_;
};

// The manual has more variables than rules are known for here: of calls that do not block
// (IBCAST), of other collectives, and what belongs to one preset (BCAST_SEGMENT,
// ALLREDUCE_KN_RADIX).
bool is_of_the_manual(std::string_view word) {
  if (word.starts_with("NEIGHBOR_")) return true;
  const bool nonblocking = word.starts_with('I');
  const std::string rest = lower(word.substr(nonblocking ? 1 : 0)) + "_";
  return rest.starts_with("alltoallw_") ||
         std::ranges::any_of(all_collectives(), [&](const CollectiveInfo& info) {
           return rest.starts_with(std::string(info.name) + "_");
         });
}

class IntelTarget final : public NamedTarget {
 public:
  using NamedTarget::NamedTarget;
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format("# {}\n", comment);
    for (const CollectiveRules& one : rules.collectives) {
      std::string value;
      std::string preset;
      for (auto rule = one.rules.begin(); rule != one.rules.end(); ++rule) {
        const bool own = is_library_default(rule->method);
        if (own && !stands_before(*rule, {rule + 1, one.rules.end()})) continue;
        const std::string_view number = own ? kOwnChoice : std::string_view(rule->method.algorithm);
        if (number == preset) {
          value += "," + range(*rule);
        } else {
          value += fmt::format("{}{}:{}", value.empty() ? "" : ";", number, range(*rule));
        }
        preset = number;
      }
      text += variable_line(kIntelPrefix, one.collective, value);
    }
    return text;
  }
  RuleFile read(std::string_view content) const override {
    RuleFile file;
    read_collective_variables(
        *this, kIntelPrefix, content, file,
        [](std::string_view word) -> std::optional<std::string> {
          if (upper(word) != word || !is_of_the_manual(word)) return std::nullopt;
          return not_taken_into_account(kIntelPrefix, word);
        },
        [&](const CollectiveVariable& one) { IntelReader(*this, file, one).read(); });
    return file;
  }

 private:
  // The manual says "message size" and no more: taken as the count times the type.
  SizeKey key_of(Collective collective) const override {
    return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
  }
};

}  // namespace

std::unique_ptr<RuleTarget> targets::intel() {
  return std::make_unique<IntelTarget>(
      TargetFacts{.name = "intel",
                  .summary = "I_MPI_ADJUST variables of Intel MPI",
                  .versions = {"Intel MPI", "", "2021.15", "unproven: from its manual"},
                  .most_message = kMost,
                  .names = kIntelNames});
}

}  // namespace colltree::rules
