// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/json.h"
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

constexpr int kMostLevels = 128;

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

class Parser {
 public:
  explicit Parser(std::string_view content) : content_(content) {}

  JsonValue document() {
    skip();
    if (at_ == content_.size()) fail("the file is empty");
    JsonValue value = parse(0);
    skip();
    if (at_ < content_.size()) fail(fmt::format("{} after the end of the JSON", here()));
    return value;
  }

 private:
  [[noreturn]] void fail(std::string text) const { throw JsonError{line_, std::move(text)}; }

  std::string here() const {
    if (at_ >= content_.size()) return "the end of the file";
    return fmt::format("'{}'", content_[at_]);
  }

  void skip() {
    while (at_ < content_.size() && is_one_of(content_[at_], " \t\r\n")) {
      line_ += content_[at_++] == '\n' ? 1 : 0;
    }
  }

  bool take(char wanted) {
    if (at_ >= content_.size() || content_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  JsonValue parse(int level) {
    if (level > kMostLevels) fail("more than 128 levels");
    JsonValue value{.line = line_, .begin = at_};
    if (take('{')) {
      object(value, level);
    } else if (take('[')) {
      array(value, level);
    } else if (take('"')) {
      value.kind = JsonKind::kString;
      value.text = string();
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
      const std::size_t line = line_;
      if (!take('"')) fail(fmt::format("expected a key in quotes, got {}", here()));
      std::string key = string();
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
      value.items.push_back(parse(level + 1));
      skip();
      if (take(']')) return;
      if (!take(',')) fail(fmt::format("expected ',' or ']', got {}", here()));
    }
  }

  std::string string() {
    std::string text;
    while (true) {
      if (at_ >= content_.size() || content_[at_] == '\n')
        fail("a string without its closing quote");
      const char c = content_[at_++];
      if (c == '"') return unescaped(text);
      text += c;
      if (c == '\\' && at_ < content_.size() && content_[at_] != '\n') text += content_[at_++];
    }
  }

  std::string unescaped(const std::string& text) const {
    if (text.find('\\') == std::string::npos) return text;
    const auto json = Json::try_parse('"' + text + '"');
    if (!json) fail(fmt::format("\"{}\" is no string of JSON", text));
    return json->get<std::string>();
  }

  void word(JsonValue& value) {
    const std::size_t begin = at_;
    while (at_ < content_.size() && !is_one_of(content_[at_], " \t\r\n,:{}[]\"")) {
      ++at_;
    }
    value.text = content_.substr(begin, at_ - begin);
    if (value.text.empty()) fail(fmt::format("expected a value, got {}", here()));
    if (value.text == "null") return;
    if (value.text == "true" || value.text == "false") {
      value.kind = JsonKind::kBoolean;
    } else if (is_number(value.text)) {
      value.kind = JsonKind::kNumber;
    } else {
      fail(fmt::format("'{}' is no JSON", value.text));
    }
  }

  std::string_view content_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

JsonValue parse_json_lines(std::string_view content) { return Parser(content).document(); }

void check_repeated(const JsonValue& object, RuleFile& file) {
  std::set<std::string_view> seen;
  for (const JsonMember& one : object.members) {
    if (seen.insert(one.key).second) continue;
    file.error(one.line, fmt::format("\"{}\" stands twice", one.key));
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
