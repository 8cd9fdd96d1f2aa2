// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/value_list.h"

#include <fmt/format.h>

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

}  // namespace colltree
