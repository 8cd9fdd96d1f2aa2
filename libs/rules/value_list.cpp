// SPDX-License-Identifier: BSD-3-Clause
#include "rules/value_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace colltree::rules {

std::vector<BlankToken> blank_tokens(std::string_view content) {
  std::vector<BlankToken> tokens;
  std::size_t line = 0;
  for (std::string_view text : split(content, '\n')) {
    ++line;
    text = text.substr(0, text.find('#'));
    while (true) {
      const std::size_t begin = text.find_first_not_of(" \t\r\v\f");
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin);
      const std::size_t end = std::min(text.find_first_of(" \t\r\v\f"), text.size());
      tokens.push_back({text.substr(0, end), line});
      text.remove_prefix(end);
    }
  }
  return tokens;
}

std::string variable_line(std::string_view prefix, std::string_view word, std::string_view value) {
  if (value.empty()) return "";
  return fmt::format("export {}{}=\"{}\"\n", prefix, upper(word), value);
}

std::string not_taken_into_account(std::string_view prefix, std::string_view word) {
  return fmt::format("{}{} is not taken into account here", prefix, word);
}

namespace {

std::string unknown_collective(const RuleTarget& target, std::string_view word) {
  std::vector<std::string> names = collectives_of(target);
  for (std::string& name : names) name = upper(name);
  return fmt::format("'{}' is no collective that is known here{}", word,
                     did_you_mean(upper(word), names));
}

}  // namespace

bool has_value(const Assignment& assignment, RuleFile& file) {
  if (!assignment.remark.empty())
    file.warn(assignment.line, fmt::format("{} {}", assignment.variable, assignment.remark));
  if (!assignment.problem.empty()) {
    file.error(assignment.line, assignment.problem);
  } else if (assignment.value.empty()) {
    file.error(assignment.line, fmt::format("{} is empty", assignment.variable));
  } else if (assignment.expanded) {
    file.warn(assignment.line,
              fmt::format("{}: '{}' is filled in when the script runs; not known here",
                          assignment.variable, assignment.value));
  } else {
    return true;
  }
  return false;
}

RuleFile read_each_run(std::string_view content, std::string_view family, std::string_view wanted,
                       const SettingsReader& read) {
  const std::string_view prefix = wanted.substr(0, wanted.find('<'));
  RuleFile file;
  bool any = false;
  bool set = false;
  for (const ScriptRun& run : read_runs(content, family)) {
    RuleFile part;
    any = read(run.settings, part) || any;
    set = set || std::ranges::any_of(run.settings, [&](const Assignment& assignment) {
            return assignment.variable.starts_with(prefix);
          });
    for (Defect& defect : part.defects) {
      if (std::ranges::count(file.defects, defect) == 0) file.defects.push_back(std::move(defect));
    }
    file.runs.push_back({run.line, part.rules});
    file.rules = std::move(part.rules);
  }
  if (file.runs.size() == 1) file.runs.clear();
  if (any) return file;
  const std::size_t line = set ? 0 : naming_line(content, prefix);
  file.error(line, fmt::format("no {} is set {}", wanted,
                               line == 0 ? "here" : "in a form that is read here"));
  return file;
}

bool read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               const std::vector<Assignment>& settings, RuleFile& file,
                               const VariableRemark& remark,
                               const std::function<void(const CollectiveVariable&)>& read) {
  bool any = false;
  for (const Assignment& assignment : settings) {
    if (!assignment.variable.starts_with(prefix)) continue;
    const std::string_view word = std::string_view(assignment.variable).substr(prefix.size());
    const auto collective = find_collective(lower(word));
    if (collective && target.size_key(*collective) && upper(word) == word) {
      any = true;
      if (has_value(assignment, file)) read({assignment.line, *collective, assignment.value});
      continue;
    }
    const std::optional<std::string> said = remark(word);
    any = any || (said && !said->empty());
    if (!said || !said->empty())
      file.warn(assignment.line, said ? *said : unknown_collective(target, word));
  }
  return any;
}

}  // namespace colltree::rules
