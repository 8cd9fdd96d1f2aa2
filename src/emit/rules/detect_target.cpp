// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/detect_target.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "coll/collective.h"

namespace colltree {

namespace {

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "# For openmpi-4.1; columns: ..."
const RuleTarget* named_in_comments(std::string_view content) {
  for (const std::string_view line : split(content, '\n')) {
    const std::size_t at = line.find("For ");
    if (!trim(line).starts_with('#') || at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + 4);
    const std::string_view word = rest.substr(0, rest.find_first_of(" ;:,\r"));
    const auto targets = rule_targets();
    const auto found = std::ranges::find_if(
        targets, [&](const RuleTarget& one) { return std::string_view(one.name) == word; });
    if (found != targets.end()) return &*found;
  }
  return nullptr;
}

// Words without comments, up to this many.
std::vector<std::string_view> first_words(std::string_view content, std::size_t most) {
  std::vector<std::string_view> words;
  for (const std::string_view line : split(content, '\n')) {
    for (const std::string_view word : split(trim(line.substr(0, line.find('#'))), ' ')) {
      if (word.empty()) continue;
      words.push_back(word);
      if (words.size() == most) return words;
    }
  }
  return words;
}

bool begins_with_digit(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) != 0;
}

const RuleTarget* by_sign(std::string_view content) {
  const auto targets = rule_targets();
  const auto found = std::ranges::find_if(targets, [&](const RuleTarget& target) {
    return !target.sign.empty() && has(content, target.sign);
  });
  return found == targets.end() ? nullptr : &*found;
}

// The forms, the more telling first; the words are those of first_words. The form without targets
// stands for the formats whose row has a sign.
struct Form {
  std::string_view targets;  // of one form, the likeliest version first
  bool (*looks_so)(std::string_view content, std::span<const std::string_view> words);
};
using Words = std::span<const std::string_view>;
constexpr Form kForms[] = {
    {"rules-json",
     [](std::string_view content, Words words) {
       return words[0].starts_with('{') && has(content, "\"colltree rules\"");
     }},
    {"mpich-4.0 mpich-4.1 mpich-4.2",
     [](std::string_view content, Words) {
       return has(content, "collective=") && has(content, "{") &&
              (has(content, "algorithm") || has(content, "composition") || has(content, ":"));
     }},
    {"openmpi-6",
     [](std::string_view content, Words words) {
       return words[0].starts_with('{') &&
              (has(content, "\"collectives\"") || has(content, "\"rule_file_version\""));
     }},
    {"intel", [](std::string_view content, Words) { return has(content, "I_MPI_ADJUST_"); }},
    {"ucc-conf",
     [](std::string_view content, Words) {
       return has(content, "UCC_") && !has(content, "export UCC_") &&
              (content.starts_with('[') || has(content, "\n["));
     }},
    {"ucc ucc-1.5 ucc-1.4 ucc-1.3",
     [](std::string_view content, Words) { return has(content, "UCC_TL_UCP_TUNE"); }},
    {"ucc-conf", [](std::string_view content, Words) { return has(content, "UCC_"); }},
    {"", [](std::string_view content, Words) { return by_sign(content) != nullptr; }},
    {"rules-csv",
     [](std::string_view, Words words) { return words[0].starts_with("collective,"); }},
    {"nccl",
     [](std::string_view, Words words) {
       return std::ranges::count(words[0], ',') >= 4 && !begins_with_digit(words[0]);
     }},
    {"openmpi-5.0.7",
     [](std::string_view content, Words) { return content.starts_with("rule-file-version-"); }},
    {"openmpi-han",
     [](std::string_view, Words words) {
       return begins_with_digit(words[0]) && std::ranges::any_of(words, [](std::string_view word) {
                return word == "han" || word == "tuned" || find_collective(word);
              });
     }},
    {"openmpi-4.1 openmpi-5.0.7",
     [](std::string_view, Words words) { return words.size() > 1 && begins_with_digit(words[0]); }},
};

bool is_refused(const RuleTarget& target, std::string_view content) {
  const RuleFile file = target.read(target, content);
  return std::ranges::any_of(file.defects,
                             [](const Defect& one) { return one.severity == Severity::kError; });
}

}  // namespace

const RuleTarget* detect_target(std::string_view content) {
  constexpr std::size_t kWords = 64;
  if (const RuleTarget* named = named_in_comments(content)) return named;
  const std::vector<std::string_view> words = first_words(content, kWords);
  if (words.empty()) return nullptr;
  for (const Form& form : kForms) {
    if (!form.looks_so(content, words)) continue;
    if (form.targets.empty()) return by_sign(content);
    const std::vector<std::string_view> names = split(form.targets, ' ');
    for (const std::string_view name : names) {
      const RuleTarget& target = find_rule_target(name);
      if (names.size() > 1 && is_refused(target, content)) continue;
      return &target;
    }
    return &find_rule_target(names[0]);
  }
  return nullptr;
}

const RuleTarget& find_or_detect_target(std::string_view name, std::string_view content,
                                        const std::string& file) {
  if (!name.empty()) return find_rule_target(name);
  if (const RuleTarget* found = detect_target(content)) return *found;
  std::string names;
  for (const RuleTarget& one : rule_targets())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", one.name);
  throw UsageError(fmt::format(
      "{}: its content does not say which program reads it; give --for: {}", file, names));
}

}  // namespace colltree
