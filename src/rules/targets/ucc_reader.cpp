// SPDX-License-Identifier: BSD-3-Clause
#include "rules/targets/ucc_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/targets/ucc_tune.h"
#include "rules/value_list.h"

namespace colltree::rules {

// "UCC_TL_UCP_BCAST_SAG_KN_RADIX": of knomial the collective's own, of allgatherv allgather's.
std::string radix_variable(Collective collective, std::string_view algorithm) {
  const Collective named =
      collective == Collective::kAllgatherv ? Collective::kAllgather : collective;
  std::string_view kind = algorithm.substr(0, algorithm.find("knomial"));
  while (kind.ends_with('_')) kind.remove_suffix(1);
  return fmt::format("UCC_TL_UCP_{}{}{}_KN_RADIX", upper(ucc_word(named)), kind.empty() ? "" : "_",
                     upper(kind));
}

namespace {

constexpr std::string_view kUccPrefix = "UCC_";

// The radix that a file sets for each algorithm that has one.
class RadixReader {
 public:
  // True if the variable sets radices; `problem` says which part of its value is not understood.
  bool take(std::string_view variable, std::string_view value, std::string& problem) {
    if (!variable.ends_with("KN_RADIX")) return false;
    const auto radix = parse_number<std::uint64_t>(value);
    if (radix) {
      set_[std::string(variable)] = *radix;
    } else if (lower(value) != "auto") {
      problem = fmt::format("{}: radices by size are not taken into account here", variable);
    }
    return true;
  }

  void apply(const RuleTarget& target, RuleSet& rules) const {
    for (CollectiveRules& collective_rules : rules.collectives) {
      for (Rule& rule : collective_rules.rules) {
        const auto row = std::ranges::find_if(target.names, [&](const NamedMethod& name) {
          return name.collective == collective_rules.collective &&
                 name.theirs == rule.method.algorithm;
        });
        if (row == target.names.end() || row->radix == 0) continue;
        const std::uint64_t all = value("UCC_TL_UCP_KN_RADIX");
        rule.method.parameters.radix =
            all != 0 ? all
                     : value(radix_variable(collective_rules.collective, rule.method.algorithm));
      }
    }
  }

 private:
  std::uint64_t value(const std::string& variable) const {
    const auto found = set_.find(variable);
    return found == set_.end() ? 0 : found->second;
  }

  std::map<std::string, std::uint64_t> set_;
};

// True if the variable lets other components than TL/UCP decide: their strings, and lists of
// components that are more or less than TL/UCP beside those of other memory.
bool is_of_other_components(std::string_view variable, std::string_view value) {
  if (variable.ends_with("_TUNE")) return variable != kUccTune;
  if (variable.ends_with("USE_TUNING") || variable == "UCC_CONFIG_FILE") return true;
  if (variable.ends_with("UCC_CLS")) return lower(value) != "basic";
  if (!variable.ends_with("TLS")) return false;
  const bool negated = value.starts_with('^');
  const auto names = split(negated ? value.substr(1) : value, ',');
  const bool named = std::ranges::count(names, "ucp") > 0;
  return negated == named || (!negated && names.size() > 1);
}

void add_tune(const RuleTarget& target, std::size_t line, std::string_view value, RuleFile& file) {
  UccTune tune = read_ucc_tune(target, value);
  for (std::string& message : tune.dropped) file.error(line, std::move(message));
  for (std::string& message : tune.warnings) file.warn(line, std::move(message));
  for (CollectiveRules& collective_rules : tune.rules.collectives) {
    for (Rule& rule : collective_rules.rules) {
      rule.line = line;
      file.rules.of(collective_rules.collective).rules.push_back(std::move(rule));
    }
  }
}

bool read_settings(const RuleTarget& target, const std::vector<Assignment>& settings,
                   RuleFile& file) {
  RadixReader radices;
  bool any = false;
  for (const Assignment& assignment : settings) {
    std::string problem;
    if (assignment.variable == kUccTune) {
      any = true;
      if (assignment.value.empty() && assignment.problem.empty()) {
        file.error(assignment.line, "no token: nothing is chosen");
      } else if (has_value(assignment, file)) {
        add_tune(target, assignment.line, assignment.value, file);
      }
    } else if (assignment.variable.ends_with("KN_RADIX")) {
      if (has_value(assignment, file)) radices.take(assignment.variable, assignment.value, problem);
      if (!problem.empty()) file.warn(assignment.line, problem);
    } else if (is_of_other_components(assignment.variable, assignment.value)) {
      any = true;
      file.warn(assignment.line, not_taken_into_account("", assignment.variable));
    }
  }
  radices.apply(target, file.rules);
  return any;
}

// The line of the first "[section]"; 0: the content is no ucc.conf. A shell's own '[' has a blank
// behind it.
std::size_t first_section(std::string_view content) {
  std::size_t line = 0;
  for (const std::string_view text : split(content, '\n')) {
    ++line;
    const std::string_view bare = trim(text);
    if (bare.size() > 2 && bare[0] == '[' && bare[1] >= 'a' && bare[1] <= 'z') return line;
  }
  return 0;
}

}  // namespace

RuleFile read_ucc(const RuleTarget& target, std::string_view content) {
  if (const std::size_t line = first_section(content); line != 0) {
    RuleFile file;
    file.error(line, fmt::format("a section of ucc.conf, which is not read here; export {} and the "
                                 "radices in a script",
                                 kUccTune));
    return file;
  }
  return read_each_run(content, kUccPrefix, kUccTune, [&](const auto& settings, RuleFile& file) {
    return read_settings(target, settings, file);
  });
}

}  // namespace colltree::rules
