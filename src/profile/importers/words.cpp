// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace colltree {

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(" \t"); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(" \t", at);
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t", end);
  }
  return words;
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (const std::string_view word : words_of(line)) {
    const bool follows = !cells.empty() &&
                         cells.back().data() + cells.back().size() + 1 == word.data() &&
                         *(word.data() - 1) == ' ';
    if (follows) {
      const std::string_view last = cells.back();
      cells.back() = {last.data(), last.size() + 1 + word.size()};
    } else {
      cells.push_back(word);
    }
  }
  return cells;
}

std::optional<double> find_scaled(std::string_view number, int exponent) {
  const std::size_t at = number.find_first_of("eE");
  if (at != std::string_view::npos) {
    std::string_view own = number.substr(at + 1);
    if (own.starts_with('+') && !own.starts_with("+-")) own.remove_prefix(1);
    const auto read = parse_number<int>(own);
    if (!read || std::abs(*read) > 400) return std::nullopt;
    exponent += *read;
  }
  const auto value = parse_number<double>(fmt::format("{}e{}", number.substr(0, at), exponent));
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return value;
}

}  // namespace colltree
