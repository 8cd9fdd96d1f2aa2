// SPDX-License-Identifier: BSD-3-Clause
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <numeric>

namespace colltree {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) return parts;
    begin = end + 1;
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

std::string with_value(std::string text, std::string_view name, std::string_view value) {
  const std::string field = "{" + std::string(name) + "}";
  for (std::size_t place = 0; (place = text.find(field, place)) != std::string::npos;
       place += value.size())
    text.replace(place, field.size(), value);
  return text;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  if (!text.empty() && (text.back() == 'B' || text.back() == 'b')) text.remove_suffix(1);
  if (text.empty()) return std::nullopt;
  const std::size_t unit = std::string_view("KkMmGg").find(text.back());
  const std::size_t shift = unit == std::string_view::npos ? 0 : 10 * (unit / 2 + 1);
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_number<std::uint64_t>(text);
  if (!value || (*value << shift) >> shift != *value) return std::nullopt;
  return *value << shift;
}

std::string format_bytes(std::uint64_t bytes) {
  if (bytes == 0) return "0K";
  if (bytes % (1U << 20) == 0) return concat(bytes >> 20, "M");
  if (bytes % (1U << 10) == 0) return concat(bytes >> 10, "K");
  return concat(bytes, "B");
}

std::string format_double(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  return error == std::errc{} ? std::string(buffer, end) : std::string("nan");
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, substituted});
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  std::optional<std::string> best;
  std::size_t best_distance = 2 + word.size() / 4;
  for (const std::string& candidate : candidates) {
    const bool extends = word.size() >= 3 && candidate.starts_with(word);
    const std::size_t distance = extends ? 1 : edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const auto best = nearest(word, candidates);
  return best ? concat("; did you mean '", *best, "'?") : std::string();
}

std::string meant_or_known(std::string_view word, std::span<const std::string> candidates) {
  const std::string hint = did_you_mean(word, candidates);
  return hint.empty() ? concat("; known are ", join(candidates, ", ")) : hint;
}

namespace {

struct Sequence {
  std::size_t bytes = 1;
  std::uint32_t character = 0;
  bool valid = false;
};

std::uint8_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<std::uint8_t>(text[index]);
}

struct Lead {
  std::uint8_t mask, bits;
  std::size_t bytes;
  std::uint32_t least;  // a smaller character would have a shorter form
};
constexpr std::array<Lead, 4> kLeads = {
    {{0x80, 0x00, 1, 0}, {0xE0, 0xC0, 2, 0x80}, {0xF0, 0xE0, 3, 0x800}, {0xF8, 0xF0, 4, 0x10000}}};

// The character that begins at `begin` (RFC 3629).
Sequence sequence_at(std::string_view text, std::size_t begin) {
  const std::uint8_t first = byte_at(text, begin);
  for (const Lead& lead : kLeads) {
    if ((first & lead.mask) != lead.bits) continue;
    if (begin + lead.bytes > text.size()) return {};
    Sequence found{lead.bytes, static_cast<std::uint32_t>(first & ~lead.mask), true};
    for (std::size_t i = 1; i < lead.bytes; ++i) {
      const std::uint8_t next = byte_at(text, begin + i);
      if ((next & 0xC0) != 0x80) return {};
      found.character = found.character << 6 | (next & 0x3F);
    }
    const bool surrogate = found.character >= 0xD800 && found.character <= 0xDFFF;
    if (found.character < lead.least || found.character > 0x10FFFF || surrogate) return {};
    return found;
  }
  return {};
}

bool is_control(std::uint32_t character) {
  constexpr std::pair<std::uint32_t, std::uint32_t> kControls[] = {
      {0x00, 0x1F},     {0x7F, 0x9F},     {0x200E, 0x200F},
      {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFEFF, 0xFEFF}};
  return std::ranges::any_of(kControls, [&](const auto& range) {
    return range.first <= character && character <= range.second;
  });
}
// At least two digits.
std::string hexadecimal(std::uint32_t number) {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%02X", static_cast<unsigned>(number));
  return digits;
}

// The end of the plain ASCII text from `begin` on; nearly all text is such.
std::size_t end_of_plain(std::string_view text, std::size_t begin) {
  while (begin < text.size() && text[begin] >= ' ' && text[begin] < 0x7F) ++begin;
  return begin;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t place = end_of_plain(text, 0); place < text.size();
       place = end_of_plain(text, place)) {
    const Sequence sequence = sequence_at(text, place);
    if (!sequence.valid) return false;
    place += sequence.bytes;
  }
  return true;
}

std::string unfit_for_line(std::string_view text) {
  for (std::size_t place = end_of_plain(text, 0); place < text.size();
       place = end_of_plain(text, place)) {
    const Sequence sequence = sequence_at(text, place);
    if (!sequence.valid)
      return concat("a byte that is not UTF-8 (0x", hexadecimal(byte_at(text, place)), ")");
    if (is_control(sequence.character))
      return concat("a control character (0x", hexadecimal(sequence.character), ")");
    place += sequence.bytes;
  }
  return "";
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t place = 0; place < text.size();) {
    const std::size_t plain_end = end_of_plain(text, place);
    result.append(text, place, plain_end - place);
    place = plain_end;
    if (place == text.size()) break;
    const Sequence sequence = sequence_at(text, place);
    for (std::size_t i = 0; i < sequence.bytes; ++i) {
      if (sequence.valid && !is_control(sequence.character)) {
        result += text[place + i];
      } else {
        result += concat("\\x", hexadecimal(byte_at(text, place + i)));
      }
    }
    place += sequence.bytes;
  }
  return result;
}

}  // namespace colltree
