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

// The words at the place that are a setting, and are taken; 0: none.
std::size_t take_option(const Words& words, std::size_t place, std::size_t end,
                        CommandParts& parts) {
  const std::size_t taken = words_of_setting(words[place]);
  if (taken == 0 || place + taken >= end) return 0;
  if (taken == 1) return take(words[place], words[place + 1], parts) ? 2 : 0;
  parts.settings[{words[place], words[place + 1]}] = words[place + 2];
  return 1 + taken;
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
    const std::string assignment = fmt::format("{}={}", name, value);
    if (option.empty()) {
      front.push_back(assignment);
    } else if (words_of_setting(option) == 1) {
      options.insert(options.end(), {option, assignment});
    } else {
      options.insert(options.end(), {option, name, value});
    }
  }
  Words words = parts.rest;
  const auto behind_launcher =
      static_cast<std::ptrdiff_t>(std::min(find_launcher(words) + 1, words.size()));
  words.insert(words.begin() + behind_launcher, options.begin(), options.end());
  words.insert(words.begin(), front.begin(), front.end());
  return words;
}

Words without_shell(Words words) {
  if (!words.empty() && is_assignment(words.front())) words.insert(words.begin(), "env");
  return words;
}

std::vector<SettingKey> differing_settings(const CommandParts& a, const CommandParts& b) {
  if (a.rest != b.rest)
    throw UsageError(
        fmt::format("--bisect: '{}' and '{}' differ in more than variables and parameters; give "
                    "both the same other words",
                    join(a.rest, " "), join(b.rest, " ")));
  std::set<SettingKey> keys;
  for (const CommandParts* parts : {&a, &b}) {
    for (const auto& [key, value] : parts->settings) keys.insert(key);
  }
  std::erase_if(keys, [&](const SettingKey& key) {
    const auto in_a = a.settings.find(key);
    const auto in_b = b.settings.find(key);
    return in_a != a.settings.end() && in_b != b.settings.end() && in_a->second == in_b->second;
  });
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
  const bool is_taken_away = in_b == b.settings.end();
  const std::string& value = is_taken_away ? a.settings.at(key) : in_b->second;
  const bool is_parameter = words_of_setting(key.first) == 2 && !key.first.ends_with("env");
  return fmt::format("{}{}", is_taken_away ? "without " : "",
                     is_parameter ? fmt::format("{} {} {}", key.first, key.second, value)
                                  : fmt::format("{}={}", key.second, value));
}

}  // namespace colltree::cli
