// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "cli/run_command.h"

namespace colltree::cli {

namespace {

using Words = std::vector<std::string>;

// NAME=VALUE, as a shell takes it for a variable.
bool is_assignment(std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  return name.size() < word.size() && !name.empty() && name.front() != '-' &&
         std::isdigit(static_cast<unsigned char>(name.front())) == 0 &&
         std::ranges::all_of(name,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

// Takes NAME=VALUE for a setting that `option` gives. False: NAME alone hands on what is inherited.
bool take(const std::string& option, const std::string& word, CommandParts& parts) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos) return false;
  parts.settings[{option, word.substr(0, equals)}] = word.substr(equals + 1);
  return true;
}

// The number of words at the place that are a setting, and are taken; 0: none.
std::size_t take_option(const Words& words, std::size_t place, std::size_t end,
                        CommandParts& parts) {
  const std::size_t values = words_of_setting(words[place]);
  if (values == 0 || place + values >= end) return 0;
  const std::string value = values == 2 ? "=" + words[place + 2] : "";
  return take(words[place], words[place + 1] + value, parts) ? 1 + values : 0;
}

}  // namespace

CommandParts command_parts(const Words& words) {
  CommandParts parts;
  std::size_t begin = !words.empty() && words.front() == "env" ? 1 : 0;
  while (begin < words.size() && is_assignment(words[begin]) && take("", words[begin], parts))
    ++begin;
  if (parts.settings.empty()) begin = 0;  // options of env
  const Words behind(words.begin() + static_cast<std::ptrdiff_t>(begin), words.end());
  const std::size_t launcher = find_launcher(behind);
  const std::size_t end = end_of_options(behind, launcher + 1);
  for (std::size_t i = 0; i < behind.size();) {
    const std::size_t taken = i > launcher && i < end ? take_option(behind, i, end, parts) : 0;
    if (taken == 0) parts.rest.push_back(behind[i]);
    i += std::max<std::size_t>(taken, 1);
  }
  return parts;
}

Words command_words(const CommandParts& parts) {
  Words front, options;
  for (const auto& [key, value] : parts.settings) {
    const auto& [option, name] = key;
    const Words assignment = {fmt::format("{}={}", name, value)};
    if (!option.empty()) options.push_back(option);
    const Words& words = words_of_setting(option) == 2 ? Words{name, value} : assignment;
    Words& place = option.empty() ? front : options;
    place.insert(place.end(), words.begin(), words.end());
  }
  Words words = parts.rest;
  const auto behind_launcher =
      static_cast<std::ptrdiff_t>(std::min(find_launcher(words) + 1, words.size()));
  words.insert(words.begin() + behind_launcher, options.begin(), options.end());
  if (!front.empty()) front.insert(front.begin(), "env");
  words.insert(words.begin(), front.begin(), front.end());
  return words;
}

std::vector<SettingKey> differing_settings(const CommandParts& a, const CommandParts& b) {
  if (a.rest != b.rest)
    throw UsageError(
        fmt::format("--bisect: '{}' and '{}' differ in more than variables and parameters; give "
                    "both the same other words",
                    join(a.rest, " "), join(b.rest, " ")));
  std::set<SettingKey> keys;
  for (const auto& [mine, theirs] :
       {std::pair(&a.settings, &b.settings), std::pair(&b.settings, &a.settings)}) {
    for (const auto& [key, value] : *mine) {
      const auto found = theirs->find(key);
      if (found == theirs->end() || found->second != value) keys.insert(key);
    }
  }
  if (keys.empty())
    throw UsageError(
        "--bisect: no variable or parameter differs; write them in front of the command or as the "
        "launcher's options: -x, --mca, -genv");
  return {keys.begin(), keys.end()};
}

CommandParts with_settings_of(CommandParts a, const CommandParts& b,
                              const std::vector<SettingKey>& keys) {
  for (const SettingKey& key : keys) {
    const auto in_b = b.settings.find(key);
    a.settings.erase(key);
    if (in_b != b.settings.end()) a.settings.insert(*in_b);
  }
  return a;
}

std::string setting_text(const SettingKey& key, const CommandParts& a, const CommandParts& b) {
  const auto in_b = b.settings.find(key);
  const bool is_there = in_b != b.settings.end();
  return fmt::format("{}{}={}", is_there ? "" : "without ", key.second,
                     is_there ? in_b->second : a.settings.at(key));
}

}  // namespace colltree::cli
