// SPDX-License-Identifier: BSD-3-Clause
// Settings of languages that are no shell (script.h).
#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/shell_words.h"

namespace colltree::rules {

namespace {

// A setting of a language that is no shell, as it stands in a line.
class CodeLine {
 public:
  CodeLine(std::string_view line, std::string_view next, std::string_view prefix)
      : line_(line), next_(trim(next)), prefix_(prefix) {}

  // The settings as a shell has them: "export X='v' Y='w'"; "": there are none.
  std::string as_shell() const {
    std::string text;
    if (is_comment(line_)) return text;
    for (std::size_t position = find_name(line_, prefix_); position != std::string_view::npos;
         position = find_name(line_, prefix_, position + 1)) {
      const std::size_t end =
          std::min(line_.find_first_not_of(kNameCharacters, position), line_.size());
      const std::string value = value_of(line_.substr(0, position), line_.substr(end));
      if (!value.empty())
        text += fmt::format(" {}={}", line_.substr(position, end - position), value);
    }
    return text.empty() ? "" : "export" + text;
  }

 private:
  // In the quotes of a shell; "": the name is not set here.
  std::string value_of(std::string_view before, std::string_view after) const {
    const bool quoted = !before.empty() && !after.empty() && before.back() == after[0] &&
                        (after[0] == '"' || after[0] == '\'');
    if (quoted) {
      before.remove_suffix(1);
      after.remove_prefix(1);
      if (before.ends_with("get(") || before.ends_with("getenv(")) return {};
    }
    if (trim(before).ends_with("name:") && next_.starts_with("value:"))
      return in_quotes(next_.substr(6), true);
    const std::size_t closers = std::min(after.find_first_not_of(")]}"), after.size());
    after.remove_prefix(closers);
    const bool blank = after.starts_with(' ') || after.starts_with('\t');
    after = trim(after);
    const std::string_view mark = mark_of(after);
    if (!is_setting(before, mark, quoted, closers > 0, blank, after)) return {};
    after.remove_prefix(mark.size());
    const bool words = !quoted || mark == ">";
    return in_quotes(mark == ">" ? after.substr(0, after.find('<')) : after, words);
  }

  static std::string_view mark_of(std::string_view text) {
    static constexpr std::string_view kMarks[] = {"=>", ":=", "?=", "=", ":", ",", ">"};
    if (text.starts_with("==")) return {};
    const auto* found =
        std::ranges::find_if(kMarks, [&](auto mark) { return text.starts_with(mark); });
    return found == std::end(kMarks) ? std::string_view() : *found;
  }

  static bool is_setting(std::string_view before, std::string_view mark, bool quoted, bool closed,
                         bool blank, std::string_view after) {
    if (quoted) return !mark.empty();
    const std::string_view front = trim(before);
    if (mark.empty())
      return closed && blank && (front.ends_with("env(") || front.ends_with("ENV{"));
    if (mark == ":=" || mark == "?=") return true;
    if (mark == "=")
      return closed || front.ends_with("$env:") ||
             (blank &&
              (front.ends_with("setenv(") || front.ends_with("dict(") || front.ends_with(',')));
    const bool alone =
        front.empty() || front == "-" || front.ends_with('{') || front.ends_with(',');
    return mark == ":" && alone && (after.starts_with(": ") || after.starts_with(":\t"));
  }

  // `words`: what has no quotes is a text, not an expression of the language.
  static std::string in_quotes(std::string_view text, bool words) {
    text = trim(text);
    const char quote = text.empty() ? '\0' : text[0];
    if (quote == '"' || quote == '\'') {
      const std::size_t end = text.find(quote, 1);
      if (end != std::string_view::npos) return fmt::format("'{}'", text.substr(1, end - 1));
    }
    text = trim(text.substr(0, text.find_first_of(words ? "#" : ",)}];")));
    while (!text.empty() && std::string_view(",;)}").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    if (text.empty() || text.find('\'') != std::string_view::npos) return {};
    const bool literal = words || text.find_first_not_of("0123456789") == std::string_view::npos;
    if (literal && text.find('$') == std::string_view::npos) return fmt::format("'{}'", text);
    return fmt::format("\"$\"'{}'", text);
  }

  std::string_view line_;
  std::string_view next_;
  std::string_view prefix_;
};

}  // namespace

std::string as_shell(std::string_view content, std::string_view prefix, bool& is_code) {
  const std::vector<std::string_view> lines = split(content, '\n');
  std::vector<std::string> settings;
  for (std::size_t i = 0; i < lines.size(); ++i)
    settings.push_back(
        CodeLine(lines[i], i + 1 < lines.size() ? lines[i + 1] : "", prefix).as_shell());
  is_code = std::ranges::any_of(settings, [](const std::string& name) { return !name.empty(); });
  if (!is_code) return std::string(content);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool named = find_name(lines[i], prefix) != std::string_view::npos;
    if (!settings[i].empty()) {
      text += settings[i];
    } else if (named && !trim(lines[i]).starts_with("--") && !trim(lines[i]).starts_with("//")) {
      text += lines[i];
    }
    text += '\n';
  }
  return text;
}

}  // namespace colltree::rules
