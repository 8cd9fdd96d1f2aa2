// SPDX-License-Identifier: BSD-3-Clause
// Words of .names, .data and .test as release 8 reads them (reference/c45-release8.md, section 2):
// a word ends at ':' ',' newline, a comment '|', the end, or a '.' followed by white space or '|';
// '\x' is x itself; a run of blanks inside a word is one blank.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace colltree::c45 {

struct Word {
  std::string text;
  char delimiter = 0;  // ':' ',' '.' '\n' '|' or 0 for the end of the file
  std::size_t line = 0;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // The next word, possibly empty; nothing at the end of the file.
  std::optional<Word> next();
  std::size_t line() const { return line_; }

 private:
  int peek() const {
    return position_ < text_.size() ? static_cast<unsigned char>(text_[position_]) : -1;
  }
  int take();
  void skip_comment();
  bool skip_space();
  bool take_dot(Word& word);

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t line_ = 1;
};

}  // namespace colltree::c45
