// SPDX-License-Identifier: BSD-3-Clause
#include "report/terminal.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "report/test_picture.h"

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
  EXPECT_EQ(terminal_of(pipe, "auto").colours, TerminalColours::kNone);
  EXPECT_EQ(terminal_of(pipe, "always").colours, TerminalColours::kAll);
  ::unsetenv("COLORTERM");
  EXPECT_EQ(terminal_of(pipe, "always").colours, TerminalColours::k256);
  EXPECT_EQ(terminal_of(pipe, "never").colours, TerminalColours::kNone);
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

}  // namespace
}  // namespace colltree::report
