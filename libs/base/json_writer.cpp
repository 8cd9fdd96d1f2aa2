// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace colltree {

namespace {

std::string number_text(double value) {
  if (!std::isfinite(value)) return "null";
  // The shortest digits that read back as the same double: "-1.25e-07".
  char buffer[32];
  const auto written =
      std::to_chars(buffer, buffer + sizeof buffer, std::abs(value), std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, e));
  if (digits.size() > 1) digits.erase(1, 1);
  const std::string_view power = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  int point = 0;  // behind this many digits
  std::from_chars(power.data(), power.data() + power.size(), point);
  ++point;
  const int count = static_cast<int>(digits.size());
  const std::string sign = std::signbit(value) ? "-" : "";
  if (point > 15 || point <= -4) {
    if (count > 1) digits.insert(1, ".");
    return sign + digits + std::string(text.substr(e));
  }
  if (point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point >= count)
    return sign + digits + std::string(static_cast<std::size_t>(point - count), '0') + ".0";
  digits.insert(static_cast<std::size_t>(point), ".");
  return sign + digits;
}

void write_text(std::string_view text, std::string& out) {
  constexpr std::string_view kEscaped = "\b\f\n\r\t\"\\";
  constexpr std::string_view kLetters = "bfnrt\"\\";
  constexpr std::string_view kDigits = "0123456789abcdef";
  if (!is_utf8(text)) throw Error("cannot be written as JSON: a text in it is not UTF-8");
  out += '"';
  for (const char c : text) {
    const std::size_t known = kEscaped.find(c);
    if (known != std::string_view::npos) {
      (out += '\\') += kLetters[known];
    } else if (c >= 0 && c < ' ') {
      ((out += "\\u00") += kDigits[static_cast<std::size_t>(c / 16)]) +=
          kDigits[static_cast<std::size_t>(c % 16)];
    } else {
      out += c;
    }
  }
  out += '"';
}

struct Layout {
  int indent;  // < 0: one line
  bool sorted;

  void new_line(std::size_t level, std::string& out) const {
    if (indent >= 0) (out += '\n').append(level * static_cast<std::size_t>(indent), ' ');
  }
};

void write(const Json& json, const Layout& layout, std::size_t level, std::string& out);

// Writes the text between two brackets.
template <class List, class WriteOne>
void write_list(const List& list, const Layout& layout, std::size_t level, std::string& out,
                WriteOne write_one) {
  bool first = true;
  for (const auto& element : list) {
    if (!first) out += ',';
    first = false;
    layout.new_line(level + 1, out);
    write_one(element);
  }
  if (!first) layout.new_line(level, out);
}

void write_object(const Json& json, const Layout& layout, std::size_t level, std::string& out) {
  std::vector<const Json::Member*> members;
  for (const Json::Member& member : json.items()) members.push_back(&member);
  if (layout.sorted) {
    std::ranges::sort(members, {},
                      [](const Json::Member* member) { return std::string_view(member->key); });
  }
  out += '{';
  write_list(members, layout, level, out, [&](const Json::Member* member) {
    write_text(member->key, out);
    out += layout.indent < 0 ? ":" : ": ";
    write(member->value, layout, level + 1, out);
  });
  out += '}';
}

void write(const Json& json, const Layout& layout, std::size_t level, std::string& out) {
  if (json.is_null()) {
    out += "null";
  } else if (json.is_boolean()) {
    out += json.flag() ? "true" : "false";
  } else if (json.is_number_float()) {
    out += number_text(json.number());
  } else if (json.is_number_unsigned()) {
    out += std::to_string(json.natural());
  } else if (json.is_number_integer()) {
    out += std::to_string(*json.whole());
  } else if (json.is_string()) {
    write_text(json.text(), out);
  } else if (json.is_object()) {
    write_object(json, layout, level, out);
  } else {
    out += '[';
    write_list(json, layout, level, out,
               [&](const Json& element) { write(element, layout, level + 1, out); });
    out += ']';
  }
}

std::string written(const Json& json, const Layout& layout) {
  std::string out;
  write(json, layout, 0, out);
  return out;
}

}  // namespace

std::string Json::dump(int indent) const { return written(*this, {indent, true}); }

std::string Json::dump_in_order(int indent) const { return written(*this, {indent, false}); }

}  // namespace colltree
