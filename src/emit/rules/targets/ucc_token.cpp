// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/targets/ucc_token.h"

#include <algorithm>
#include <string>

#include "base/text.h"

namespace colltree {

std::vector<std::string_view> ucc_pieces(std::string_view text, char separator) {
  std::vector<std::string_view> all = split(text, separator);
  std::erase_if(all, [](std::string_view one) { return one.empty(); });
  return all;
}

bool are_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

namespace {

std::optional<std::uint64_t> infinite_or(std::string_view text) {
  if (lower(text) == "inf") return kUccInfinite;
  if (!are_digits(text)) return std::nullopt;
  return parse_number<std::uint64_t>(text).value_or(kUccInfinite);
}

// As UCX reads it, by sscanf("%ld%c%c"): blanks may stand in front, and whatever behind the unit.
std::optional<std::uint64_t> memory_units(std::string_view text) {
  const std::string word = lower(text);
  if (word == "inf" || word == "auto") return kUccInfinite;
  std::string_view rest = word;
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n"), rest.size()));
  if (rest.starts_with('+')) rest.remove_prefix(1);
  const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  const auto value = parse_number<std::uint64_t>(rest.substr(0, end));
  if (!value) return std::nullopt;
  rest.remove_prefix(end);
  if (rest.empty()) return value;
  constexpr std::string_view kUnits = "bkmgt";
  const std::size_t unit = kUnits.find(rest[0]);
  if (unit == std::string_view::npos || (rest.size() > 1 && rest[1] != 'b')) return std::nullopt;
  const unsigned shift = 10 * static_cast<unsigned>(unit);
  return *value > (kUccInfinite >> shift) ? kUccInfinite : *value << shift;
}

template <typename Names, typename Name>
std::optional<std::vector<std::size_t>> places(std::string_view text, const Names& names,
                                               const Name& name_of) {
  std::vector<std::size_t> found;
  for (const std::string_view piece : ucc_pieces(text, ',')) {
    const std::string word = lower(piece);
    const auto* at =
        std::ranges::find_if(names, [&](const auto& one) { return name_of(one) == word; });
    if (at == std::end(names)) return std::nullopt;
    found.push_back(static_cast<std::size_t>(at - std::begin(names)));
  }
  if (found.empty()) return std::nullopt;
  return found;
}

std::optional<std::vector<UccRange>> read_sizes(std::string_view text) {
  std::vector<UccRange> sizes;
  for (const std::string_view piece : ucc_pieces(text, ',')) {
    const auto ends = ucc_pieces(piece, '-');
    if (ends.size() != 2) return std::nullopt;
    const auto begin = memory_units(ends[0]);
    const auto end = memory_units(ends[1]);
    if (!begin || !end) return std::nullopt;
    sizes.push_back({*begin, *end});
  }
  if (sizes.empty()) return std::nullopt;
  return sizes;
}

std::optional<std::vector<Span>> read_teams(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  std::vector<Span> teams;
  for (const std::string_view piece : ucc_pieces(text.substr(1, text.size() - 2), ',')) {
    const auto ends = ucc_pieces(piece, '-');
    if (ends.empty() || ends.size() > 2 || !are_digits(ends[0])) return std::nullopt;
    const auto least = infinite_or(ends[0]);
    const auto most = infinite_or(ends.back());
    if (!most || *most < *least) return std::nullopt;
    teams.push_back({*least, *most});
  }
  if (teams.empty()) return std::nullopt;
  return teams;
}

template <typename Value, typename Read>
bool take(std::optional<Value>& field, std::string_view text, const Read& read) {
  if (!field) field = read(text);
  return field.has_value();
}

}  // namespace

bool read_ucc_field(std::string_view text, UccToken& token) {
  const UccToken before = token;
  const auto word = [](const UccCollective& one) { return one.word; };
  const auto same = [](std::string_view one) { return one; };
  if (!before.collectives && take(token.collectives, text, [&](std::string_view one) {
        return places(one, kUccCollectives, word);
      }))
    return true;
  if (!before.memory && take(token.memory, text, [&](std::string_view one) {
        const std::string joined = lower(one);
        if (joined == "cudamanaged") return std::optional(std::vector<std::size_t>{2});
        if (joined == "rocmmanaged") return std::optional(std::vector<std::size_t>{4});
        return places(one, kUccMemoryTypes, same);
      }))
    return true;
  if (!before.score && take(token.score, text, infinite_or)) return true;
  if (!before.sizes && take(token.sizes, text, read_sizes)) return true;
  if (!before.teams && take(token.teams, text, read_teams)) return true;
  if (before.algorithm || !text.starts_with('@')) return false;
  token.algorithm = text.substr(1);
  return true;
}

}  // namespace colltree
