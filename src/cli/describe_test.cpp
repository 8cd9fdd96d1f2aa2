// SPDX-License-Identifier: BSD-3-Clause
// The man page and what shells complete hold every command and every option: they are made of the
// same declarations, and this is the proof that none is forgotten on the way.
#include <fmt/core.h>
#include <gmock/gmock.h>

#include <functional>

#include "base/input.h"
#include "base/test_scratch.h"
#include "base/text.h"
#include "cli/test_run.h"

namespace colltree::cli {
namespace {

using ::testing::HasSubstr;

using See = std::function<void(const CommandLine& line, const std::string& path)>;

void for_all_commands(const CommandLine& line, const std::string& path, const See& see) {
  if (!path.empty()) see(line, path);
  for (const CommandLine* sub : line.subcommands())
    for_all_commands(*sub, path.empty() ? sub->name() : path + " " + sub->name(), see);
}

std::string described(const std::string& form) {
  const Outcome outcome = colltree_run({"describe", form});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

std::string with_hyphens(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

TEST(Describe, TheManPageHasEveryCommandAndOption) {
  const std::string page = described("man");
  EXPECT_THAT(page, ::testing::StartsWith(".TH COLLTREE 1"));
  std::size_t options = 0;
  for_all_commands(*command_line(), "", [&](const CommandLine& line, const std::string& path) {
    const std::size_t at = page.find(".SS colltree " + with_hyphens(path) + "\n");
    ASSERT_NE(at, std::string::npos) << path;
    const std::string section = page.substr(at, page.find("\n.SS ", at) - at);
    if (!line.subcommands().empty()) return;
    for (const Option* option : line.options()) {
      ++options;
      EXPECT_THAT(section, HasSubstr("\\fB" + with_hyphens(join(option->names(), ", ")) + "\\fR"));
    }
  });
  EXPECT_GT(options, 100U);
}

// The lists of words of the bash script, command by command.
TEST(Describe, BashKnowsEveryCommandAndOption) {
  const std::string script = described("bash");
  for_all_commands(*command_line(), "", [&](const CommandLine& line, const std::string& path) {
    std::string names = "--help";
    for (const Option* option : line.options()) {
      if (!option->is_positional()) names += " " + join(option->names(), " ");
    }
    EXPECT_THAT(script, HasSubstr(fmt::format("'{}') options='{}' commands=", path, names)));
  });
  EXPECT_THAT(script, HasSubstr("'import --format') COMPREPLY=($(compgen -W 'osu imb nccl-tests "
                                "reprompi ompi-tuning pico csv kit'"));
  EXPECT_THAT(script, HasSubstr("'import -o'|'import --output') COMPREPLY=($(compgen -f"));
}

TEST(Describe, ZshKnowsEveryCommandAndOption) {
  const std::string script = described("zsh");
  EXPECT_THAT(script, ::testing::StartsWith("#compdef colltree\n"));
  for_all_commands(*command_line(), "", [&](const CommandLine& line, const std::string& path) {
    const std::size_t at = script.find("    '" + path + "')\n");
    ASSERT_NE(at, std::string::npos) << path;
    const std::string section = script.substr(at, script.find("      ;;\n", at) - at);
    for (const CommandLine* sub : line.subcommands())
      EXPECT_THAT(section, HasSubstr("'" + sub->name() + ":"));
    if (!line.subcommands().empty()) return;
    for (const Option* option : line.options()) {
      if (option->is_positional()) continue;
      for (const std::string& name : option->names())
        EXPECT_THAT(section, HasSubstr("'*" + name + "[")) << path;
    }
  });
  EXPECT_THAT(script, HasSubstr(":value:(osu imb nccl-tests reprompi ompi-tuning pico csv kit)'"));
}

TEST(Describe, IntoAFile) {
  const std::string file = fresh_path("colltree.1").string();
  const Outcome outcome = colltree_run({"describe", "man", "-o", file});
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_file(file), described("man"));
  EXPECT_THAT(colltree_run({"describe", "fish"}).err,
              ::testing::StartsWith("colltree: form: expected man, bash or zsh, got 'fish'"));
}

}  // namespace
}  // namespace colltree::cli
