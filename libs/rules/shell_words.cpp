// SPDX-License-Identifier: BSD-3-Clause
#include "rules/shell_words.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace colltree::rules {

namespace {

// Cuts a text into words and commands like a shell, without expansion.
class ShellReader {
 public:
  // `line`: of its beginning in the file.
  explicit ShellReader(std::string_view content, std::size_t line = 1)
      : content_(content), line_(line) {}

  std::vector<ShellCommand> read() {
    commands_.emplace_back();
    while (at_ < content_.size()) step();
    end_word();
    return std::move(commands_);
  }

 private:
  void step() {
    const char c = content_[at_];
    if (c == '\n' || std::string_view(";&|()").find(c) != std::string_view::npos) {
      end_command(c == ';');
    } else if (std::string_view(" \t\r\v\f").find(c) != std::string_view::npos) {
      end_word();
    } else if (c == '#' && !in_word_ && !is_directive()) {
      at_ = std::min(content_.find('\n', at_), content_.size());
      return;
    } else if (c == '\'' || c == '"') {
      quoted(c);
    } else if (c == '\\') {
      escaped();
    } else {
      add(c, true);
    }
    if (at_ < content_.size() && content_[at_] == '\n') ++line_;
    ++at_;
  }

  // Options of a batch system in a comment.
  bool is_directive() const {
    static constexpr std::string_view kDirectives[] = {"#SBATCH ", "#PBS ",   "#BSUB ",
                                                       "#$ ",      "#FLUX: ", "#PJM "};
    const std::string_view rest = content_.substr(at_);
    return (at_ == 0 || content_[at_ - 1] == '\n') &&
           std::ranges::any_of(kDirectives, [&](auto word) { return rest.starts_with(word); });
  }

  void begin_word() {
    if (!in_word_) word_ = {.line = line_};
    in_word_ = true;
  }

  void add(char c, bool expands) {
    begin_word();
    word_.text += c;
    word_.expanded = word_.expanded || (expands && (c == '$' || c == '`'));
  }

  // Stays on the closing quote.
  void quoted(char quote) {
    begin_word();
    for (++at_; at_ < content_.size() && content_[at_] != quote; ++at_) {
      if (content_[at_] == '\\' && quote == '"') {
        escaped();
      } else {
        add(content_[at_], quote == '"');
      }
      if (at_ < content_.size() && content_[at_] == '\n') ++line_;
    }
    word_.open = word_.open || at_ >= content_.size();
  }

  // Stays on the character behind the backslash; a line break there is none.
  void escaped() {
    ++at_;
    if (at_ < content_.size() && content_[at_] != '\n') add(content_[at_], false);
  }

  void end_word() {
    if (in_word_) commands_.back().words.push_back(std::move(word_));
    in_word_ = false;
  }

  void end_command(bool semicolon) {
    end_word();
    if (commands_.back().words.empty()) return;
    commands_.back().goes_on = semicolon;
    commands_.emplace_back();
  }

  std::string_view content_;
  std::size_t at_ = 0;
  std::size_t line_;
  ShellWord word_;
  bool in_word_ = false;
  std::vector<ShellCommand> commands_;
};

}  // namespace

std::vector<ShellCommand> shell_commands(std::string_view text, std::size_t line) {
  return ShellReader(text, line).read();
}

bool is_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         text.find_first_not_of(kNameCharacters) == std::string_view::npos;
}

bool is_assignment(std::string_view text) {
  return is_name(text.substr(0, text.find('='))) && text.find('=') != std::string_view::npos;
}

std::size_t find_name(std::string_view text, std::string_view prefix) {
  for (std::size_t position = text.find(prefix); position != std::string_view::npos;
       position = text.find(prefix, position + 1)) {
    if (position == 0 || kNameCharacters.find(text[position - 1]) == std::string_view::npos)
      return position;
  }
  return std::string_view::npos;
}

bool is_comment(std::string_view line) {
  const std::string_view bare = trim(line);
  return bare.starts_with("--") || bare.starts_with("//") || bare.starts_with('#');
}

}  // namespace colltree::rules
