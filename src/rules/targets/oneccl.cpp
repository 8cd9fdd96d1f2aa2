// SPDX-License-Identifier: BSD-3-Clause
// oneCCL: export CCL_<COLLECTIVE>="name:bytes-bytes;name:bytes-max"; both ends of a range belong to
// it, of ranges that overlap the later one counts, and one without a range is for all sizes. The
// communicator size cannot be asked.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/targets/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

// All of 2021.15 (src/coll/selection); it ends the program at any other. 2022.2 has the same,
// except that its build for CPUs has no topo. tests/oneccl proves rules with it.
constexpr NamedMethod kOneCclNames[] = {
    {Collective::kAllreduce, "", "direct"},
    {Collective::kAllreduce, "", "recursive_doubling"},
    {Collective::kAllreduce, "reduce_scatter_allgather", "rabenseifner"},
    {Collective::kAllreduce, "segmented_ring", "ring"},
    {Collective::kAllreduce, "", "ring_rma"},
    {Collective::kAllreduce, "", "nreduce"},
    {Collective::kAllreduce, "", "double_tree"},
    {Collective::kAllreduce, "", "2d"},
    {Collective::kAllreduce, "", "topo"},
    {Collective::kBcast, "", "direct"},
    {Collective::kBcast, "scatter_allgather_ring", "ring"},
    {Collective::kBcast, "", "double_tree"},
    {Collective::kBcast, "linear basic_linear", "naive"},
    {Collective::kBcast, "", "topo"},
    {Collective::kReduce, "", "direct"},
    {Collective::kReduce, "", "rabenseifner"},
    {Collective::kReduce, "", "ring"},
    {Collective::kReduce, "binomial", "tree"},
    {Collective::kReduce, "", "double_tree"},
    {Collective::kReduce, "", "topo"},
    {Collective::kAlltoall, "", "direct"},
    {Collective::kAlltoall, "linear basic_linear", "naive"},
    {Collective::kAlltoall, "linear_nb", "scatter"},
    {Collective::kAlltoall, "", "topo"},
    {Collective::kAlltoallv, "", "direct"},
    {Collective::kAlltoallv, "linear basic_linear", "naive"},
    {Collective::kAlltoallv, "linear_nb", "scatter"},
    {Collective::kAlltoallv, "", "topo"},
    {Collective::kBarrier, "", "direct"},
    {Collective::kBarrier, "", "ring"},
    {Collective::kReduceScatterBlock, "", "direct"},
    {Collective::kReduceScatterBlock, "linear basic_linear", "naive"},
    {Collective::kReduceScatterBlock, "", "ring"},
    {Collective::kReduceScatterBlock, "", "topo"},
    {Collective::kAllgather, "", "direct"},
    {Collective::kAllgather, "linear basic_linear", "naive"},
    {Collective::kAllgather, "", "ring"},
    {Collective::kAllgather, "", "flat"},
    {Collective::kAllgather, "", "multi_bcast"},
    {Collective::kAllgather, "", "topo"},
    {Collective::kAllgatherv, "", "direct"},
    {Collective::kAllgatherv, "linear basic_linear", "naive"},
    {Collective::kAllgatherv, "", "ring"},
    {Collective::kAllgatherv, "", "flat"},
    {Collective::kAllgatherv, "", "multi_bcast"},
    {Collective::kAllgatherv, "", "topo"},
};

// Of older versions, from 2021.1 on.
struct OneCclOld {
  Collective collective;
  std::string_view name;
};
constexpr OneCclOld kOneCclOld[] = {
    {Collective::kAllreduce, "starlike"},       {Collective::kAllreduce, "topo_ring"},
    {Collective::kBcast, "topo_ring"},          {Collective::kReduce, "topo_ring"},
    {Collective::kAlltoall, "scatter_barrier"}, {Collective::kAlltoallv, "scatter_barrier"}};

constexpr std::string_view kOneCclPrefix = "CCL_";
// Its reduce_scatter has equal blocks.
constexpr std::string_view kEqualReduceScatter = "reduce_scatter";
constexpr std::string_view kOneCclNoEnd = "max";

class OneCclReader {
 public:
  OneCclReader(const RuleTarget& target, RuleFile& file, const CollectiveVariable& variable)
      : file_(file), variable_(variable), names_(target_names(target, variable.collective)) {}

  void read() {
    std::vector<std::string_view> parts = split(variable_.value, ';');
    if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
    for (const std::string_view part : parts) rule(part);
  }

 private:
  void error(std::string text) { file_.error(variable_.line, std::move(text)); }

  void rule(std::string_view text) {
    if (text.empty()) return error("an empty part between two ';'");
    const std::size_t colon = text.find(':');
    const std::string algorithm(text.substr(0, colon));
    const bool old = std::ranges::any_of(kOneCclOld, [&](const OneCclOld& one) {
      return one.collective == variable_.collective && one.name == algorithm;
    });
    if (old) {
      file_.warn(variable_.line, fmt::format("{} '{}' is of older versions: oneCCL 2021.15 ends "
                                             "the program at it",
                                             name(variable_.collective), algorithm));
    } else if (std::ranges::count(names_, algorithm) == 0) {
      return error(fmt::format("{} has no algorithm '{}'{}", name(variable_.collective), algorithm,
                               did_you_mean(algorithm, names_)));
    }
    Rule made{.method = {algorithm, 0}, .line = variable_.line};
    if (colon != std::string_view::npos && !range(text.substr(colon + 1), made.message)) return;
    add(made);
  }

  // The later one counts: of what is there only the parts below and above it stay.
  void add(const Rule& made) {
    std::vector<Rule> kept;
    for (Rule& one : file_.rules.of(variable_.collective).rules) {
      const Span whole = one.message;
      if (made.message.least > 0 && whole.least < made.message.least) {
        one.message.most = std::min(whole.most, made.message.least - 1);
        kept.push_back(one);
      }
      if (made.message.most < whole.most) {
        one.message = {std::max(whole.least, made.message.most + 1), whole.most};
        kept.push_back(one);
      }
    }
    kept.push_back(made);
    std::ranges::sort(kept, {}, [](const Rule& one) { return one.message.least; });
    file_.rules.of(variable_.collective).rules = std::move(kept);
  }

  bool range(std::string_view text, Span& span) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto most =
        dash == std::string_view::npos ? std::nullopt : end_of(text.substr(dash + 1), kOneCclNoEnd);
    if (!least || !most) {
      error(fmt::format("'{}' is no range of bytes; write 0-8192 or 8193-max", text));
      return false;
    }
    if (*most < *least) {
      error(fmt::format("range {} of bytes is empty", text));
      return false;
    }
    span = {*least, *most};
    return true;
  }

  RuleFile& file_;
  const CollectiveVariable& variable_;
  std::vector<std::string> names_;
};

std::string_view word_of(Collective collective) {
  return collective == Collective::kReduceScatterBlock ? kEqualReduceScatter : name(collective);
}

std::optional<Collective> collective_of_word(std::string_view word) {
  if (word == kEqualReduceScatter) return Collective::kReduceScatterBlock;
  const auto found = find_collective(word);
  return found == Collective::kReduceScatterBlock ? std::nullopt : found;
}

// Of oneCCL's other variables only those that choose algorithms are of interest, and what looks
// like one of ours.
std::optional<std::string> remark_of(const RuleTarget& target, std::string_view word) {
  constexpr std::string_view kScaleout = "_SCALEOUT";
  std::vector<std::string> names = collectives_of(target);
  std::ranges::replace(names, std::string(name(Collective::kReduceScatterBlock)),
                       std::string(kEqualReduceScatter));
  const std::string_view collective =
      word.ends_with(kScaleout) ? word.substr(0, word.size() - kScaleout.size()) : word;
  const bool other = word == "BROADCAST" || word == "SEND" || word == "RECV";
  if (other || (collective != word && std::ranges::count(names, lower(collective)) > 0))
    return not_taken_into_account(kOneCclPrefix, word);
  const bool meant =
      !did_you_mean(lower(word), names).empty() || std::ranges::count(names, lower(word)) > 0;
  if (meant) return std::nullopt;
  return "";
}

class OneCclTarget final : public NamedTarget {
 public:
  using NamedTarget::NamedTarget;
  // Of the rules those of the largest communicators: adapt_rules leaves one row.
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format("# {}\n", comment);
    for (const CollectiveRules& one : rules.collectives) {
      std::string value;
      for (const Rule& rule : one.rules) {
        if (is_library_default(rule.method)) continue;
        value += fmt::format("{}{}:{}-{}", value.empty() ? "" : ";", rule.method.algorithm,
                             rule.message.least, end_text(rule.message.most, kOneCclNoEnd));
      }
      text += variable_line(kOneCclPrefix, word_of(one.collective), value);
    }
    return text;
  }
  RuleFile read(std::string_view content) const override {
    return read_each_run(
        content, kOneCclPrefix, fmt::format("{}<COLLECTIVE>", kOneCclPrefix),
        [this](const auto& settings, RuleFile& file) {
          return read_collective_variables(
              *this, kOneCclPrefix, settings, file,
              [&](std::string_view word) { return remark_of(*this, word); },
              [&](const CollectiveVariable& one) { OneCclReader(*this, file, one).read(); },
              collective_of_word);
        });
  }

 private:
  // One block of allgather(v), alltoall(v) and reduce_scatter, found by trial.
  SizeKey key_of(Collective collective) const override {
    return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
  }
};

}  // namespace

std::unique_ptr<RuleTarget> targets::oneccl() {
  return std::make_unique<OneCclTarget>(
      TargetFacts{.name = "oneccl",
                  .summary = "CCL variables of oneCCL",
                  .versions = {"oneCCL", "", "2022.2", "run: 2022.2, on the host"},
                  .has_communicator_size = false,
                  .names = kOneCclNames,
                  .sign = kOneCclPrefix,
                  .family = kOneCclPrefix});
}

}  // namespace colltree::rules
