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
    const CLI::App& app, const Path& path,
    const std::function<void(const Path&, const CLI::App&, const CLI::Option&)>& see) {
  for (const CLI::Option* option : app.get_options()) see(path, app, *option);
  for (const CLI::App* sub : app.get_subcommands({})) {
    Path longer = path;
    longer.push_back(sub->get_name());
    for_each_option(*sub, longer, see);
  }
}

// The command with this value for the option, and words for the positional arguments before it.
std::vector<std::string> words_with(const Path& path, const CLI::App& app,
                                    const CLI::Option& option, const std::string& value) {
  std::vector<std::string> words = path;
  if (option.nonpositional()) {
    words.push_back(option.get_name());
  } else {
    for (const CLI::Option* before : app.get_options()) {
      if (before == &option) break;
      if (before->get_positional()) words.emplace_back("1");
    }
  }
  words.push_back(value);
  return words;
}

void expect_refused(const Path& path, const CLI::App& app, const CLI::Option& option,
                    const std::string& value, const std::string& what) {
  const Outcome outcome = colltree_run(words_with(path, app, option, value));
  const std::string where =
      ::testing::PrintToString(path) + " " + option.get_name() + " '" + value + "'";
  EXPECT_EQ(outcome.exit_code, 2) << where;
  EXPECT_EQ(outcome.out, "") << where;
  EXPECT_THAT(outcome.err, ::testing::StartsWith("colltree: " + option.get_name() + ": " + what))
      << where;
}

bool is_sizes(const CLI::Option& option) {
  return option.get_type_name().starts_with("TEXT:SIZES");
}

bool is_number(const CLI::Option& option) {
  return is_sizes(option) || option.get_type_name().starts_with("UINT") ||
         option.get_type_name().starts_with("FLOAT");
}

TEST(Bounds, EveryNumberRefusesWhatIsNone) {
  std::size_t numbers = 0;
  for_each_option(
      *whole_program(), {}, [&](const Path& path, const CLI::App& app, const CLI::Option& option) {
        if (!is_number(option)) return;
        ++numbers;
        for (const char* bad : {"", "-1", "-18446744073709551615", "nan", "inf", "1e999", "abc",
                                "5 5", "0x10", "18446744073709551616"}) {
          expect_refused(path, app, option, bad, is_sizes(option) ? "'" : "expected ");
        }
      });
  EXPECT_GT(numbers, 50U);
}

// What only a seed may be.
TEST(Bounds, EveryNumberHasAMost) {
  for_each_option(*whole_program(), {},
                  [&](const Path& path, const CLI::App& app, const CLI::Option& option) {
                    const std::string name = option.get_name();
                    if (is_number(option) && name != "message_size")
                      expect_refused(path, app, option, "18446744073709551615", "expected ");
                  });
}

TEST(Bounds, NoValueMayBeEmpty) {
  for_each_option(*whole_program(), {},
                  [&](const Path& path, const CLI::App& app, const CLI::Option& option) {
                    if (option.get_type_name().starts_with("TEXT"))
                      expect_refused(path, app, option, "", "");
                  });
}

}  // namespace
}  // namespace colltree::cli
