// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace colltree {

std::string_view name(JsonKind kind) {
  static constexpr std::string_view kNames[] = {"null",     "true or false", "a number",
                                                "a string", "an array",      "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

const JsonValue* JsonValue::find(std::string_view key) const {
  for (const JsonMember& member : members) {
    if (member.key == key) return &member.value;
  }
  return nullptr;
}

std::optional<std::int64_t> JsonValue::integer() const {
  if (kind != JsonKind::kNumber) return std::nullopt;
  return parse_number<std::int64_t>(text);
}

namespace {

struct DialectTraits {
  std::string_view blanks = " \t\r\n";
  int most_levels = 128;
  bool comments = false;
  bool trailing_commas = false;
  bool single_quotes = false;
  bool words_in_any_case = false;  // also NaN and Infinity; a number is what its letters allow
  bool any_text_behind = false;    // after the end of the JSON
  bool byte_order_mark = false;
  bool line_ends_in_strings = false;
  bool any_escape = false;  // a backslash before any character
};

DialectTraits traits_of(JsonDialect dialect) {
  switch (dialect) {
    case JsonDialect::kStandard:
      return {};
    case JsonDialect::kJsonC:
      return {.blanks = " \t\r\n\v\f",
              .most_levels = 31,
              .comments = true,
              .trailing_commas = true,
              .single_quotes = true,
              .words_in_any_case = true,
              .any_text_behind = true,
              .line_ends_in_strings = true};
    case JsonDialect::kJsonParser:
      return {.trailing_commas = true,
              .byte_order_mark = true,
              .line_ends_in_strings = true,
              .any_escape = true};
  }
  return {};
}

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Takes the digits at the front away; false: there is none.
bool take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// As JSON writes numbers: not "nan", "+1", ".5", "1." or "01", which C and some readers take.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  if (!take_digits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text)) return false;
  }
  if (text.empty()) return true;
  if (!is_one_of(text[0], "eE")) return false;
  text.remove_prefix(1);
  if (!text.empty() && is_one_of(text[0], "+-")) text.remove_prefix(1);
  return take_digits(text) && text.empty();
}

// As json-c reads on: letters of numbers, with one point and one exponent.
bool is_loose_number(std::string_view text) {
  if (text.empty() || !is_one_of(text[0], "-0123456789")) return false;
  if (text.find_first_not_of("0123456789.+-eE") != std::string_view::npos) return false;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (is_one_of(text[i], "+-") && !is_one_of(text[i - 1], "eE")) return false;
  }
  return text.find_first_of("0123456789") != std::string_view::npos &&
         std::ranges::count(text, '.') <= 1 &&
         std::ranges::count_if(text, [](char c) { return is_one_of(c, "eE"); }) <= 1;
}

void append_utf8(std::string& text, std::uint32_t code) {
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

class Parser {
 public:
  Parser(std::string_view content, JsonDialect dialect)
      : content_(content), traits_(traits_of(dialect)) {
    if (traits_.byte_order_mark && content_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    // json-c takes its text as C does.
    if (traits_.any_text_behind) content_ = content_.substr(0, content_.find('\0'));
  }

  JsonValue document() {
    skip();
    if (at_ == content_.size()) fail("the file is empty");
    JsonValue value = parse(0);
    behind_ = true;
    skip();
    if (at_ < content_.size() && !traits_.any_text_behind)
      fail(fmt::format("{} after the end of the JSON", here()));
    return value;
  }

 private:
  [[noreturn]] void fail(std::string text) const { throw JsonError{line_, std::move(text)}; }

  std::string here() const {
    if (at_ >= content_.size()) return "the end of the file";
    return fmt::format("'{}'", content_[at_]);
  }

  char next() {
    line_ += content_[at_] == '\n' ? 1 : 0;
    return content_[at_++];
  }

  void skip() {
    while (at_ < content_.size()) {
      if (is_one_of(content_[at_], traits_.blanks)) {
        next();
      } else if (traits_.comments && content_[at_] == '/') {
        skip_comment();
      } else {
        return;
      }
    }
  }

  void skip_comment() {
    const bool block = content_.substr(at_, 2) == "/*";
    if (!block && content_.substr(at_, 2) != "//") fail("'/' begins no comment");
    const std::size_t begin = at_ + 2;
    const std::size_t found = block ? content_.find("*/", begin) : content_.find('\n', begin);
    if (block && found == std::string_view::npos && !behind_) fail("a comment without its end");
    const std::size_t end = std::min(found, content_.size());
    while (at_ < end) next();
    if (block && end < content_.size()) at_ += 2;
  }

  bool take(char wanted) {
    if (at_ >= content_.size() || content_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // The quote that a string begins with; 0: none.
  char take_quote() {
    if (take('"')) return '"';
    return traits_.single_quotes && take('\'') ? '\'' : '\0';
  }

  JsonValue parse(int level) {
    if (level > traits_.most_levels) fail(fmt::format("more than {} levels", traits_.most_levels));
    JsonValue value{.line = line_, .begin = at_};
    if (take('{')) {
      object(value, level);
    } else if (take('[')) {
      array(value, level);
    } else if (const char quote = take_quote(); quote != 0) {
      value.kind = JsonKind::kString;
      value.text = string(quote);
    } else {
      word(value);
    }
    value.end = at_;
    return value;
  }

  void object(JsonValue& value, int level) {
    value.kind = JsonKind::kObject;
    skip();
    if (take('}')) return;
    while (true) {
      skip();
      if (traits_.trailing_commas && !value.members.empty() && take('}')) return;
      const std::size_t line = line_;
      const char quote = take_quote();
      if (quote == 0) fail(fmt::format("expected a key in quotes, got {}", here()));
      std::string key = string(quote);
      skip();
      if (!take(':')) fail(fmt::format("expected ':' after \"{}\", got {}", key, here()));
      skip();
      value.members.push_back({std::move(key), line, parse(level + 1)});
      skip();
      if (take('}')) return;
      if (!take(',')) fail(fmt::format("expected ',' or '}}', got {}", here()));
    }
  }

  void array(JsonValue& value, int level) {
    value.kind = JsonKind::kArray;
    skip();
    if (take(']')) return;
    while (true) {
      skip();
      if (traits_.trailing_commas && !value.items.empty() && take(']')) return;
      value.items.push_back(parse(level + 1));
      skip();
      if (take(']')) return;
      if (!take(',')) fail(fmt::format("expected ',' or ']', got {}", here()));
    }
  }

  std::string string(char quote) {
    std::string text;
    while (true) {
      if (at_ >= content_.size() || (content_[at_] == '\n' && !traits_.line_ends_in_strings))
        fail("a string without its closing quote");
      const char c = next();
      if (c == quote) return text;
      if (c != '\\') {
        text += c;
      } else {
        escape(text);
      }
    }
  }

  void escape(std::string& text) {
    constexpr std::string_view kLetters = "bfnrt\"\\/";
    constexpr std::string_view kMeant = "\b\f\n\r\t\"\\/";
    if (at_ >= content_.size() || content_[at_] == '\n') fail("a string without its closing quote");
    const char letter = next();
    const std::size_t known = kLetters.find(letter);
    if (letter == 'u') return append_utf8(text, code_unit());
    if (known == std::string_view::npos && !traits_.any_escape)
      fail(fmt::format("'\\{}' is no escape of JSON", letter));
    text += known == std::string_view::npos ? letter : kMeant[known];
  }

  std::uint32_t code_unit() {
    const std::string_view digits = content_.substr(at_, 4);
    std::uint32_t code = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
    if (digits.size() < 4 || error != std::errc() || end != digits.data() + 4)
      fail("'\\u' without four digits");
    at_ += 4;
    return code;
  }

  void word(JsonValue& value) {
    const std::size_t begin = at_;
    const std::string_view ends = traits_.comments ? ",:{}[]\"'/" : ",:{}[]\"";
    while (at_ < content_.size() && !is_one_of(content_[at_], traits_.blanks) &&
           !is_one_of(content_[at_], ends)) {
      ++at_;
    }
    value.text = content_.substr(begin, at_ - begin);
    if (value.text.empty()) fail(fmt::format("expected a value, got {}", here()));
    const std::string called = traits_.words_in_any_case ? lower(value.text) : value.text;
    if (called == "null") return;
    if (called == "true" || called == "false") {
      value.kind = JsonKind::kBoolean;
    } else if (is_number_here(called)) {
      value.kind = JsonKind::kNumber;
    } else {
      fail(fmt::format("'{}' is no JSON", value.text));
    }
  }

  bool is_number_here(std::string_view text) const {
    if (!traits_.words_in_any_case) return is_number(text);
    return is_loose_number(text) || text == "nan" || text == "infinity" || text == "-infinity";
  }

  std::string_view content_;
  DialectTraits traits_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool behind_ = false;  // the end of the JSON
};

}  // namespace

JsonValue parse_json_lines(std::string_view content, JsonDialect dialect) {
  return Parser(content, dialect).document();
}

void check_repeated(const JsonValue& object, RuleFile& file) {
  std::set<std::string_view> seen;
  for (const JsonMember& one : object.members) {
    if (seen.insert(one.key).second) continue;
    file.warn(one.line, fmt::format("\"{}\" stands twice: the first counts", one.key));
  }
}

void check_keys(const JsonValue& object, const std::vector<std::string>& known, RuleFile& file) {
  check_repeated(object, file);
  for (const JsonMember& one : object.members) {
    if (std::ranges::count(known, one.key) > 0) continue;
    file.warn(one.line, fmt::format("\"{}\" is not read{}", one.key, did_you_mean(one.key, known)));
  }
}

}  // namespace colltree
