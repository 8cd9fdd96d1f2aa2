// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/value_list.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"

namespace colltree {

namespace {

Assignment read_line(std::string_view text, std::size_t line) {
  Assignment one{.line = line};
  if (text.starts_with("export ")) text = trim(text.substr(7));
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    one.problem = fmt::format("expected VARIABLE=VALUE, got '{}'", text);
    return one;
  }
  one.variable = text.substr(0, equals);
  one.value = text.substr(equals + 1);
  if (one.variable != trim(one.variable) || one.value != trim(one.value)) {
    one.problem = "blanks around '=': a shell does not read this as an assignment";
    return one;
  }
  if (one.value.empty() || (one.value[0] != '"' && one.value[0] != '\'')) {
    if (one.value.find(';') != std::string_view::npos) {
      one.problem = "';' without quotes ends the command in a shell";
    }
    return one;
  }
  if (one.value.size() < 2 || one.value.back() != one.value[0]) {
    one.problem = "a quote without its end";
    return one;
  }
  one.value = one.value.substr(1, one.value.size() - 2);
  return one;
}

}  // namespace

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

std::vector<Assignment> read_assignments(std::string_view content) {
  std::vector<Assignment> all;
  std::size_t line = 0;
  for (const std::string_view text : split(content, '\n')) {
    ++line;
    const std::string_view bare = trim(text);
    if (!bare.empty() && bare[0] != '#') all.push_back(read_line(bare, line));
  }
  return all;
}

std::string variable_line(std::string_view prefix, Collective collective, std::string_view value) {
  if (value.empty()) return "";
  return fmt::format("export {}{}=\"{}\"\n", prefix, upper(name(collective)), value);
}

void read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               std::string_view content, RuleFile& file,
                               const std::function<void(const CollectiveVariable&)>& read) {
  const std::vector<Assignment> lines = read_assignments(content);
  if (lines.empty()) file.error(0, "no variable: the file has no rules");
  std::set<Collective> seen;
  for (const Assignment& one : lines) {
    if (!one.problem.empty() || !one.variable.starts_with(prefix)) {
      file.error(one.line, one.problem.empty()
                               ? fmt::format("'{}' is no {}<COLLECTIVE>", one.variable, prefix)
                               : one.problem);
      continue;
    }
    const std::string_view word = one.variable.substr(prefix.size());
    const auto collective = find_collective(lower(word));
    if (!collective || !target.size_key(*collective) || upper(word) != word) {
      std::vector<std::string> names = collectives_of(target);
      for (std::string& name : names) name = upper(name);
      file.error(one.line,
                 fmt::format("unknown collective '{}'{}", word, did_you_mean(upper(word), names)));
      continue;
    }
    if (!seen.insert(*collective).second) {
      file.error(one.line, fmt::format("{} stands twice: the last one counts", one.variable));
      file.rules.of(*collective).rules.clear();
    }
    if (one.value.empty()) {
      file.error(one.line, fmt::format("{} is empty", one.variable));
    } else {
      read({one.line, *collective, one.value});
    }
  }
}

std::string end_text(std::uint64_t value, std::string_view no_end) {
  return value == UINT64_MAX ? std::string(no_end) : std::to_string(value);
}

std::optional<std::uint64_t> end_of(std::string_view text, std::string_view no_end) {
  if (text == no_end) return UINT64_MAX;
  return parse_number<std::uint64_t>(text);
}

}  // namespace colltree
