// SPDX-License-Identifier: BSD-3-Clause
// Reads a file as Open MPI's collective components do: a number is what fscanf("%li") takes
// (decimal, octal after 0, hexadecimal after 0x, a sign, and at most LONG_MAX); where none stands,
// one character is skipped, and with '#' the rest of its line. So "64K" is 64, "0@x 3" is 0 and 3,
// and "--5" is 5. Compared with the library itself in openmpi_own_reader_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

class ScannedFile {
 public:
  struct Number {
    std::int64_t value = 0;
    std::size_t line = 0;
    std::string_view text;  // as it stands in the file
  };
  struct Word {
    std::string_view text;
    std::size_t line = 0;
  };
  // A remark on text that was skipped, or that the library reads otherwise than it looks.
  struct Note {
    std::size_t line = 0;
    std::string text;
  };

  explicit ScannedFile(std::string_view content) : content_(content) {}

  // Returns nothing at the end of the file.
  std::optional<Number> number() { return scan(false); }
  // Reads a number like "%lu": decimal; a negative one wraps around by 2^64.
  std::optional<Number> size() { return scan(true); }
  // Up to the next blank, as "%32s" takes it; a word that begins with '#' is a comment.
  std::optional<Word> word();
  // Takes the character if it is the next one behind blanks, line ends and comments.
  bool take(char wanted);
  // "rule-file-version-N" at the very beginning; nothing: it does not begin so.
  std::optional<std::int64_t> take_version();
  // True if a digit is the next character of this line that is no blank.
  bool digit_follows() const;

  std::size_t line() const { return line_; }
  // Returns the word that follows blanks and comments; "" at the end of the file.
  std::string_view rest();
  // At most kMostNotes, in the order of the file.
  const std::vector<Note>& notes() const { return notes_; }

  static constexpr std::size_t kMostNotes = 20;

 private:
  struct Token {
    std::size_t begin = 0;
    std::string_view text;
    std::size_t line = 0;
  };

  void skip_blanks();
  void skip_line();
  std::optional<Number> scan(bool decimal);
  std::uint64_t take_integer(bool decimal);
  const Token& token_at(std::size_t position);
  void note_skipped(const Token& token);
  void note_read(const Token& token, const Number& number);
  void flush_skipped();
  void note(std::size_t line, std::string text);

  std::string_view content_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  Token token_;                            // the last that was asked for
  std::optional<Token> skipped_;           // nothing of it was read yet
  std::optional<std::size_t> read_token_;  // where the token of the last number begins
  std::vector<Note> notes_;
};

// A reader of such files, whose rules stand in rows of communicator sizes, by message size. Of a
// file that the library cannot read to its end it takes nothing.
class ScannedRules {
 public:
  virtual ~ScannedRules() = default;
  RuleFile read();

 protected:
  // The rules of one communicator size; a rule's least message is the number in the file.
  struct Row {
    std::uint64_t ranks;
    std::size_t line;
    std::vector<Rule> rules;
  };

  // `drops` says what the library does with a file that it cannot read.
  ScannedRules(const RuleTarget& target, std::string_view content, std::string_view drops)
      : target_(target), scanned_(content), drops_(drops) {}

  void warn(std::string text) { file_.warn(line_, std::move(text)); }
  // There is nothing more to say about the file.
  [[noreturn]] void drop(const std::string& text);

  template <typename Found>
  Found required(const std::optional<Found>& found, const std::string& what) {
    if (found) line_ = found->line;
    if (!found) drop("the file ends where " + what + " is expected");
    return *found;
  }
  std::uint64_t number(const std::string& what);  // 0 or more
  void forget(Collective collective);             // the rules that stand above
  void keep(Collective collective, std::vector<Row>& rows);

  const RuleTarget& target_;
  ScannedFile scanned_;
  std::size_t line_ = 1;
  std::set<Collective> seen_;
  RuleFile file_;

 private:
  using Spans = std::vector<std::optional<Span>>;

  virtual void read_all() = 0;
  // The interval that each entry of a list holds for; none for entries that are never taken.
  virtual Spans spans_of(const std::vector<std::uint64_t>& values) const = 0;
  // Returns the message about an entry that is not above the entry before it, which has this line
  // and span.
  virtual std::string hiding(std::size_t line_before,
                             const std::optional<Span>& span_before) const = 0;

  void warn_of_hidden(const char* what, const std::vector<std::uint64_t>& values, std::size_t i,
                      std::size_t line, std::size_t line_before, const Spans& spans);
  void keep_row(Row& row, const Span& ranks, CollectiveRules& result);

  std::string_view drops_;
};

}  // namespace colltree::rules
