// SPDX-License-Identifier: BSD-3-Clause
// Every option of every command, as declared: what is no such value is refused with its name and
// what was expected, before anything is done. A new option is tested by being declared.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "cli/test_run.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;

using Path = std::vector<std::string>;

void for_each_option(
    const CommandLine& line, const Path& path,
    const std::function<void(const Path&, const CommandLine&, const Option&)>& see) {
  for (const Option* option : line.options()) see(path, line, *option);
  for (const CommandLine* sub : line.subcommands()) {
    Path longer = path;
    longer.push_back(sub->name());
    for_each_option(*sub, longer, see);
  }
}

// The command with this value for the option, and words for the positional arguments before it.
std::vector<std::string> words_with(const Path& path, const CommandLine& line, const Option& option,
                                    const std::string& value) {
  std::vector<std::string> words = path;
  if (!option.is_positional()) {
    words.push_back(option.name());
  } else {
    for (const Option* before : line.options()) {
      if (before == &option) break;
      if (before->is_positional()) words.emplace_back("1");
    }
  }
  words.push_back(value);
  return words;
}

void expect_refused(const Path& path, const CommandLine& line, const Option& option,
                    const std::string& value, const std::string& what) {
  const Outcome outcome = colltree_run(words_with(path, line, option, value));
  const std::string where =
      ::testing::PrintToString(path) + " " + option.name() + " '" + value + "'";
  EXPECT_EQ(outcome.exit_code, 2) << where;
  EXPECT_EQ(outcome.out, "") << where;
  EXPECT_THAT(outcome.err, ::testing::StartsWith("colltree: " + option.name() + ": " + what))
      << where;
}

TEST(Bounds, EveryNumberRefusesWhatIsNone) {
  std::size_t numbers = 0;
  for_each_option(
      *command_line(), {}, [&](const Path& path, const CommandLine& line, const Option& option) {
        if (option.kind() != ValueKind::kNumber) return;
        ++numbers;
        for (const char* bad : {"", "-1", "-18446744073709551615", "nan", "inf", "1e999", "abc",
                                "5 5", "0x10", "18446744073709551616"}) {
          const bool list = option.expected().starts_with("a list of sizes");
          expect_refused(path, line, option, bad, list ? "'" : "expected " + option.expected());
        }
      });
  EXPECT_GT(numbers, 50U);
}

// What only a seed may be.
TEST(Bounds, EveryNumberHasAMost) {
  for_each_option(*command_line(), {},
                  [&](const Path& path, const CommandLine& line, const Option& option) {
                    const bool any = option.name() == "--seed" || option.name() == "message_size";
                    if (option.kind() == ValueKind::kNumber && !any)
                      expect_refused(path, line, option, "18446744073709551615", "expected ");
                  });
}

TEST(Bounds, NoValueMayBeEmpty) {
  for_each_option(*command_line(), {},
                  [&](const Path& path, const CommandLine& line, const Option& option) {
                    if (option.kind() != ValueKind::kWord) return;
                    const bool chosen = !option.expected().empty();
                    expect_refused(path, line, option, "", "the value is empty");
                    if (chosen)
                      expect_refused(path, line, option, "-1", "expected " + option.expected());
                  });
}

}  // namespace
}  // namespace colltree::cli
