// SPDX-License-Identifier: BSD-3-Clause
#include "coll/described_values.h"

#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kDash = " - ";

std::string_view last_word(std::string_view text) {
  const std::string_view trimmed = trim(text);
  return trimmed.substr(trimmed.find_last_of(" \n") + 1);
}

std::map<int, std::string> values_of_lines(std::string_view description) {
  std::map<int, std::string> values;
  int number = 0;
  for (const std::string_view line : split(description, '\n')) {
    const std::string_view name = trim(line.substr(0, line.find(kDash)));
    // The sentence before the list may have a dash too.
    if (line.find(kDash) == std::string_view::npos || name.find(' ') != std::string_view::npos)
      continue;
    values[number++] = name;
  }
  return values;
}

// "algorithmnb": the longest name that the word ends with. What an underscore joins is one name,
// which is not known then.
std::string_view glued_name(std::string_view word, std::span<const std::string_view> known) {
  std::string_view found;
  for (const std::string_view name : known) {
    if (word.ends_with(name) && name.size() > found.size()) found = name;
  }
  const std::size_t before = word.size() - found.size();
  return before > 0 && word[before - 1] == '_' ? std::string_view() : found;
}

}  // namespace

std::map<int, std::string> described_values(std::string_view description,
                                            std::span<const std::string_view> known) {
  if (description.find('\n') != std::string_view::npos) return values_of_lines(description);
  std::map<int, std::string> values;
  int number = 0;
  for (std::size_t position = 0;
       (position = description.find(kDash, position)) != std::string_view::npos;
       position += kDash.size(), ++number) {
    const std::string_view name = glued_name(last_word(description.substr(0, position)), known);
    if (!name.empty()) values[number] = name;
  }
  return values;
}

std::map<int, std::string> described_range(std::string_view description) {
  constexpr std::string_view kRange = "range: 0-";
  std::map<int, std::string> values;
  const std::size_t position = description.find(kRange);
  if (position == std::string_view::npos) return values;
  const std::string_view text = description.substr(position + kRange.size());
  const auto most =
      parse_number<unsigned short>(text.substr(0, text.find_first_not_of("0123456789")));
  for (int number = 0; most && number <= *most; ++number) values[number] = std::to_string(number);
  return values;
}

}  // namespace colltree
