// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/run_facts.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "profile/importers/log_lines.h"
#include "profile/importers/timing_rows.h"

namespace colltree::profile {

namespace {

constexpr std::size_t kMostText = 100;  // of one fact in a message

// A comment "# KEY: VALUE" whose key contains one of these words makes another run; dates, hosts
// and results do not.
constexpr std::string_view kKeys[] = {"type",    "operation", "mpi_op", "reduction",
                                      "memory",  "algorithm", "sync",   "transport",
                                      "library", "calling"};

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

// A variable assignment of a shell, NAME=VALUE.
bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  return std::ranges::all_of(word.substr(0, equals), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Repeated runs are often numbered and dated, so digits in such a line are no difference.
std::string without_counting(std::string_view line) {
  constexpr std::string_view kCounting[] = {"run", "rep", "iter", "trial", "round", "pass"};
  const std::string text = lower(line);
  const bool counts =
      has_digit(text) && (text.find(':') != std::string::npos ||
                          std::ranges::any_of(kCounting, [&](std::string_view word) {
                            return text.find(word) != std::string::npos;
                          }));
  if (!counts) return text;
  std::string plain;
  for (const char c : text)
    if (!has_digit({&c, 1})) plain += c;
  return plain;
}

}  // namespace

void RunFacts::say(const std::string& fact, std::string_view value) {
  if (value.ends_with('.')) value.remove_suffix(1);
  facts_[fact] = std::string(trim(value));
}

void RunFacts::head(std::string_view line) {
  std::string& head = facts_[kHeadingFact];
  if (std::exchange(is_head_old_, false)) head.clear();
  head += (head.empty() ? "" : " ") + without_counting(trim(line));
}

const Facts& RunFacts::take_row() {
  is_head_old_ = true;
  return facts_;
}

void RunFacts::read_comment(std::string_view text) {
  const std::size_t end = text.find_first_of(":=");
  if (end == std::string_view::npos) return;
  const std::string key = lower(trim(text.substr(0, end)));
  const bool is_known = std::ranges::any_of(
      kKeys, [&](std::string_view word) { return key.find(word) != std::string::npos; });
  if (is_known && !has_digit(key) && !trim(text.substr(end + 1)).empty())
    say(key, text.substr(end + 1));
}

// Reads "export A=1 B=2", "A=1" or "module load x", which hold until they are given again.
bool RunFacts::read_settings(std::string_view text) {
  std::vector<std::string_view> words = words_of(text);
  if (!words.empty() && (words[0] == "module" || words[0] == "ml")) {
    say("module", text);
    return true;
  }
  if (!words.empty() && words[0] == "export") words.erase(words.begin());
  if (words.empty() || !std::ranges::all_of(words, is_assignment)) return false;
  for (const std::string_view word : words) {
    const std::size_t equals = word.find('=');
    say(std::string(word.substr(0, equals)), word.substr(equals));
  }
  return true;
}

void RunFacts::read(std::string_view line) {
  constexpr std::string_view kRules = "=*-~";
  if (line.empty() || has_digit(line.substr(0, 1))) return;
  const bool has_text =
      std::ranges::any_of(lower(line), [](char c) { return c >= 'a' && c <= 'z'; });
  if (!has_text) return;
  if (kRules.find(line[0]) != std::string_view::npos &&
      line.substr(0, 3) == std::string(3, line[0]))
    return head(line);
  const bool is_comment = line.starts_with('#');
  const std::string_view text =
      trim(line.substr(std::min(line.find_first_not_of("+$>#@ \t"), line.size())));
  if (is_command_of_benchmark(words_of(text))) return say(kCommandFact, text);
  if (is_comment) return read_comment(text);
  read_settings(text);
}

std::string difference(const Facts& before, const Facts& now, bool of_files) {
  for (const auto& [fact, value] : now) {
    const bool tells_nothing = fact == kCommandFact || fact == kHeadingFact;
    const auto found = before.find(fact);
    if (found == before.end() || found->second == value || (of_files && tells_nothing)) continue;
    return printable(fmt::format("{} {} and {}", fact, found->second.substr(0, kMostText),
                                 value.substr(0, kMostText)));
  }
  return "";
}

}  // namespace colltree::profile
