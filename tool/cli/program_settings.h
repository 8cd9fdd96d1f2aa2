// SPDX-License-Identifier: BSD-3-Clause
// The variables and parameters that a command sets for its ranks, apart from its other words, and
// commands between two that differ only in these.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace colltree::cli {

// The option of the launcher that sets it, "" where NAME=VALUE stands before the command; its name.
using SettingKey = std::pair<std::string, std::string>;

using SettingKeys = std::vector<SettingKey>;

struct CommandParts {
  std::map<SettingKey, std::vector<std::string>> settings;  // the words of each
  std::vector<std::string> rest;
};

// NAME=VALUE in front, also behind a word `env`, and up to the end of the launcher's options or the
// first ':': -x NAME=VALUE, --mca NAME VALUE, -genv NAME VALUE and the like.
CommandParts command_parts(std::vector<std::string> words);
// Behind `env` where variables stand in front; the launcher's options of settings come first.
std::vector<std::string> command_words(const CommandParts& parts);

// Throws UsageError where other words differ too, or nothing does.
SettingKeys differing_settings(const CommandParts& a, const CommandParts& b);

// The command a with these settings as b has them.
CommandParts with_settings_of(CommandParts a, const CommandParts& b, const SettingKeys& keys);

// "NAME=VALUE" as b has it; "without NAME=VALUE" where only a has it.
std::string setting_text(const SettingKey& key, const CommandParts& a, const CommandParts& b);

// Delta debugging (Zeller and Hildebrandt, 2002): which of several settings make an effect that all
// of them together have, also where some matter only together. Halves are left out first, then
// smaller parts. Returns settings that explain it, and none of which does alone, unless it stands
// alone; and where no setting hides the effect of another, none can be left out. `explains` is
// not asked for all settings, but for some sets twice.
using Explains = std::function<bool(const SettingKeys&)>;
SettingKeys smallest_explaining(SettingKeys left, const Explains& explains);

}  // namespace colltree::cli
