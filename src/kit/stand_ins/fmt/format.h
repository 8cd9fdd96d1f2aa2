// SPDX-License-Identifier: BSD-3-Clause
// What the sources of a kit use of {fmt}, where that library is not: {}, {{, }} and {:02X}, of
// texts, whole and real numbers, with fmt's results. Anything else is written as {?}. Not part of
// colltree itself, which has the library.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace fmt {

// As the library's, without its check at compile time: colltree's own build has made that.
template <typename...>
using format_string = std::string_view;

inline std::string_view runtime(std::string_view text) { return text; }

namespace stand_in {

inline std::string digits(unsigned long long value, std::string_view how) {
  if (how.empty()) return std::to_string(value);
  if (how != ":02X") return "{?}";
  char text[32];
  std::snprintf(text, sizeof text, "%02llX", value);
  return text;
}

template <typename Value>
std::string written(const Value& value, std::string_view how) {
  if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<Value, char>) {
    return std::string(1, value);
  } else if constexpr (std::is_integral_v<Value>) {
    if constexpr (std::is_signed_v<Value>) {
      if (value < 0) return how.empty() ? std::to_string(value) : "{?}";
    }
    return digits(static_cast<unsigned long long>(value), how);
  } else if constexpr (std::is_floating_point_v<Value>) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return how.empty() ? std::string(text, end) : "{?}";
  } else {
    return how.empty() ? std::string(std::string_view(value)) : "{?}";
  }
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
  if (next_field(rest, result, how)) result += written(value, how);
}

}  // namespace stand_in

template <typename... Values>
std::string format(std::string_view text, const Values&... values) {
  std::string result;
  (stand_in::append_next(text, result, values), ...);
  std::string_view how;
  stand_in::next_field(text, result, how);
  return result;
}

template <typename Value>
std::string to_string(const Value& value) {
  return stand_in::written(value, "");
}

template <typename... Values>
void print(std::string_view text, const Values&... values) {
  const std::string line = format(text, values...);
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size())
    throw std::system_error(errno, std::generic_category());
}

}  // namespace fmt
