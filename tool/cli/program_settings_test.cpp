// SPDX-License-Identifier: BSD-3-Clause
#include "cli/program_settings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/error.h"
#include "base/text.h"
#include "cli/test_run.h"
#include "measure/installed_library.h"

namespace colltree::cli {
namespace {

CommandParts parts_of(const std::string& command) {
  return command_parts(measure::split_command(command, "--a"));
}

TEST(ProgramSettings, AreTakenFromBeforeTheCommandAndFromTheLauncher) {
  // The command; its settings as OPTION NAME=VALUE, in their order; its other words.
  constexpr const char* kRows[][3] = {
      {"./a", "", "./a"},
      {"mpirun -n 2 ./a", "", "mpirun -n 2 ./a"},
      {"X=1 Y='a b' mpirun -n 2 a X=3", " X=1, Y=a b", "mpirun -n 2 a X=3"},
      {"env X=1 mpirun a", " X=1", "mpirun a"},
      {"env -u X mpirun a", "", "env -u X mpirun a"},
      {"X= ./a", " X=", "./a"},
      {"1X=2 ./a", "", "1X=2 ./a"},
      {"mpirun --mca btl tcp,self -x U=1 -n 2 a -x V=1", "--mca btl=tcp,self,-x U=1",
       "mpirun -n 2 a -x V=1"},
      {"mpirun -x PATH -n 2 a", "", "mpirun -x PATH -n 2 a"},
      {"mpiexec -genv U 1 -n 2 a", "-genv U=1", "mpiexec -n 2 a"},
      {"mpirun -n 1 -x U=1 a : -n 1 -x V=2 b", "-x U=1", "mpirun -n 1 a : -n 1 -x V=2 b"},
      {"mpirun --mca btl", "", "mpirun --mca btl"},
  };
  for (const auto& [command, settings, rest] : kRows) {
    const CommandParts parts = parts_of(command);
    std::vector<std::string> texts;
    for (const auto& [key, setting] : parts.settings)
      texts.push_back(key.first + " " + setting_text(key, parts, parts));
    EXPECT_EQ(join(texts, ","), settings) << command;
    EXPECT_EQ(join(parts.rest, " "), rest) << command;
    const CommandParts again = command_parts(command_words(parts));
    EXPECT_EQ(again.settings, parts.settings) << command;
    EXPECT_EQ(again.rest, parts.rest) << command;
  }
}

TEST(ProgramSettings, CommandsBetweenTwo) {
  const CommandParts a = parts_of("X=1 Y=1 GONE=1 mpirun -x U=1 -n 2 a");
  const CommandParts b = parts_of("X=2 Y=1 mpirun --mca btl tcp,self -x U=2 -n 2 a");
  const std::vector<SettingKey> keys = differing_settings(a, b);
  std::vector<std::string> texts;
  for (const SettingKey& key : keys) {
    texts.push_back(setting_text(key, a, b) + ": " +
                    join(command_words(with_settings_of(a, b, {key})), " "));
  }
  EXPECT_EQ(join(texts, "\n"),
            "without GONE=1: env X=1 Y=1 mpirun -x U=1 -n 2 a\n"
            "X=2: env GONE=1 X=2 Y=1 mpirun -x U=1 -n 2 a\n"
            "btl=tcp,self: env GONE=1 X=1 Y=1 mpirun --mca btl tcp,self -x U=1 -n 2 a\n"
            "U=2: env GONE=1 X=1 Y=1 mpirun -x U=2 -n 2 a");
  EXPECT_EQ(command_words(with_settings_of(a, b, keys)), command_words(b));
}

SettingKeys keys_of(const std::vector<std::size_t>& places) {
  SettingKeys keys;
  for (const std::size_t place : places)
    keys.push_back({"", std::string(1, static_cast<char>('a' + place))});
  return keys;
}

SettingKeys keys_to(std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return keys_of(places);
}

// `needed`: the settings that only together make the effect. Returns also the number of questions.
std::pair<SettingKeys, std::size_t> search(std::size_t count,
                                           const std::vector<std::size_t>& needed) {
  std::set<SettingKeys> seen;
  const SettingKeys found = smallest_explaining(keys_to(count), [&](const SettingKeys& keys) {
    seen.insert(keys);
    EXPECT_LT(keys.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    return std::ranges::includes(keys, keys_of(needed));
  });
  return {found, seen.size()};
}

TEST(Bisect, FindsEachSingleChangeByHalving) {
  for (std::size_t count = 1; count <= 9; ++count) {
    for (std::size_t culprit = 0; culprit < count; ++culprit)
      EXPECT_EQ(search(count, {culprit}).first, keys_of({culprit}));
  }
  EXPECT_LE(search(16, {11}).second, 8U);
}

TEST(Bisect, FindsChangesThatMatterOnlyTogether) {
  for (std::size_t count = 2; count <= 8; ++count) {
    for (std::size_t first = 0; first < count; ++first) {
      for (std::size_t second = first + 1; second < count; ++second)
        EXPECT_EQ(search(count, {first, second}).first, keys_of({first, second}));
    }
  }
  EXPECT_EQ(search(7, {0, 3, 6}).first, keys_of({0, 3, 6}));
  EXPECT_EQ(search(3, {0, 1, 2}).first, keys_of({0, 1, 2}));
}

TEST(Bisect, FindsWhatExplainsAlthoughSettingsAreNotIndependent) {
  const auto each_has_its_part = [](const SettingKeys& keys) { return keys.size() >= 3; };
  const auto either = [](const SettingKeys& keys) {
    return std::ranges::find_first_of(keys, keys_of({1, 4})) != keys.end();
  };
  // Beside 1 nothing has an effect, so leaving settings out ends with 0 and 2.
  const auto hidden = [](const SettingKeys& keys) {
    return keys == keys_of({0}) || keys == keys_of({0, 2, 3}) || keys == keys_of({0, 2});
  };
  EXPECT_EQ(smallest_explaining(keys_to(6), each_has_its_part), keys_of({3, 4, 5}));
  EXPECT_EQ(smallest_explaining(keys_to(5), either), keys_of({4}));
  EXPECT_EQ(smallest_explaining(keys_to(4), hidden), keys_of({0}));
}

TEST(ProgramSettings, WhatVerifyProgramRefuses) {
  const std::pair<std::vector<std::string>, const char*> rows[] = {
      {{"--a", "mpirun a", "--b", "mpirun b", "--bisect"},
       "--bisect: 'mpirun a' and 'mpirun b' differ in more than variables and parameters; give "
       "both the same other words"},
      {{"--a", "X=1 mpirun a", "--b", "X=1 mpirun a", "--bisect"},
       "--bisect: no variable or parameter differs; write them in front of the command or as the "
       "launcher's options: -x, --mca, -genv"},
      {{"--a", "'mpirun a", "--b", "mpirun a"}, "--a: the quote ' is not closed"},
      {{"--a", "mpirun a", "--b", " "}, "--b: is empty; write for example 'mpirun -np {ranks}'"},
      {{"--a", "a", "--b", "a", "--budget", "5%"},
       "--budget: expected a time (90s, 30m, 2h), got '5%'"},
      {{"--a", "a", "--b", "a", "--json", "-o", "f.csv"}, "--output and --json: give one of them"},
  };
  for (const auto& [options, message] : rows) {
    std::vector<std::string> words = {"verify", "program"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = colltree_run(words);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err.substr(0, outcome.err.find('\n')), std::string("colltree: ") + message);
    EXPECT_EQ(outcome.out, "");
  }
}

}  // namespace
}  // namespace colltree::cli
