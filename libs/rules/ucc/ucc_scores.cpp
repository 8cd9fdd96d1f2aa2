// SPDX-License-Identifier: BSD-3-Clause
#include "rules/ucc/ucc_scores.h"

#include <fmt/core.h>

#include <utility>

#include "base/text.h"

namespace colltree::rules {

namespace {

constexpr std::pair<Collective, std::string_view> kUccWords[] = {
    {Collective::kReduceScatterBlock, "reduce_scatter"},
    {Collective::kReduceScatter, "reduce_scatterv"}};

// "0..4095", "32K..inf" or "1000".
bool holds(std::string_view range, std::uint64_t bytes) {
  const std::size_t dots = range.find("..");
  const auto least = parse_bytes(range.substr(0, dots));
  const std::string_view end = dots == range.npos ? range : range.substr(dots + 2);
  const auto most = end == "inf" ? UINT64_MAX : parse_bytes(end);
  return least && most && *least <= bytes && bytes <= *most;
}

// The words are like "{0..4095}:TL_UCP:10"; finds that for this size.
std::string row_for(std::string_view words, std::uint64_t bytes) {
  for (const std::string_view word : split(words, ' ')) {
    const std::vector<std::string_view> fields = split(word, ':');
    if (fields.size() < 3 || !fields[0].starts_with('{') || !fields[0].ends_with('}')) continue;
    const std::string_view range = fields[0].substr(1, fields[0].size() - 2);
    if (!holds(range, bytes)) continue;
    return fmt::format("UCC's score table: {} with score {} carries out {} bytes of host memory",
                       fields[1], fields[2], range);
  }
  return "";
}

}  // namespace

std::string_view ucc_word(Collective collective) {
  for (const auto& [renamed, word] : kUccWords) {
    if (renamed == collective) return word;
  }
  return name(collective);
}

std::string ucc_score(Collective collective, std::uint64_t bytes,
                      std::span<const std::string> lines) {
  constexpr std::string_view kHost = "Host: ";
  const std::string title = concat(ucc_word(collective), ":");
  std::string row;
  bool is_wanted = false;
  for (const std::string& line : lines) {
    const std::string_view text = trim(line);
    const std::string last_word = lower(text.substr(text.rfind(' ') + 1));
    if (last_word.ends_with(':')) is_wanted = last_word == title;
    const std::size_t host = text.find(kHost);
    if (is_wanted && host != text.npos) row = row_for(text.substr(host + kHost.size()), bytes);
  }
  return row;
}

}  // namespace colltree::rules
