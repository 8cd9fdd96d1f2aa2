// SPDX-License-Identifier: BSD-3-Clause
#include "rules/script.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/shell_words.h"

namespace colltree::rules {

namespace {

constexpr const char* kBlanksAround =
    "blanks around '=': a shell does not read this as an assignment";
constexpr const char* kTwice = "stands twice: the last one counts";
constexpr const char* kInBranches =
    "stands twice, in parts of the script that need not both run; the last one is taken here";
constexpr const char* kMayNotRun = "is set in a part of the script that need not run";
constexpr const char* kInString = "stands in a string: it counts where a command uses the string";
constexpr const char* kInParts =
    "has several values in parts of one job: ranks choose differently and can hang";
// `mpirun --mca NAME VALUE` is the same as a variable that begins so.
constexpr std::string_view kMca = "OMPI_MCA_";

template <std::size_t kCount>
bool is_one_of(const std::string_view (&list)[kCount], std::string_view word) {
  return std::ranges::count(list, word) > 0;
}

// Lua's setenv("NAME", "VALUE") as csh has it. The other lines of such a file go, because their
// quotes and comments are none of a shell.
std::string lua_as_shell(std::string_view content) {
  std::string shell;
  bool is_lua = false;
  for (std::string_view line : split(content, '\n')) {
    line = trim(line);
    if (line.starts_with("setenv(") || line.starts_with("pushenv(")) {
      is_lua = true;
      std::string text(line.substr(0, line.rfind(')')));
      text[text.find('(')] = ' ';
      if (const std::size_t comma = text.find(','); comma != std::string::npos) text[comma] = ' ';
      shell += text;
    }
    shell += '\n';
  }
  return is_lua ? shell : std::string(content);
}

class ScriptReader {
 public:
  explicit ScriptReader(std::string_view prefix) : prefix_(prefix) {}

  std::vector<ScriptRun> read(std::string_view content) {
    commands(shell_commands(lua_as_shell(content)));
    if (runs_.empty() || changed_) add_run(0, now_);
    return std::move(runs_);
  }

 private:
  struct Setting : Assignment {
    bool in_branch = false;
    bool seen = false;  // a command ran under it
  };
  using Settings = std::vector<Setting>;

  bool is_ours(std::string_view text) const { return text.starts_with(prefix_) && is_name(text); }

  void commands(const std::vector<ShellCommand>& list) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      command(list[i].words);
      const bool behind = list[i].goes_on && i + 1 < list.size() && !list[i + 1].words.empty();
      if (behind && set_last_) cut_by_semicolon(list[i + 1].words[0]);
    }
  }

  void command(std::vector<ShellWord> words) {
    set_last_ = false;
    words.erase(words.begin(), std::ranges::find_if_not(words, [&](const ShellWord& shell_word) {
                  return is_keyword(shell_word.text);
                }));
    if (words.empty()) return;
    const auto first = std::ranges::find_if_not(
        words, [](const ShellWord& shell_word) { return is_assignment(shell_word.text); });
    const std::string_view program =
        first == words.end() ? std::string_view() : std::string_view(first->text);
    Settings command_settings;
    std::vector<std::string> removed;
    const std::size_t runs_before = runs_.size();
    for (std::size_t i = 0; i < words.size(); ++i)
      take(words, i, program, command_settings, removed);
    if (is_setter(program)) {
      for (const std::string& name : removed)
        std::erase_if(now_, [&](const Setting& setting) { return setting.variable == name; });
      const bool text = program == "echo" || program == "printf";
      for (Setting& setting : command_settings) {
        if (text) setting.remark = kInString;
        set(std::move(setting));
      }
    } else if (runs_.size() == runs_before &&
               (!command_settings.empty() || !removed.empty() || launches(words))) {
      run(words, command_settings, removed);
    }
  }

  bool is_keyword(std::string_view word) {
    static constexpr std::string_view kBegin[] = {"if", "case", "switch"};
    static constexpr std::string_view kEnd[] = {"fi", "esac", "endif", "endsw"};
    static constexpr std::string_view kOthers[] = {"then",  "else",  "elif", "do", "while",
                                                   "until", "!",     "{",    "}",  "time",
                                                   "exec",  "nohup", "RUN"};
    if (is_one_of(kBegin, word)) ++depth_;
    if (is_one_of(kEnd, word) && depth_ > 0) --depth_;
    return is_one_of(kBegin, word) || is_one_of(kEnd, word) || is_one_of(kOthers, word);
  }

  // True if the command sets variables for the commands after it; "" stands for assignments alone.
  bool is_setter(std::string_view program) const {
    static constexpr std::string_view kSetters[] = {
        "",        "export", "setenv",   "pushenv", "unset", "unsetenv", "set",  "setx",  "declare",
        "typeset", "local",  "readonly", "ENV",     "ARG",   "-",        "echo", "printf"};
    return is_one_of(kSetters, program) || program.starts_with('#') || is_ours(program);
  }

  static bool launches(const std::vector<ShellWord>& words) {
    static constexpr std::string_view kLaunchers[] = {
        "srun", "aprun", "jsrun", "lrun", "ibrun", "orterun", "prterun", "prun", "yod"};
    return std::ranges::any_of(words, [](const ShellWord& shell_word) {
      const std::string_view name =
          std::string_view(shell_word.text).substr(shell_word.text.rfind('/') + 1);
      return name.starts_with("mpirun") || name.starts_with("mpiexec") ||
             is_one_of(kLaunchers, name);
    });
  }

  // Takes the settings and removals that a word makes.
  void take(const std::vector<ShellWord>& words, std::size_t i, std::string_view program,
            Settings& command_settings, std::vector<std::string>& removed) {
    const ShellWord& word = words[i];
    const std::string_view text = word.text;
    if (prefix_ == kMca && i > 0 && i + 1 < words.size() && words[i - 1].text.ends_with("mca"))
      command_settings.push_back({{.line = word.line,
                                   .variable = fmt::format("{}{}", kMca, text),
                                   .value = words[i + 1].text}});
    if (find_name(text, prefix_) == std::string_view::npos) return;
    const bool unsets = program.starts_with("unset") ||
                        (i > 0 && (words[i - 1].text == "-u" || words[i - 1].text == "--unset"));
    const bool commands_of_shell =
        i > 0 && (words[i - 1].text == "-c" || words[i - 1].text == "-lc");
    if (commands_of_shell) {
      in_string(word, true, command_settings);
    } else if (is_ours(text)) {
      if (unsets) {
        removed.emplace_back(text);
      } else {
        named(words, i, command_settings);
      }
    } else if (is_assignment(text) && is_ours(text.substr(0, text.find('=')))) {
      assigned(words, i, command_settings);
    } else if (text.find_first_of(" \t\n") == std::string_view::npos && !is_assignment(text)) {
      listed(word, text, command_settings);
    } else {
      in_string(word, !is_assignment(text), command_settings);
    }
  }

  // "A=1,B=2" and "--export=ALL,A=1": a comma ends a value where another assignment follows.
  void listed(const ShellWord& word, std::string_view text, Settings& command_settings) {
    std::size_t from = 0;
    while (from < text.size()) {
      std::size_t end = text.find(',', from);
      while (end != std::string_view::npos &&
             !is_assignment(text.substr(end + 1, text.find(',', end + 1) - end - 1)))
        end = text.find(',', end + 1);
      std::string_view piece = text.substr(from, end - from);
      from = end == std::string_view::npos ? text.size() : end + 1;
      piece.remove_prefix(std::min(find_name(piece, prefix_), piece.size()));
      if (!is_assignment(piece) || !is_ours(piece.substr(0, piece.find('=')))) continue;
      const std::size_t equals = piece.find('=');
      command_settings.push_back(
          {{.line = word.line,
            .variable = std::string(piece.substr(0, equals)),
            .value = std::string(piece.substr(equals + 1)),
            .problem = word.open ? "a quote without its end" : "",
            .expanded = word.expanded && piece.find_first_of("$`") != std::string_view::npos}});
    }
  }

  // Commands in a string: another shell runs them, or a variable keeps them for a later command.
  void in_string(const ShellWord& word, bool runs, Settings& command_settings) {
    if (nested_ == kMostNested) return;
    const std::string_view text = word.text;
    ScriptReader inner(prefix_);
    inner.nested_ = nested_ + 1;
    if (runs) {
      inner.now_ = now_;
      inner.depth_ = depth_;
    }
    inner.commands(shell_commands(runs ? text : text.substr(text.find('=') + 1), word.line));
    for (const ScriptRun& script_run : inner.runs_) {
      if (runs) {
        add_run(script_run.line, script_run.settings);
        note_run();
      } else {
        for (const Assignment& setting : script_run.settings) inner.now_.push_back({setting});
      }
    }
    for (Setting& setting : inner.now_) {
      const bool before = std::ranges::any_of(now_, [&](const Setting& here) {
        return here.variable == setting.variable && here.line == setting.line;
      });
      if (!runs) setting.remark = kInString;
      if (!before) command_settings.push_back(std::move(setting));
    }
  }

  void assigned(const std::vector<ShellWord>& words, std::size_t i, Settings& command_settings) {
    const ShellWord& word = words[i];
    listed(word, word.text, command_settings);
    const bool alone = i + 1 == words.size();
    if (command_settings.back().value.empty() && !alone &&
        words[i + 1].text.find('=') == std::string::npos &&
        (is_assignment(words[0].text) || is_setter(words[0].text)))  // no options follow these
      command_settings.back().problem = kBlanksAround;
    set_last_ = alone;
  }

  // Takes a name whose value is the next word, as with setenv and mpirun's -genv, or that stands
  // alone by mistake.
  void named(const std::vector<ShellWord>& words, std::size_t i, Settings& command_settings) {
    static constexpr std::string_view kSetters[] = {"setenv", "pushenv", "ENV",  "-genv",
                                                    "--genv", "-env",    "--env"};
    const ShellWord& word = words[i];
    Setting setting{{.line = word.line, .variable = word.text}};
    const bool behind = i + 1 < words.size();
    const bool option = i > 0 && (is_one_of(kSetters, words[i - 1].text) ||
                                  (words[0].text == "set" && words[i - 1].text.starts_with('-')));
    if (option && behind) {
      const std::string_view value = words[i + 1].text;
      const bool in_braces = value.starts_with('{') && value.ends_with('}');  // of Tcl
      setting.value = in_braces ? value.substr(1, value.size() - 2) : value;
      setting.expanded = words[i + 1].expanded;
    } else if (behind && words[i + 1].text.starts_with('=')) {
      setting.problem = kBlanksAround;
    } else if (i == 0) {
      setting.problem = fmt::format("expected VARIABLE=VALUE, got '{}'", word.text);
    } else {
      return;
    }
    command_settings.push_back(std::move(setting));
  }

  // In "A=ring:0-7;naive:8-max" the text behind the semicolon was meant for the value.
  void cut_by_semicolon(const ShellWord& next) {
    const bool command =
        next.text.find(':') == std::string::npos && next.text.find_first_of("0123456789") != 0;
    if (!command && !now_.empty())
      now_.back().problem = "';' without quotes ends the command in a shell";
  }

  void set(Setting setting) {
    setting.in_branch = depth_ > 0;
    if (depth_ > 0 && setting.remark.empty()) setting.remark = kMayNotRun;
    const auto before = std::ranges::find(now_, setting.variable, &Setting::variable);
    if (before != now_.end()) {
      if (!before->seen && (setting.remark.empty() || setting.remark == kMayNotRun))
        setting.remark = setting.in_branch || before->in_branch ? kInBranches : kTwice;
      now_.erase(before);
    }
    now_.push_back(std::move(setting));
    changed_ = true;
  }

  void run(const std::vector<ShellWord>& words, Settings& command_settings,
           const std::vector<std::string>& removed) {
    const bool in_parts = std::ranges::any_of(
        words, [](const ShellWord& shell_word) { return shell_word.text == ":"; });
    Settings settings = now_;
    std::erase_if(settings, [&](const Setting& setting) {
      return std::ranges::count(removed, setting.variable) > 0;
    });
    std::set<std::string_view> again;
    for (Setting& setting : command_settings) {
      if (!again.insert(setting.variable).second) setting.remark = in_parts ? kInParts : kTwice;
      std::erase_if(settings,
                    [&](const Setting& here) { return here.variable == setting.variable; });
      settings.push_back(setting);
    }
    add_run(words[0].line, settings);
    note_run();
  }

  void note_run() {
    for (Setting& setting : now_) setting.seen = true;
    changed_ = false;
  }

  template <typename List>
  void add_run(std::size_t line, const List& settings) {
    ScriptRun result{.line = line, .settings = {settings.begin(), settings.end()}};
    const auto same = [&](const ScriptRun& script_run) {
      return std::ranges::equal(script_run.settings, result.settings,
                                [](const Assignment& a, const Assignment& b) {
                                  return a.variable == b.variable && a.value == b.value;
                                });
    };
    if (std::ranges::none_of(runs_, same)) runs_.push_back(std::move(result));
  }

  std::string_view prefix_;
  Settings now_;
  std::vector<ScriptRun> runs_;
  static constexpr int kMostNested = 8;
  int nested_ = 0;         // strings in strings
  std::size_t depth_ = 0;  // of branches
  bool set_last_ = false;  // the last word of the last command was an assignment
  bool changed_ = false;   // something was set after the last run
};

}  // namespace

std::vector<ScriptRun> read_runs(std::string_view content, std::string_view prefix) {
  return ScriptReader(prefix).read(content);
}

std::size_t naming_line(std::string_view content, std::string_view prefix) {
  std::size_t line = 0;
  for (const std::string_view text : split(content, '\n')) {
    ++line;
    if (!is_comment(text) && find_name(text, prefix) != std::string_view::npos) return line;
  }
  return 0;
}

}  // namespace colltree::rules
