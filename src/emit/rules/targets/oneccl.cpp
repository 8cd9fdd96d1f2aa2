// SPDX-License-Identifier: BSD-3-Clause
// oneCCL: export CCL_<COLLECTIVE>="name:bytes-bytes;name:bytes-max"; both ends of a range belong to
// it. The communicator size cannot be asked.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/targets/targets.h"
#include "emit/rules/value_list.h"

namespace colltree {

namespace {

constexpr NamedMethod kOneCclNames[] = {
    {Collective::kAllreduce, "", "recursive_doubling"},
    {Collective::kAllreduce, "reduce_scatter_allgather", "rabenseifner"},
    {Collective::kAllreduce, "segmented_ring", "ring"},
    {Collective::kAllreduce, "", "nreduce"},
    {Collective::kAllreduce, "", "double_tree"},
    {Collective::kBcast, "scatter_allgather_ring", "ring"},
    {Collective::kBcast, "", "double_tree"},
    {Collective::kBcast, "linear basic_linear", "naive"},
    {Collective::kReduce, "", "rabenseifner"},
    {Collective::kReduce, "binomial", "tree"},
    {Collective::kAlltoall, "linear basic_linear", "naive"},
    {Collective::kAlltoall, "linear_nb", "scatter"},
    {Collective::kBarrier, "", "ring"},
    {Collective::kReduceScatter, "linear basic_linear", "naive"},
    {Collective::kReduceScatter, "", "ring"},
    {Collective::kAllgather, "linear basic_linear", "naive"},
    {Collective::kAllgather, "", "ring"},
};

constexpr std::string_view kOneCclPrefix = "CCL_";
constexpr std::string_view kOneCclNoEnd = "max";

// Of the rules those of the largest communicators: adapt_rules leaves one row.
std::string write_oneccl(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  std::string text = fmt::format("# {}\n", comment);
  for (const CollectiveRules& one : rules.collectives) {
    std::string value;
    for (const Rule& rule : one.rules) {
      if (is_library_default(rule.method)) continue;
      value += fmt::format("{}{}:{}-{}", value.empty() ? "" : ";", rule.method.algorithm,
                           rule.message.least, end_text(rule.message.most, kOneCclNoEnd));
    }
    text += variable_line(kOneCclPrefix, one.collective, value);
  }
  return text;
}

class OneCclReader {
 public:
  OneCclReader(const RuleTarget& target, RuleFile& file, const CollectiveVariable& variable)
      : file_(file), variable_(variable), names_(target_names(target, variable.collective)) {}

  void read() {
    for (const std::string_view part : split(variable_.value, ';')) rule(part);
  }

 private:
  void error(std::string text) { file_.error(variable_.line, std::move(text)); }

  void rule(std::string_view text) {
    if (text.empty()) return error("an empty part between two ';'");
    const std::size_t colon = text.find(':');
    const std::string algorithm(text.substr(0, colon));
    if (std::ranges::count(names_, algorithm) == 0) {
      return error(fmt::format("{} has no algorithm '{}'{}", name(variable_.collective), algorithm,
                               did_you_mean(algorithm, names_)));
    }
    Rule made{.method = {algorithm, 0}, .line = variable_.line};
    if (colon != std::string_view::npos && !range(text.substr(colon + 1), made.message)) return;
    file_.rules.of(variable_.collective).rules.push_back(made);
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

RuleFile read_oneccl(const RuleTarget& target, std::string_view content) {
  RuleFile file;
  read_collective_variables(
      target, kOneCclPrefix, content, file,
      [&](const CollectiveVariable& one) { OneCclReader(target, file, one).read(); });
  return file;
}

std::optional<SizeKey> oneccl_size_key(Collective collective) {
  if (!has_names(kOneCclNames, collective)) return std::nullopt;
  return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
}

}  // namespace

RuleTarget targets::oneccl() {
  return {.name = "oneccl",
          .summary = "CCL variables of oneCCL",
          .versions = {"oneCCL", "", "2021.15", "its manual; not run"},
          .has_communicator_size = false,
          .size_key = oneccl_size_key,
          .names = kOneCclNames,
          .express = express_named,
          .write = write_oneccl,
          .read = read_oneccl};
}

}  // namespace colltree
