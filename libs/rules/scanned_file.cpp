// SPDX-License-Identifier: BSD-3-Clause
#include "rules/scanned_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace colltree::rules {

namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of a digit in any base; 16 or more for a character that is no digit.
std::uint64_t digit_value(char c) {
  if (is_digit(c)) return static_cast<std::uint64_t>(c - '0');
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? static_cast<std::uint64_t>(low - 'a') + 10 : 16;
}

// Returns a word of a file for a message, shortened if it is long.
std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  return fmt::format("'{}{}'", text.substr(0, kLongest), text.size() > kLongest ? "..." : "");
}

}  // namespace

void ScannedFile::skip_blanks() {
  while (at_ < content_.size() && is_blank(content_[at_])) {
    line_ += content_[at_++] == '\n' ? 1 : 0;
  }
}

void ScannedFile::skip_line() { at_ = std::min(content_.find('\n', at_), content_.size()); }

// Digits, of the base that the first ones say unless they are decimal; at most what "%li" and "%lu"
// hold.
std::uint64_t ScannedFile::take_integer(bool decimal) {
  const std::uint64_t most = decimal ? UINT64_MAX : INT64_MAX;
  std::uint64_t base = 10;
  if (!decimal && content_[at_] == '0') {
    const bool hexadecimal = at_ + 1 < content_.size() && (content_[at_ + 1] | 0x20) == 'x';
    base = hexadecimal ? 16 : 8;
    at_ += hexadecimal ? 2 : 1;
  }
  std::uint64_t value = 0;
  for (; at_ < content_.size() && digit_value(content_[at_]) < base; ++at_) {
    const bool over = __builtin_mul_overflow(value, base, &value) ||
                      __builtin_add_overflow(value, digit_value(content_[at_]), &value);
    if (over || value > most) value = most;
  }
  return value;
}

std::optional<ScannedFile::Number> ScannedFile::scan(bool decimal) {
  while (true) {
    skip_blanks();
    if (at_ == content_.size()) {
      flush_skipped();
      return std::nullopt;
    }
    const std::size_t begin = at_;
    const Token token = token_at(begin);  // a copy: the next one takes its place
    const bool sign = content_[at_] == '-' || content_[at_] == '+';
    if (sign) ++at_;
    if (at_ < content_.size() && is_digit(content_[at_])) {
      Number found{.line = line_};
      const std::uint64_t magnitude = take_integer(decimal);
      found.value = static_cast<std::int64_t>(content_[begin] == '-' ? 0 - magnitude : magnitude);
      found.text = content_.substr(begin, at_ - begin);
      note_read(token, found);
      return found;
    }
    if (!token.text.empty()) note_skipped(token);
    // Consumes the sign and one more character, as the library does.
    if (at_ == content_.size()) continue;
    const char skipped = content_[at_++];
    line_ += skipped == '\n' ? 1 : 0;
    if (skipped == '#') skip_line();
  }
}

std::optional<ScannedFile::Word> ScannedFile::word() {
  constexpr std::size_t kLongest = 32;
  while (true) {
    skip_blanks();
    if (at_ == content_.size()) return std::nullopt;
    const std::size_t begin = at_;
    while (at_ < content_.size() && at_ - begin < kLongest && !is_blank(content_[at_])) ++at_;
    if (content_[begin] != '#') return Word{content_.substr(begin, at_ - begin), line_};
    skip_line();
  }
}

bool ScannedFile::take(char wanted) {
  while (true) {
    skip_blanks();
    if (at_ < content_.size() && content_[at_] == '#') {
      skip_line();
      continue;
    }
    if (at_ == content_.size() || content_[at_] != wanted) return false;
    ++at_;
    return true;
  }
}

std::optional<std::int64_t> ScannedFile::take_version() {
  constexpr std::string_view kBegin = "rule-file-version-";
  const auto differs =
      std::mismatch(kBegin.begin(), kBegin.end(), content_.begin(), content_.end());
  at_ = static_cast<std::size_t>(differs.first - kBegin.begin());  // what is alike is gone
  if (at_ < kBegin.size()) return std::nullopt;
  skip_blanks();
  const std::size_t begin = at_;
  if (at_ < content_.size() && (content_[at_] == '-' || content_[at_] == '+')) ++at_;
  std::int64_t value = 0;
  bool digits = false;
  for (; at_ < content_.size() && is_digit(content_[at_]); ++at_, digits = true) {
    value = std::min<std::int64_t>(value * 10 + (content_[at_] - '0'), INT32_MAX);
  }
  if (!digits) return std::nullopt;
  return content_[begin] == '-' ? -value : value;
}

bool ScannedFile::digit_follows() const {
  const std::size_t next = content_.find_first_not_of(" \t", at_);
  return next != std::string_view::npos && is_digit(content_[next]);
}

std::string_view ScannedFile::rest() {
  take('\0');  // skips blanks and comments
  return at_ == content_.size() ? std::string_view() : token_at(at_).text;
}

// Between blanks, without a comment behind it. It is asked for at each of its characters.
const ScannedFile::Token& ScannedFile::token_at(std::size_t position) {
  if (position >= token_.begin && position - token_.begin < token_.text.size()) return token_;
  std::size_t begin = position;
  while (begin > 0 && !is_blank(content_[begin - 1]) && content_[begin - 1] != '#') --begin;
  std::size_t end = position;
  while (end < content_.size() && !is_blank(content_[end]) && content_[end] != '#') ++end;
  token_ = {begin, content_.substr(begin, end - begin), line_};
  return token_;
}

void ScannedFile::note(std::size_t line, std::string text) {
  if (notes_.size() < kMostNotes) notes_.push_back({line, std::move(text)});
}

void ScannedFile::note_skipped(const Token& token) {
  if (read_token_ == token.begin) return;  // was said when its number was read
  if (skipped_ && skipped_->begin == token.begin) return;
  flush_skipped();
  skipped_ = token;
}

void ScannedFile::flush_skipped() {
  if (skipped_) note(skipped_->line, fmt::format("{} is skipped", quoted(skipped_->text)));
  skipped_.reset();
}

void ScannedFile::note_read(const Token& token, const Number& number) {
  if (skipped_ && skipped_->begin != token.begin) flush_skipped();
  skipped_.reset();
  const bool second = read_token_ == token.begin;
  read_token_ = token.begin;
  const std::string_view digits = number.text.substr(number.text.find_first_not_of("+-"));
  const bool negative = number.text.starts_with('-');
  const auto value = static_cast<std::uint64_t>(number.value);
  const std::uint64_t magnitude = negative ? 0 - value : value;
  if (token.text == number.text && parse_number<std::uint64_t>(digits) == magnitude) return;
  const bool hexadecimal = digits.size() > 1 && (digits[1] | 0x20) == 'x';
  const bool octal = !hexadecimal && digits.size() > 1 && digits[0] == '0' && magnitude != 0;
  note(number.line, fmt::format("{} is read as {}{}{}", quoted(token.text),
                                hexadecimal ? "hexadecimal: "
                                : octal     ? "octal: "
                                            : "",
                                number.value, second ? ", too" : ""));
}

RuleFile ScannedRules::read() {
  try {
    read_all();
    if (const std::string_view rest = scanned_.rest(); !rest.empty())
      file_.warn(scanned_.line(),
                 fmt::format("'{}' after the last rule is not read", rest.substr(0, 60)));
  } catch (const NotReadFurther&) {
    file_.rules = {};
  }
  for (const ScannedFile::Note& entry : scanned_.notes()) file_.warn(entry.line, entry.text);
  return std::move(file_);
}

void ScannedRules::drop(const std::string& text) {
  file_.error(line_, fmt::format("{}; {}", text, drops_));
  throw NotReadFurther{};
}

std::uint64_t ScannedRules::number(const std::string& what) {
  const ScannedFile::Number found = required(scanned_.number(), what);
  if (found.value < 0) drop(fmt::format("{} is negative: {}", what, found.text));
  return static_cast<std::uint64_t>(found.value);
}

void ScannedRules::forget(Collective collective) {
  std::erase_if(file_.rules.collectives, [&](const CollectiveRules& collective_rules) {
    return collective_rules.collective == collective;
  });
}

void ScannedRules::keep(Collective collective, std::vector<Row>& rows) {
  forget(collective);
  if (rows.empty()) return;
  CollectiveRules result{.collective = collective};
  const std::vector<std::uint64_t> ranks = mapped(rows, &Row::ranks);
  const Spans spans = spans_of(ranks);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i > 0) warn_of_hidden("communicator size", ranks, i, rows[i].line, rows[i - 1].line, spans);
    if (spans[i]) keep_row(rows[i], {i == 0 ? 0 : spans[i]->least, spans[i]->most}, result);
  }
  file_.rules.collectives.push_back(std::move(result));
}

void ScannedRules::keep_row(Row& row, const Span& ranks, CollectiveRules& result) {
  // The library chooses as without rules; the row below it does not hold here.
  if (row.rules.empty()) row.rules.push_back({.method = library_default(), .line = row.line});
  std::vector<std::uint64_t> bytes;
  for (const Rule& rule : row.rules) bytes.push_back(rule.message.least);
  const Spans spans = spans_of(bytes);
  for (std::size_t i = 0; i < row.rules.size(); ++i) {
    Rule& rule = row.rules[i];
    if (i > 0) warn_of_hidden("message size", bytes, i, rule.line, row.rules[i - 1].line, spans);
    if (!spans[i]) continue;
    rule.communicator_size = ranks;
    rule.message = *spans[i];
    result.rules.push_back(std::move(rule));
  }
}

// Descending values are read, and hide the entries before them.
void ScannedRules::warn_of_hidden(const char* what, const std::vector<std::uint64_t>& values,
                                  std::size_t i, std::size_t line, std::size_t line_before,
                                  const Spans& spans) {
  if (values[i] > values[i - 1]) return;
  file_.warn(line, fmt::format("{} {} after {}: {}", what, values[i], values[i - 1],
                               hiding(line_before, spans[i - 1])));
}

}  // namespace colltree::rules
