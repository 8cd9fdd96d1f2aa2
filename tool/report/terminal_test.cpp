// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include <cstdlib>

#include "report/test_maps.h"

namespace colltree::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::tiny_timings;

TEST(Terminal, PlainMapLooksLikeThatOfColltreeMap) {
  EXPECT_EQ(terminal_map(exact_map(tiny_timings()), {}),
            "          6 4\n"
            "        1 4 K\n"
            "     2  C C B\n"
            "     4  A A'B\n"
            "  A  Binomial_0K                   2 cells  33.3 %\n"
            "  B  Binomial_1K                   2 cells  33.3 %\n"
            "  C  Linear_0K                     2 cells  33.3 %\n"
            "  '  1 of 6 cells are interpolated\n");
}

TEST(Terminal, PenaltyByStep) {
  const Timings timings = tiny_timings();
  EXPECT_EQ(terminal_penalty(penalty_map(timings, default_penalty_points(timings)), {}),
            "          6 4\n"
            "        1 4 K\n"
            "     2  . - #\n"
            "     4  * ? #\n"
            "  .  below 5 %                     1 cells  16.7 %\n"
            "  -  5 to 10 %                     1 cells  16.7 %\n"
            "  *  25 to 50 %                    1 cells  16.7 %\n"
            "  #  50 % and more                 2 cells  33.3 %\n"
            "  ?  not measured                  1 cells  16.7 %\n");
}

TEST(Terminal, ColoursOnlyWhereTheyAreWanted) {
  const MethodMap map = exact_map(tiny_timings());
  EXPECT_THAT(terminal_map(map, {TerminalColours::kNone, 0}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(terminal_map(map, {TerminalColours::k256, 0}), HasSubstr("\x1b[48;5;"));
  EXPECT_THAT(terminal_map(map, {TerminalColours::kAll, 0}), HasSubstr("\x1b[48;2;"));
  std::FILE* pipe = std::tmpfile();
  ::unsetenv("NO_COLOR");
  ::setenv("COLORTERM", "truecolor", 1);
  ::unsetenv("CLICOLOR_FORCE");
  EXPECT_EQ(terminal_of(pipe).colours, TerminalColours::kNone);
  ::setenv("CLICOLOR_FORCE", "1", 1);
  EXPECT_EQ(terminal_of(pipe).colours, TerminalColours::kAll);
  ::unsetenv("COLORTERM");
  EXPECT_EQ(terminal_of(pipe).colours, TerminalColours::k256);
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(terminal_of(pipe).colours, TerminalColours::kNone);
  ::unsetenv("NO_COLOR");
  ::unsetenv("CLICOLOR_FORCE");
  std::fclose(pipe);
}

TEST(Terminal, NarrowOnesGetOneCharacterACell) {
  EXPECT_THAT(terminal_map(exact_map(tiny_timings()), {TerminalColours::kNone, 13}),
              HasSubstr("\n     2  "));
}

TEST(Terminal, Tree) {
  model::RuleTree tree;
  tree.methods = {{"linear", 0}, {"binomial", 1024}};
  tree.roots = {{Collective::kBcast, 0}};
  tree.nodes = {{.attribute = Attribute::kMessageSize, .threshold = 2048, .low = 1, .high = 2},
                {.method = 0},
                {.attribute = Attribute::kCommunicatorSize, .threshold = 9, .low = 3, .high = 4},
                {.method = 0},
                {.method = 1}};
  EXPECT_EQ(terminal_tree(tree, {}),
            "bcast\n"
            "  message \u2264 2K\n"
            "  \u251c\u2500 yes: Linear_0K\n"
            "  \u2514\u2500 no: ranks \u2264 9\n"
            "     \u251c\u2500 yes: Linear_0K\n"
            "     \u2514\u2500 no: Binomial_1K\n");
}

TEST(Terminal, TestsAreWritten) {
  const auto text = [](Attribute attribute, std::uint64_t threshold) {
    const model::RuleNode node{.attribute = attribute, .threshold = threshold, .low = 1, .high = 2};
    return fmt::format("{} low: {}", test_text(node), branch_text(node, true));
  };
  EXPECT_EQ(text(Attribute::kCommunicatorSize, 9), "ranks \u2264 9 low: yes");
  EXPECT_EQ(text(Attribute::kMessageSize, 2048), "message \u2264 2K low: yes");
  EXPECT_EQ(text(Attribute::kMessageSize, 0), "message \u2264 0 low: yes");
  EXPECT_EQ(text(Attribute::kNodes, 2048), "nodes \u2264 2048 low: yes");
  EXPECT_EQ(text(Attribute::kRanksPerNode, 4), "ranks per node \u2264 4 low: yes");
  EXPECT_EQ(text(Attribute::kCommunicatorSizeIsPowerOfTwo, 0), "power of two? low: no");
  EXPECT_EQ(text(Attribute::kMessageSizeIsEven, 0), "even message size? low: no");
  EXPECT_EQ(text(Attribute::kMessageSizeIsEven, 1), "even message size \u2264 1 low: yes");
}

// More methods than colours: letters tell them apart.
TEST(Terminal, EightColours) {
  MethodMap map{.communicator_sizes = {2}, .message_sizes = {}, .methods = {}, .interpolated = {}};
  for (std::uint64_t size = 0; size < 9; ++size) {
    map.message_sizes.push_back(1 + size);
    map.methods.push_back({"m" + std::to_string(size), 0});
  }
  const std::string text = terminal_map(map, {TerminalColours::kAll, 0});
  EXPECT_THAT(text, HasSubstr("\x1b[48;2;230;159;0;38;5;16mA \x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[48;2;0;114;178;38;5;231mE \x1b[0m"));
  EXPECT_THAT(text, HasSubstr("\x1b[48;2;230;159;0;38;5;16mI \x1b[0m"));
}

}  // namespace
}  // namespace colltree::report
