// SPDX-License-Identifier: BSD-3-Clause
#include "base/csv_fields.h"

namespace colltree {

namespace {

constexpr std::string_view kFormula = "=+-@";

bool is_formula(std::string_view text) {
  return !text.empty() && kFormula.find(text[0]) != std::string_view::npos;
}

// True for a text that guarded() may have returned.
bool is_guarded(std::string_view text) {
  return text.size() > 1 && text[0] == '\'' && (is_formula(text.substr(1)) || text[1] == '\'');
}

std::string guarded(std::string_view text) {
  const bool needed = is_formula(text) || is_guarded(text);
  return (needed ? "'" : "") + std::string(text);
}

// Takes the field at the front of `rest` and the comma after it; false when it is malformed.
bool take_field(std::string_view& rest, std::string& field, bool& last) {
  field.clear();
  if (rest.starts_with('"')) {
    for (std::size_t begin = 1;;) {
      const std::size_t quote = rest.find('"', begin);
      if (quote == std::string_view::npos) return false;
      field += rest.substr(begin, quote - begin);
      begin = quote + 1;
      if (rest.substr(begin).starts_with('"')) {
        field += rest[begin++];
        continue;
      }
      rest.remove_prefix(begin);
      break;
    }
    last = rest.empty();
    if (!last && rest[0] != ',') return false;
  } else {
    const std::size_t comma = rest.find(',');
    last = comma == std::string_view::npos;
    field = rest.substr(0, comma);
    if (field.find('"') != std::string::npos) return false;
    rest.remove_prefix(last ? rest.size() : comma);
  }
  if (!last) rest.remove_prefix(1);
  return true;
}

}  // namespace

std::string csv_field(std::string_view text) {
  const bool needs_quotes = text.find_first_of(",\"\r\n") != std::string_view::npos ||
                            text.starts_with(' ') || text.ends_with(' ');
  return needs_quotes ? csv_quoted(text) : guarded(text);
}

std::string csv_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : guarded(text)) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

std::optional<std::vector<std::string>> split_csv(std::string_view line) {
  std::vector<std::string> fields;
  std::string field;
  for (bool last = false; !last;) {
    if (!take_field(line, field, last)) return std::nullopt;
    if (is_guarded(field)) field.erase(0, 1);
    fields.push_back(std::move(field));
  }
  return fields;
}

}  // namespace colltree
