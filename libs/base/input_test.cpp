// SPDX-License-Identifier: BSD-3-Clause
// Pieces give what the whole gives, wherever it is cut.
#include "base/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace colltree {
namespace {

std::vector<std::string> lines_of(std::string_view text, std::size_t piece) {
  std::vector<std::string> lines;
  LineSplitter splitter("F", [&](std::string_view line) { lines.emplace_back(line); });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    splitter.add(text.substr(0, piece));
  }
  splitter.end();
  return lines;
}

TEST(Lines, TheSameWhereverTheTextIsCut) {
  const std::string text = "one\r\n\ntwo\nthree";
  const std::vector<std::string> expected = {"one", "", "two", "three"};
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    EXPECT_EQ(lines_of(text, piece), expected) << piece;
  }
  EXPECT_EQ(lines_of("a\n", 9).size(), 1U);
  EXPECT_EQ(lines_of("a\n\n", 9).size(), 2U);
  EXPECT_TRUE(lines_of("", 9).empty());
}

TEST(Lines, ALineWithoutEndIsRefusedBeforeItIsHeld) {
  const std::string zeros(1 << 16, '\0');
  LineSplitter splitter("F", [](std::string_view) {});
  splitter.add("a\n");
  std::string message;
  std::size_t pieces = 0;
  try {
    for (; pieces < 100; ++pieces) splitter.add(zeros);
  } catch (const ParseError& error) {
    message = error.what();
  }
  EXPECT_EQ(message, "F:2: this line is longer than 1M: the file is no table of text");
  EXPECT_EQ(pieces, 16U);
}

TEST(ContentHasher, OfPiecesIsThatOfTheWhole) {
  const std::string text(10000, 'x');
  for (const std::size_t piece : {1U, 7U, 255U, 4096U, 10000U}) {
    ContentHasher hasher;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      hasher.add(std::string_view(text).substr(at, piece));
    }
    EXPECT_EQ(hasher.hash(), content_hash(text)) << piece;
  }
  EXPECT_EQ(ContentHasher().hash(), content_hash(""));
}

}  // namespace
}  // namespace colltree
