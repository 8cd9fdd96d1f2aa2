// SPDX-License-Identifier: BSD-3-Clause
#include "measure/witness_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr std::string_view kPrefix = "@witness ";

}  // namespace

std::string witness_line(const Witnessed& witnessed) {
  return fmt::format("{}{} {} {}\n", kPrefix, witnessed.code,
                     witnessed.ids.empty() ? "-" : fmt::format("{}", fmt::join(witnessed.ids, ",")),
                     cell_line(witnessed.cell));
}

std::optional<Witnessed> parse_witness_line(std::string_view line) {
  if (!line.starts_with(kPrefix)) return std::nullopt;
  line.remove_prefix(kPrefix.size());
  const auto words = split(line, ' ');
  if (words.size() != 7) return std::nullopt;
  Witnessed witnessed;
  witnessed.code = parse_number<int>(words[0]).value_or(-1);
  if (words[1] != "-") {
    for (const std::string_view word : split(words[1], ','))
      witnessed.ids.push_back(parse_number<int>(word).value_or(-1));
  }
  try {
    const std::size_t before = words[0].size() + words[1].size() + 2;
    witnessed.cell = parse_cell_line(std::string(line.substr(before)), "witness", 1);
  } catch (const Error&) {
    return std::nullopt;
  }
  return witnessed;
}

}  // namespace colltree
