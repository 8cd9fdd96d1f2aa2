// SPDX-License-Identifier: BSD-3-Clause
// Text and numbers, independent of the locale, and lists of them; checks of texts from files and
// other programs before they reach a terminal or a file of lines.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace colltree {

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
std::string lower(std::string_view text);
std::string upper(std::string_view text);
// Replaces every {name} in the text.
std::string with_value(std::string text, std::string_view name, std::string_view value);

// The whole of `text` as a number, or nothing: no blanks, no sign for unsigned types, no tail.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Adds a text, a character or a whole number. Real numbers: format_double says how.
template <typename Part>
void append(std::string& text, const Part& part) {
  if constexpr (std::is_same_v<Part, char>) {
    text += part;
  } else if constexpr (std::is_integral_v<Part> && !std::is_same_v<Part, bool>) {
    text += std::to_string(part);
  } else {
    text += std::string_view(part);
  }
}

// Joins the parts in their order. The measuring programs use it in place of {fmt}, which a cluster
// that builds a kit may lack.
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

// The elements, texts or whole numbers, with the separator between two. (fmt::join would cost five
// seconds of compilation in each file that uses it.)
template <typename List>
std::string join(const List& list, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& element : list) {
    if (!first) text += separator;
    first = false;
    append(text, element);
  }
  return text;
}

// Returns what the function gives for each element, or the member of each, in their order.
template <typename List, typename Function>
auto mapped(const List& list, Function function) {
  std::vector<std::decay_t<decltype(std::invoke(function, *std::begin(list)))>> values;
  for (const auto& element : list) values.push_back(std::invoke(function, element));
  return values;
}

// The place of the first element with this value, or nothing.
template <typename List, typename Value, typename Projection = std::identity>
std::optional<std::size_t> index_of(const List& list, const Value& value,
                                    Projection projection = {}) {
  const auto found = std::ranges::find(list, value, projection);
  if (found == std::end(list)) return std::nullopt;
  return static_cast<std::size_t>(found - std::begin(list));
}

// "384K" -> 393216. Suffixes K, M, G (powers of 1024), with or without a trailing B.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

// "1K", "384K", "2M", "1448B": exact, the shortest of these forms.
std::string format_bytes(std::uint64_t bytes);

// The shortest text that reads back as the same double.
std::string format_double(double value);

// The candidate within a small edit distance of `word`, or nothing.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'x'?" or "".
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

// The same, or "; known are x, y" where no candidate is near.
std::string meant_or_known(std::string_view word, std::span<const std::string> candidates);

bool is_utf8(std::string_view text);

// The reason why `text` cannot be a word of one line: "" (it can), "a control character (0x1B)", "a
// byte that is not UTF-8 (0xE9)". The control characters of Unicode count, too: U+0080 to U+009F,
// ends of lines and paragraphs, and those that change the direction of text.
std::string unfit_for_line(std::string_view text);

// The same text with unfit bytes written as \x1B.
std::string printable(std::string_view text);

}  // namespace colltree
