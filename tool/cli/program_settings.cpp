// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <regex>

#include "base/error.h"
#include "base/text.h"
#include "cli/run_command.h"

namespace colltree::cli {

namespace {

using Words = std::vector<std::string>;

std::string name_in(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

// NAME=VALUE, as a shell takes it for a variable.
bool is_assignment(const std::string& word) {
  static const std::regex kBegin("^[A-Za-z_][A-Za-z_0-9]*=");
  return std::regex_search(word, kBegin);
}

// The words of a launcher's option that begin here and are a setting. None: it is another, or it
// has a NAME alone, which hands on what is inherited.
Words setting_at(const Words& words, std::size_t place, std::size_t end) {
  const std::size_t values = words_of_setting(words[place]);
  if (values == 0 || place + values >= end) return {};
  if (values == 1 && words[place + 1].find('=') == std::string::npos) return {};
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(place);
  return {begin, begin + static_cast<std::ptrdiff_t>(1 + values)};
}

}  // namespace

CommandParts command_parts(Words words) {
  CommandParts parts;
  auto word = words.begin() + (words.front() == "env" ? 1 : 0);
  for (; word != words.end() && is_assignment(*word); ++word)
    parts.settings[{"", name_in(*word)}] = {*word};
  if (!parts.settings.empty()) words.erase(words.begin(), word);  // else: options of env
  const std::size_t launcher = find_launcher(words);
  const std::size_t end = end_of_options(words, launcher + 1);
  for (std::size_t i = 0; i < words.size();) {
    const Words setting = i > launcher && i < end ? setting_at(words, i, end) : Words();
    if (setting.empty())
      parts.rest.push_back(words[i]);
    else
      parts.settings[{setting[0], name_in(setting[1])}] = setting;
    i += std::max<std::size_t>(setting.size(), 1);
  }
  return parts;
}

Words command_words(const CommandParts& parts) {
  Words front, options;
  for (const auto& [key, words] : parts.settings)
    std::ranges::copy(words, std::back_inserter(key.first.empty() ? front : options));
  if (!front.empty()) front.insert(front.begin(), "env");
  const std::size_t launcher = find_launcher(parts.rest);
  for (std::size_t i = 0; i < parts.rest.size(); ++i) {
    front.push_back(parts.rest[i]);
    if (i == launcher) std::ranges::copy(options, std::back_inserter(front));
  }
  return front;
}

SettingKeys differing_settings(const CommandParts& a, const CommandParts& b) {
  if (a.rest != b.rest)
    throw UsageError(
        fmt::format("--bisect: '{}' and '{}' differ in more than variables and parameters; give "
                    "both the same other words",
                    join(a.rest, " "), join(b.rest, " ")));
  std::map<SettingKey, Words> changed;
  std::ranges::set_symmetric_difference(a.settings, b.settings,
                                        std::inserter(changed, changed.end()));
  if (changed.empty())
    throw UsageError(
        "--bisect: no variable or parameter differs; write them in front of the command or as the "
        "launcher's options: -x, --mca, -genv");
  const auto keys = std::views::keys(changed);
  return {keys.begin(), keys.end()};
}

CommandParts with_settings_of(CommandParts a, const CommandParts& b, const SettingKeys& keys) {
  for (const SettingKey& key : keys) {
    const auto in_b = b.settings.find(key);
    a.settings.erase(key);
    if (in_b != b.settings.end()) a.settings.insert(*in_b);
  }
  return a;
}

std::string setting_text(const SettingKey& key, const CommandParts& a, const CommandParts& b) {
  const bool is_there = b.settings.contains(key);
  const Words& words = (is_there ? b : a).settings.at(key);
  const Words said(words.begin() + (key.first.empty() ? 0 : 1), words.end());
  return (is_there ? "" : "without ") + join(said, "=");
}

SettingKeys smallest_explaining(SettingKeys left, const Explains& explains) {
  for (std::ptrdiff_t size = std::ssize(left) / 2; size > 0; size /= 2) {
    for (std::ptrdiff_t begin = 0; begin < std::ssize(left) && std::ssize(left) > size;) {
      SettingKeys rest = left;
      rest.erase(rest.begin() + begin, rest.begin() + std::min(begin + size, std::ssize(left)));
      const bool is_spared = explains(rest);
      if (is_spared) left = rest;
      if (!is_spared) begin += size;
    }
  }
  if (left.size() == 1) return left;
  const auto alone =
      std::ranges::find_if(left, [&](const SettingKey& key) { return explains({key}); });
  return alone == left.end() ? left : SettingKeys{*alone};
}

}  // namespace colltree::cli
