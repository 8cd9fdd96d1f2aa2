// SPDX-License-Identifier: BSD-3-Clause
#include "release8/lexer.h"

namespace colltree::c45 {

namespace {

bool is_space(int c) { return c == ' ' || c == '\n' || c == '\t'; }

}  // namespace

int Lexer::take() {
  const int c = peek();
  if (c >= 0) ++position_;
  if (c == '\n') ++line_;
  return c;
}

void Lexer::skip_comment() {
  while (peek() >= 0 && peek() != '\n') take();
}

// False at the end of the file.
bool Lexer::skip_space() {
  while (is_space(peek()) || peek() == '|') {
    if (take() == '|') skip_comment();
  }
  return peek() >= 0;
}

// After a '.': true when it ended the word. Otherwise the dot and the character behind it belong to
// the word, even if that is a delimiter or (as 0xFF) the end of the file: release 8's quirk.
bool Lexer::take_dot(Word& word) {
  const int behind = peek();
  if (is_space(behind) || behind == '|') return true;
  take();
  word.text += '.';
  word.text += static_cast<char>(behind);
  return false;
}

std::optional<Word> Lexer::next() {
  if (!skip_space()) return std::nullopt;
  Word word;
  word.line = line_;
  for (;;) {
    const int c = take();
    if (c < 0) break;
    if (c == ':' || c == ',' || c == '\n' || c == '|') {
      word.delimiter = static_cast<char>(c);
      if (c == '|') skip_comment();
      break;
    }
    if (c == '.') {
      if (!take_dot(word)) continue;
      word.delimiter = '.';
      break;
    }
    if (c == '\\') {
      if (const int literal = take(); literal >= 0) word.text += static_cast<char>(literal);
      continue;
    }
    word.text += static_cast<char>(c);
    while (c == ' ' && peek() == ' ') take();
  }
  while (!word.text.empty() && is_space(static_cast<unsigned char>(word.text.back()))) {
    word.text.pop_back();
  }
  return word;
}

}  // namespace colltree::c45
