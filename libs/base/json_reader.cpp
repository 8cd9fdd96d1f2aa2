// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"

namespace colltree {

namespace {

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

constexpr std::string_view kDigits = "0123456789";

// Removes the digits at the front; false when there are none.
bool take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of(kDigits), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// A number as JSON writes it: not "nan", "+1", ".5", "1." or "01", which C and some readers accept.
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

// A number as json-c reads it: any letters of numbers, with at most one point and one exponent.
bool is_loose_number(std::string_view text) {
  if (text == "nan" || text == "infinity" || text == "-infinity") return true;
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
  constexpr std::uint32_t kLeads[] = {0, 0xC0, 0xE0, 0xF0};
  const int following = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  text += static_cast<char>(kLeads[following] | code >> 6 * following);
  for (int i = following; i-- > 0;) text += static_cast<char>(0x80 | (code >> 6 * i & 0x3F));
}

bool is_high_surrogate(std::uint32_t unit) { return unit >> 10 == 0xD800 >> 10; }
bool is_low_surrogate(std::uint32_t unit) { return unit >> 10 == 0xDC00 >> 10; }

}  // namespace

class JsonReader {
 public:
  JsonReader(std::string_view content, JsonDialect dialect)
      : content_(content), strict_(dialect == JsonDialect::kStandard) {
    if (content.size() > std::numeric_limits<std::uint32_t>::max())
      fail("the text is longer than 4 GiB");
    // json-c takes its text as C does.
    if (!strict_) content_ = content_.substr(0, content_.find('\0'));
  }

  Json document() {
    skip();
    if (at_ == content_.size()) fail("the file is empty");
    Json value = read(0);
    behind_ = true;
    skip();
    if (at_ < content_.size() && strict_) fail(fmt::format("{} after the end of the JSON", here()));
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw JsonError(line_, column(at_), at_ >= content_.size(), message);
  }

  // Reports the word that ends here. A text that ends inside a value is cut off rather than wrong.
  [[noreturn]] void fail_at(std::string_view word, std::string_view message) const {
    const auto begins = [&](std::string_view whole) { return whole.starts_with(word); };
    const bool is_cut =
        at_ == content_.size() &&
        (is_one_of(word[0], "-0123456789") || begins("true") || begins("false") || begins("null"));
    throw JsonError(line_, column(at_ - word.size()), is_cut,
                    fmt::format("{} {}", shown(word), message));
  }

  // The place of the byte in its line, from 1.
  std::size_t column(std::size_t byte) const {
    return byte - content_.substr(0, byte).rfind('\n');  // npos is -1
  }

  // A word for a message, at most 40 bytes of it.
  static std::string shown(std::string_view word) {
    constexpr std::size_t kMost = 40;
    return fmt::format("'{}'{}", printable(word.substr(0, kMost)),
                       word.size() > kMost ? "..." : "");
  }

  std::string here() const {
    if (at_ >= content_.size()) return "the end of the file";
    return shown(content_.substr(at_, 1));
  }

  char next() {
    line_ += content_[at_] == '\n' ? 1 : 0;
    return content_[at_++];
  }

  void skip() {
    while (at_ < content_.size()) {
      if (is_blank(content_[at_])) {
        next();
      } else if (!strict_ && content_[at_] == '/') {
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

  bool is_blank(char c) const { return is_one_of(c, strict_ ? " \t\r\n" : " \t\r\n\v\f"); }

  bool take(char wanted) {
    if (at_ >= content_.size() || content_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  // The quote that a string begins with; 0: none.
  char take_quote() {
    if (take('"')) return '"';
    return !strict_ && take('\'') ? '\'' : '\0';
  }

  Json read(std::size_t level) {
    const std::size_t most_levels = strict_ ? Json::kDeepest : 31;
    if (level > most_levels) fail(fmt::format("more than {} levels", most_levels));
    const Json::Place begin{static_cast<std::uint32_t>(line_), static_cast<std::uint32_t>(at_), 0};
    Json value;
    if (take('{')) {
      value = object(level);
    } else if (take('[')) {
      value = array(level);
    } else if (const char quote = take_quote(); quote != 0) {
      value = string(quote);
    } else {
      value = word();
    }
    value.place_ = {begin.line, begin.begin, static_cast<std::uint32_t>(at_)};
    return value;
  }

  // Calls `read_one` for each element, up to the closing bracket.
  template <class ReadOne>
  void list(char closing, ReadOne read_one) {
    skip();
    if (take(closing)) return;
    do {
      read_one();
      skip();
      if (take(closing)) return;
      if (!take(',')) fail(fmt::format("expected ',' or '{}', got {}", closing, here()));
      skip();
    } while (strict_ || !take(closing));
  }

  Json object(std::size_t level) {
    Json value = Json::object();
    auto& members = value.members();
    list('}', [&] {
      const auto line = static_cast<std::uint32_t>(line_);
      const char quote = take_quote();
      if (quote == 0) fail(fmt::format("expected a key in quotes, got {}", here()));
      std::string key = string(quote);
      skip();
      if (!take(':')) fail(fmt::format("expected ':' after {}, got {}", shown(key), here()));
      skip();
      members.push_back({std::move(key), read(level + 1)});
      members.back().value.place_.key_line = line;
    });
    if (strict_) refuse_repeated(members);
    return value;
  }

  void refuse_repeated(const Json::Object& members) const {
    std::vector<std::pair<std::string_view, std::size_t>> keys;
    for (const Json::Member& member : members) keys.emplace_back(member.key, keys.size());
    std::ranges::sort(keys);
    const auto twice = std::ranges::adjacent_find(
        keys, [](const auto& key, const auto& next) { return key.first == next.first; });
    if (twice == keys.end()) return;
    const Json::Place& place = members[std::next(twice)->second].value.place();
    throw JsonError(place.line, column(place.begin), false,
                    fmt::format("{} stands twice in an object", shown(twice->first)));
  }

  Json array(std::size_t level) {
    Json value = Json::array();
    auto& elements = value.elements();
    list(']', [&] { elements.push_back(read(level + 1)); });
    return value;
  }

  std::string string(char quote) {
    std::string text;
    while (true) {
      if (at_ >= content_.size() || (content_[at_] == '\n' && strict_))
        fail("a string without its closing quote");
      if (strict_ && content_[at_] >= 0 && content_[at_] < ' ')
        fail(fmt::format("a control character (0x{:02X}) in a string",
                         static_cast<unsigned>(content_[at_])));
      const char c = next();
      if (c == quote) break;
      if (c != '\\') {
        text += c;
      } else {
        escape(text);
      }
    }
    if (strict_ && !is_utf8(text)) fail("a string that is not UTF-8");
    return text;
  }

  void escape(std::string& text) {
    constexpr std::string_view kLetters = "bfnrt\"\\/";
    constexpr std::string_view kMeant = "\b\f\n\r\t\"\\/";
    if (at_ >= content_.size() || content_[at_] == '\n') fail("a string without its closing quote");
    const char letter = next();
    const std::size_t known = kLetters.find(letter);
    if (letter == 'u') return append_utf8(text, escaped_character());
    if (known == std::string_view::npos)
      fail(fmt::format("'\\{}' is no escape of JSON", printable({&letter, 1})));
    text += kMeant[known];
  }

  // Reads one escaped character; those beyond 16 bits are escaped as two units.
  std::uint32_t escaped_character() {
    constexpr std::uint32_t kReplacement = 0xFFFD;
    const std::uint32_t high = code_unit();
    if (!is_high_surrogate(high) && !is_low_surrogate(high)) return high;
    if (is_high_surrogate(high) && content_.substr(at_, 2) == "\\u") {
      const std::size_t second = at_;
      at_ += 2;
      const std::uint32_t low = code_unit();
      if (is_low_surrogate(low)) return 0x10000 + ((high & 0x3FF) << 10 | (low & 0x3FF));
      at_ = second;
    }
    if (strict_) fail("'\\u' with half a pair");
    return kReplacement;
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

  Json word() {
    const std::size_t begin = at_;
    const std::string_view ends = strict_ ? ",:{}[]\"" : ",:{}[]\"'/";
    while (at_ < content_.size() && !is_blank(content_[at_]) && !is_one_of(content_[at_], ends)) {
      ++at_;
    }
    const std::string_view word = content_.substr(begin, at_ - begin);
    if (word.empty()) fail(fmt::format("expected a value, got {}", here()));
    const std::string called = strict_ ? std::string(word) : lower(word);
    if (called == "null") return {};
    if (called == "true" || called == "false") return called == "true";
    if (!(strict_ ? is_number(called) : is_loose_number(called))) fail_at(word, "is no JSON");
    return number(called);
  }

  // Whole numbers keep all their digits in 64 bits.
  Json number(std::string_view text) const {
    if (const auto whole = parse_number<std::uint64_t>(text)) return *whole;
    if (const auto whole = parse_number<std::int64_t>(text)) return *whole;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc()) return value;
    if (strict_) fail_at(text, "is beyond what a number can be");
    return std::numeric_limits<double>::infinity();
  }

  std::string_view content_;
  bool strict_;  // all that the standard asks; else what json-c takes (JsonDialect)
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool behind_ = false;  // the end of the JSON
};

Json Json::parse(std::string_view text, JsonDialect dialect) {
  return JsonReader(text, dialect).document();
}

std::optional<Json> Json::try_parse(std::string_view text) {
  try {
    return parse(text);
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

}  // namespace colltree
