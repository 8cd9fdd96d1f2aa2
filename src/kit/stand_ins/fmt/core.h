// SPDX-License-Identifier: BSD-3-Clause
// What the sources of a kit use of {fmt}, where that library is not installed: {}, {{, }} and
// {:02X}, of texts, integers and real numbers, with the results of {fmt}. A source that uses
// another format, or another number of values than fields, does not compile. Not part of colltree
// itself, which has the library.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace fmt {

namespace stand_in {

template <typename Value>
constexpr bool can_be_hexadecimal = std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>;

// Reached only where `text` has another format: no constant expression, so at compile time this is
// an error whose message shows the call.
[[noreturn]] inline void refuse(std::string_view text) {
  throw std::logic_error("kit/stand_ins/fmt/core.h cannot write this format: " + std::string(text));
}

// The place behind the next field in `text`, from `at` on, or npos.
constexpr std::size_t after_field(std::string_view text, std::size_t position, bool hexadecimal) {
  for (; position < text.size(); ++position) {
    if (text[position] != '{' && text[position] != '}') continue;
    const std::string_view rest = text.substr(position);
    if (rest.starts_with("{{") || rest.starts_with("}}")) {
      ++position;
    } else if (rest.starts_with("{}")) {
      return position + 2;
    } else if (rest.starts_with("{:02X}") && hexadecimal) {
      return position + 6;
    } else {
      refuse(text);
    }
  }
  return std::string_view::npos;
}

template <typename... Values>
constexpr void check(std::string_view text) {
  std::size_t position = 0;
  [[maybe_unused]] const auto take = [&](bool hexadecimal) {
    position = after_field(text, position, hexadecimal);
    if (position == std::string_view::npos) refuse(text);
  };
  (take(can_be_hexadecimal<Values>), ...);
  if (after_field(text, position, false) != std::string_view::npos) refuse(text);
}

}  // namespace stand_in

// A text that is known only at run time is checked then.
struct runtime_text {
  std::string_view text;
};
inline runtime_text runtime(std::string_view text) { return {text}; }

template <typename... Values>
class basic_format_string {
 public:
  template <typename Text>
  requires std::is_convertible_v<const Text&, std::string_view>
  consteval basic_format_string(const Text& text) : text_(text) {  // as the library's: implicit
    stand_in::check<std::remove_cvref_t<Values>...>(text_);
  }
  basic_format_string(runtime_text text) : text_(text.text) {
    stand_in::check<std::remove_cvref_t<Values>...>(text_);
  }
  std::string_view get() const { return text_; }

 private:
  std::string_view text_;
};
template <typename... Values>
using format_string = basic_format_string<std::type_identity_t<Values>...>;

namespace stand_in {

template <typename Value>
std::string written(const Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<Value, char>) {
    return std::string(1, value);
  } else if constexpr (std::is_integral_v<Value>) {
    return std::to_string(value);
  } else if constexpr (std::is_floating_point_v<Value>) {
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
  } else {
    return std::string(std::string_view(value));
  }
}

template <typename Value>
std::string hexadecimal(const Value& value) {
  char text[32] = "";
  if constexpr (can_be_hexadecimal<Value>)
    std::snprintf(text, sizeof text, "%02llX", static_cast<unsigned long long>(value));
  return text;
}

// Takes the text up to and with the next field from `rest`; what stood between its braces is `how`.
// False: no field is left, and `result` has all.
inline bool next_field(std::string_view& rest, std::string& result, std::string_view& how) {
  while (!rest.empty()) {
    const char c = rest.front();
    rest.remove_prefix(1);
    if (c != '{' && c != '}') {
      result += c;
    } else if (!rest.empty() && rest.front() == c) {
      result += c;
      rest.remove_prefix(1);
    } else {
      how = rest.substr(0, rest.find('}'));
      rest.remove_prefix(how.size() + (how.size() < rest.size() ? 1 : 0));
      return true;
    }
  }
  return false;
}

template <typename Value>
void append_next(std::string_view& rest, std::string& result, const Value& value) {
  std::string_view how;
  if (next_field(rest, result, how)) result += how.empty() ? written(value) : hexadecimal(value);
}

}  // namespace stand_in

template <typename... Values>
std::string format(format_string<Values...> form, Values&&... values) {
  std::string_view text = form.get();
  std::string result;
  (stand_in::append_next(text, result, values), ...);
  std::string_view how;
  stand_in::next_field(text, result, how);
  return result;
}

template <typename... Values>
void print(format_string<Values...> text, Values&&... values) {
  const std::string line = format(text, std::forward<Values>(values)...);
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size())
    throw std::system_error(errno, std::generic_category());
}

}  // namespace fmt
