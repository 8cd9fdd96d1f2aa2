// SPDX-License-Identifier: BSD-3-Clause
#include "rules/value_list.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace colltree::rules {

namespace {

struct Word {
  std::string text;  // without quotes
  std::size_t line = 0;
  bool expanded = false;  // holds $ or ` outside single quotes
  bool open = false;      // a quote without its end
};

// What a shell would run together: words, and whether the line goes on behind a ';'.
struct Command {
  std::vector<Word> words;
  bool goes_on = false;
};

// Words and commands as a shell cuts them; no expansion.
class ShellReader {
 public:
  explicit ShellReader(std::string_view content) : content_(content) {}

  std::vector<Command> read() {
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
    } else if (c == '#' && !in_word_) {
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
  std::size_t line_ = 1;
  Word word_;
  bool in_word_ = false;
  std::vector<Command> commands_;
};

constexpr const char* kBlanksAround =
    "blanks around '=': a shell does not read this as an assignment";

bool is_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") ==
             std::string_view::npos;
}

class AssignmentReader {
 public:
  explicit AssignmentReader(std::string_view prefix) : prefix_(prefix) {}

  std::vector<Assignment> read(std::string_view content) {
    const std::vector<Command> commands = ShellReader(content).read();
    for (std::size_t i = 0; i < commands.size(); ++i) {
      command(commands[i].words);
      const bool behind =
          commands[i].goes_on && i + 1 < commands.size() && !commands[i + 1].words.empty();
      if (behind && set_last_) cut_by_semicolon(commands[i + 1].words[0]);
    }
    return std::move(all_);
  }

 private:
  bool is_ours(std::string_view text) const { return text.starts_with(prefix_) && is_name(text); }

  void command(const std::vector<Word>& words) {
    set_last_ = false;
    const std::string_view first = words.empty() ? std::string_view() : words[0].text;
    const bool unset = first == "unset" || first == "unsetenv";
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string_view text = words[i].text;
      const std::size_t equals = text.find('=');
      if (equals != std::string_view::npos && is_ours(text.substr(0, equals))) {
        assigned(words, i, equals);
      } else if (is_ours(text) && unset) {
        std::erase_if(all_, [&](const Assignment& one) { return one.variable == text; });
      } else if (is_ours(text)) {
        named(words, i);
      }
    }
  }

  void assigned(const std::vector<Word>& words, std::size_t i, std::size_t equals) {
    const Word& word = words[i];
    all_.push_back({.line = word.line,
                    .variable = word.text.substr(0, equals),
                    .value = word.text.substr(equals + 1),
                    .problem = word.open ? "a quote without its end" : "",
                    .expanded = word.expanded});
    const bool alone = i + 1 == words.size();
    if (all_.back().value.empty() && !alone && words[i + 1].text.find('=') == std::string::npos)
      all_.back().problem = kBlanksAround;
    set_last_ = alone;
  }

  // The name alone: with its value behind it, as setenv and mpirun's -genv have it, or by mistake.
  void named(const std::vector<Word>& words, std::size_t i) {
    static constexpr std::string_view kSetters[] = {"setenv", "-genv", "--genv", "-env", "--env"};
    const Word& word = words[i];
    Assignment one{.line = word.line, .variable = word.text, .value = {}, .problem = {}};
    const bool behind = i + 1 < words.size();
    if (i > 0 && std::ranges::count(kSetters, words[i - 1].text) > 0 && behind) {
      one.value = words[i + 1].text;
      one.expanded = words[i + 1].expanded;
    } else if (behind && words[i + 1].text.starts_with('=')) {
      one.problem = kBlanksAround;
    } else if (i == 0) {
      one.problem = fmt::format("expected VARIABLE=VALUE, got '{}'", word.text);
    } else {
      return;
    }
    all_.push_back(std::move(one));
  }

  // "A=ring:0-7;naive:8-max": what is behind was meant for the value.
  void cut_by_semicolon(const Word& next) {
    const bool command =
        next.text.find(':') == std::string::npos && next.text.find_first_of("0123456789") != 0;
    if (!command) all_.back().problem = "';' without quotes ends the command in a shell";
  }

  std::string_view prefix_;
  std::vector<Assignment> all_;
  bool set_last_ = false;  // the last word of the last command was an assignment
};

}  // namespace

std::vector<BlankToken> blank_tokens(std::string_view content) {
  std::vector<BlankToken> tokens;
  std::size_t line = 0;
  for (std::string_view text : split(content, '\n')) {
    ++line;
    text = text.substr(0, text.find('#'));
    while (true) {
      const std::size_t begin = text.find_first_not_of(" \t\r\v\f");
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin);
      const std::size_t end = std::min(text.find_first_of(" \t\r\v\f"), text.size());
      tokens.push_back({text.substr(0, end), line});
      text.remove_prefix(end);
    }
  }
  return tokens;
}

std::vector<Assignment> read_assignments(std::string_view content, std::string_view prefix) {
  return AssignmentReader(prefix).read(content);
}

std::string variable_line(std::string_view prefix, std::string_view word, std::string_view value) {
  if (value.empty()) return "";
  return fmt::format("export {}{}=\"{}\"\n", prefix, upper(word), value);
}

std::string not_taken_into_account(std::string_view prefix, std::string_view word) {
  return fmt::format("{}{} is not taken into account here", prefix, word);
}

namespace {

std::string unknown_collective(const RuleTarget& target, std::string_view word) {
  std::vector<std::string> names = collectives_of(target);
  for (std::string& name : names) name = upper(name);
  return fmt::format("'{}' is no collective that is known here{}", word,
                     did_you_mean(upper(word), names));
}

void read_value(const Assignment& one, Collective collective, RuleFile& file,
                const std::function<void(const CollectiveVariable&)>& read) {
  if (!one.problem.empty()) {
    file.error(one.line, one.problem);
  } else if (one.value.empty()) {
    file.error(one.line, fmt::format("{} is empty", one.variable));
  } else if (one.expanded) {
    file.warn(one.line, fmt::format("{}: '{}' is for the shell to fill in; not known here",
                                    one.variable, one.value));
  } else {
    read({one.line, collective, one.value});
  }
}

}  // namespace

void read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               std::string_view content, RuleFile& file,
                               const VariableRemark& remark,
                               const std::function<void(const CollectiveVariable&)>& read,
                               const NamedCollective& collective_of) {
  std::set<Collective> seen;
  bool others = false;
  for (const Assignment& one : read_assignments(content, prefix)) {
    const std::string_view word = std::string_view(one.variable).substr(prefix.size());
    const auto collective = collective_of(lower(word));
    if (!collective || !target.size_key(*collective) || upper(word) != word) {
      const std::optional<std::string> said = remark(word);
      if (!said) file.warn(one.line, unknown_collective(target, word));
      if (!said || said->empty()) continue;
      file.warn(one.line, *said);
      others = true;
    } else {
      if (!seen.insert(*collective).second) {
        file.warn(one.line, fmt::format("{} stands twice: the last one counts", one.variable));
        file.rules.of(*collective).rules.clear();
      }
      read_value(one, *collective, file, read);
    }
  }
  if (seen.empty() && !others)
    file.error(0, fmt::format("no {}<COLLECTIVE>: the file has no rules", prefix));
}

std::string end_text(std::uint64_t value, std::string_view no_end) {
  return value == UINT64_MAX ? std::string(no_end) : std::to_string(value);
}

std::optional<std::uint64_t> end_of(std::string_view text, std::string_view no_end) {
  if (text == no_end) return UINT64_MAX;
  return parse_number<std::uint64_t>(text);
}

}  // namespace colltree::rules
