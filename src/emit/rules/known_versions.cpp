// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/known_versions.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

namespace colltree {

namespace {

// Small letters and digits: "Open MPI 5", "openmpi-5" and "OpenMPI v5" are one.
std::string plain(std::string_view text) {
  std::string kept;
  for (const char c : lower(text)) {
    if (c != ' ' && c != '-' && c != '\t') kept += c;
  }
  return kept;
}

}  // namespace

std::string text(const KnownVersions& known) {
  std::string range = known.library;
  if (*known.first != '\0') range += fmt::format(" {}", known.first);
  if (*known.last != '\0') {
    if (std::string_view(known.last) != known.first) range += fmt::format(" to {}", known.last);
  } else if (*known.first != '\0') {
    range += " and later";
  }
  return fmt::format("{} ({})", range, known.seen);
}

std::array<int, 3> version_numbers(std::string_view text) {
  std::array<int, 3> numbers{};
  std::size_t part = 0;
  for (const std::string_view word : split(text, '.')) {
    const std::string_view digits = word.substr(0, word.find_first_not_of("0123456789"));
    if (part < numbers.size()) numbers[part++] = parse_number<int>(digits).value_or(0);
  }
  return numbers;
}

bool is_newer(const KnownVersions& known, std::string_view version) {
  if (*known.last == '\0') return false;
  const auto last = version_numbers(known.last);
  const auto asked = version_numbers(version);
  const auto parts =
      static_cast<std::ptrdiff_t>(std::ranges::count(std::string_view(known.last), '.')) + 1;
  const auto end = std::min<std::ptrdiff_t>(parts, 3);
  return std::lexicographical_compare(last.begin(), last.begin() + end, asked.begin(),
                                      asked.begin() + end);
}

StatedVersion stated_version(const KnownVersions& known, std::string_view content) {
  const std::string wanted = "for" + plain(known.library);
  std::size_t line = 0;
  for (const std::string_view written : split(content, '\n')) {
    ++line;
    if (!trim(written).starts_with('#')) continue;
    const std::string words = plain(written);
    const std::size_t at = words.find(wanted);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(words).substr(at + wanted.size());
    if (rest.starts_with('v')) rest.remove_prefix(1);
    std::string_view version = rest.substr(0, rest.find_first_not_of("0123456789."));
    while (version.ends_with('.')) version.remove_suffix(1);
    if (!version.empty()) return {line, std::string(version)};
  }
  return {};
}

}  // namespace colltree
