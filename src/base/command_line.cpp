// SPDX-License-Identifier: BSD-3-Clause
// The words of a command line, as other programs read them: "--name value", "--name=value", "-n
// value", "-nvalue", flags of one letter in one word, and "--", behind which no word is an option.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/options.h"
#include "base/text.h"

namespace colltree {

CommandLine::CommandLine(std::string program, std::string summary,
                         std::function<std::string()> version)
    : name_(std::move(program)), summary_(std::move(summary)), version_(std::move(version)) {}

CommandLine::CommandLine(CommandLine* parent, std::string name, std::string summary)
    : parent_(parent), name_(std::move(name)), summary_(std::move(summary)) {}

CommandLine& CommandLine::add_subcommand(const std::string& name, const std::string& summary) {
  subcommands_.push_back(std::unique_ptr<CommandLine>(new CommandLine(this, name, summary)));
  subcommands_.back()->group_ = begun_group_;
  return *subcommands_.back();
}

std::vector<const CommandLine*> CommandLine::subcommands() const {
  std::vector<const CommandLine*> all;
  for (const auto& command : subcommands_) all.push_back(command.get());
  return all;
}

std::vector<const Option*> CommandLine::options() const {
  std::vector<const Option*> all;
  for (const auto& one : options_) all.push_back(one.get());
  return all;
}

const CommandLine& CommandLine::innermost() const {
  return chosen_ == nullptr ? *this : chosen_->innermost();
}

std::string CommandLine::path() const {
  return parent_ == nullptr ? name_ : parent_->path() + " " + name_;
}

bool CommandLine::is_untouched() const {
  return std::ranges::none_of(options_, [](const auto& option) { return option->given(); });
}

std::vector<std::string> CommandLine::words() const {
  return parent_ == nullptr ? words_ : parent_->words();
}

void CommandLine::forget() {
  chosen_ = nullptr;
  for (const auto& one : options_) one->values_.clear();
  for (const auto& one : subcommands_) one->forget();
}

namespace {

constexpr std::string_view kHelp[] = {"-h", "--help"};
constexpr std::string_view kVersion = "--version";

bool begins_name(char letter) {
  return std::string_view("-! \n").find(letter) == std::string_view::npos;
}

bool is_long(std::string_view word) {
  return word.size() > 2 && word.starts_with("--") && begins_name(word[2]);
}

bool is_short(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && begins_name(word[1]);
}

}  // namespace

// One pass over the words: each goes to an option or an argument of the innermost command so far.
class WordReader {
 public:
  WordReader(CommandLine& root, std::vector<std::string> words)
      : line_(&root), words_(std::move(words)) {
    bool behind_dashes = false;
    while (at_ < words_.size()) {
      const std::string word = words_[at_++];
      if (behind_dashes) {
        read_argument(word, true);
      } else if (word == "--") {
        behind_dashes = true;
      } else if (CommandLine* const subcommand = find_subcommand(word)) {
        line_ = line_->chosen_ = subcommand;
      } else if (is_option(word)) {
        read_option(word);
      } else {
        read_argument(word, false);
      }
    }
  }

  bool help_asked() const { return help_asked_; }
  bool version_asked() const { return version_asked_; }

  // Throws UsageError for what is missing and for the first word that nobody took.
  void check() const {
    const bool needs_subcommand = !line_->subcommands_.empty() && !line_->has_work();
    if (left_over_ && (left_over_->starts_with('-') || needs_subcommand)) refuse_left_over();
    for (const auto& one : line_->options_) {
      if (one->required_ && !one->given())
        throw UsageError(fmt::format("{} is required", one->name()));
    }
    if (needs_subcommand) throw UsageError("A subcommand is required");
    if (left_over_) refuse_left_over();
  }

 private:
  CommandLine* find_subcommand(std::string_view word) const {
    if (line_->has_work() && !line_->is_untouched()) return nullptr;
    const auto found = std::ranges::find(
        line_->subcommands_, word, [](const auto& one) { return std::string_view(one->name_); });
    return found == line_->subcommands_.end() ? nullptr : found->get();
  }

  Option* find(std::string_view name) const {
    for (const auto& one : line_->options_) {
      if (!one->is_positional() && std::ranges::count(one->names_, name) > 0) return one.get();
    }
    return nullptr;
  }

  // "-5" is a number, unless there is such an option.
  bool is_option(std::string_view word) const {
    const bool is_number = is_short(word) && word[1] >= '0' && word[1] <= '9';
    return is_long(word) || (is_short(word) && (!is_number || find(word.substr(0, 2)) != nullptr));
  }

  void read_option(const std::string& word) {
    const std::size_t end = is_long(word) ? std::min(word.find('='), word.size()) : 2;
    const std::string name = word.substr(0, end);
    const bool has_value = end < word.size();
    const std::string value = has_value ? word.substr(is_long(word) ? end + 1 : end) : "";
    Option* const option = find(name);
    if (option == nullptr) {
      if (std::ranges::count(kHelp, name) > 0) {
        help_asked_ = true;
      } else if (name == kVersion && line_->version_) {
        version_asked_ = true;
      } else {
        leave_over(word, false);
      }
    } else if (option->kind_ == ValueKind::kFlag) {
      option->values_.push_back(has_value && is_long(word) ? value : "true");
      if (has_value && !is_long(word)) words_[--at_] = "-" + value;  // more flags in the word
    } else {
      read_values(*option, has_value ? std::optional(value) : std::nullopt);
    }
  }

  void read_values(Option& option, const std::optional<std::string>& value) {
    if (value) {
      option.values_.push_back(*value);
    } else if (at_ < words_.size()) {
      option.values_.push_back(words_[at_++]);
    } else {
      throw UsageError(option.name() + ": its value is missing");
    }
    if (!option.list_) return;
    while (at_ < words_.size() && words_[at_] != "--" && !is_option(words_[at_]) &&
           arguments_missing() < words_.size() - at_) {
      option.values_.push_back(words_[at_++]);
    }
    if (at_ < words_.size() && words_[at_] == "--") ++at_;  // ends the list
  }

  std::size_t arguments_missing() const {
    return static_cast<std::size_t>(std::ranges::count_if(line_->options_, [](const auto& one) {
      return one->is_positional() && one->required_ && !one->given();
    }));
  }

  void read_argument(const std::string& word, bool behind_dashes) {
    for (const auto& one : line_->options_) {
      if (!one->is_positional() || (one->given() && !one->list_)) continue;
      one->values_.push_back(word);
      return;
    }
    leave_over(word, behind_dashes);
  }

  void leave_over(const std::string& word, bool behind_dashes) {
    if (left_over_) return;
    left_over_ = word;
    left_over_behind_dashes_ = behind_dashes;
  }

  [[noreturn]] void refuse_left_over() const {
    const std::string& word = *left_over_;
    if (word.starts_with('-') && !left_over_behind_dashes_) {
      const std::string name = word.substr(0, word.find('='));
      if (find(name) != nullptr)
        throw UsageError(fmt::format("option '{}' stands before the command '{}'; give it behind",
                                     name, line_->name_));
      throw UsageError(
          fmt::format("unknown option '{}'{}", name, did_you_mean(name, long_names())));
    }
    if (line_->subcommands_.empty())
      throw UsageError(fmt::format("unexpected argument '{}'", word));
    if (line_->on_unknown_subcommand_) line_->on_unknown_subcommand_(word);
    std::vector<std::string> names;
    for (const CommandLine* above : line_->subcommands()) {
      names.push_back(above->name());
      for (const CommandLine* below : above->subcommands()) {
        if (below->name() == word)
          throw UsageError(
              fmt::format("unknown command '{0}'; did you mean '{1} {0}'?", word, above->name()));
      }
    }
    throw UsageError(fmt::format("unknown command '{}'{}", word, did_you_mean(word, names)));
  }

  std::vector<std::string> long_names() const {
    std::vector<std::string> names = {"--help"};
    if (line_->version_) names.emplace_back(kVersion);
    for (const auto& one : line_->options_) {
      std::ranges::copy_if(one->names_, std::back_inserter(names), is_long);
    }
    return names;
  }

  CommandLine* line_;
  std::vector<std::string> words_;
  std::size_t at_ = 0;
  std::optional<std::string> left_over_;  // the first word that nobody took
  bool left_over_behind_dashes_ = false;
  bool help_asked_ = false;
  bool version_asked_ = false;
};

namespace {

bool are_one_regular_file(const std::string& a, const std::string& b) {
  std::error_code error;  // a file that is not there is no other's
  return std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error);
}

// What a path names once it is made: through links that lead to nothing yet, too.
std::filesystem::path place_of(std::filesystem::path path) {
  std::error_code error;
  for (int links = 0; links < 40 && std::filesystem::is_symlink(path, error); ++links) {
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  }
  return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
}

// SQLite takes such a file for its own, and removes it.
bool is_beside_database(const std::string& written, const std::string& named) {
  constexpr std::string_view kEndings[] = {"-journal", "-wal", "-shm"};
  return std::ranges::any_of(kEndings, [&](std::string_view ending) {
    return written.ends_with(ending) &&
           are_one_regular_file(written.substr(0, written.size() - ending.size()), named);
  });
}

bool will_be_one_file(const std::string& a, const std::string& b) {
  std::error_code error;
  return !std::filesystem::exists(a, error) && !std::filesystem::exists(b, error) &&
         place_of(a) == place_of(b);
}

}  // namespace

void CommandLine::refuse_outputs_that_are_inputs() const {
  for (const auto& output : options_) {
    if (!output->is_output() || !output->given()) continue;
    const std::string& written = output->values_.front();
    for (const auto& other : options_) {
      if (other == output || other->kind() != ValueKind::kWord) continue;
      for (const std::string& named : other->values_) {
        if (is_beside_database(written, named))
          throw UsageError(
              fmt::format("{}: {} is a name that SQLite uses beside {}; write another one",
                          output->name(), written, named));
        const bool two_outputs = other->is_output() && will_be_one_file(written, named);
        if (!two_outputs && !are_one_regular_file(written, named)) continue;
        throw UsageError(fmt::format("{}: {} is the file that '{}' names ({}); write another one",
                                     output->name(), written, other->name(), named));
      }
    }
  }
}

namespace {

constexpr std::size_t kHelpColumn = 30;
constexpr std::size_t kHelpWidth = 100;

// A row of --help: the text in lines of a terminal from a column on, below a name too long for it.
std::string help_row(const std::string& name, const std::string& text) {
  const std::string blanks(kHelpColumn, ' ');
  std::string row = "  " + name;
  if (row.size() < kHelpColumn) {
    row.resize(kHelpColumn, ' ');
  } else if (!text.empty()) {
    row += "\n" + blanks;
  }
  bool first = true;
  for (const std::string_view paragraph : split(text, '\n')) {
    std::size_t used = 0;
    if (!std::exchange(first, false)) row += "\n" + blanks;
    for (const std::string_view word : split(paragraph, ' ')) {
      if (used > 0 && used + 1 + word.size() > kHelpWidth - kHelpColumn) {
        row += "\n" + blanks;
        used = 0;
      }
      if (used > 0) row += " ";
      row += word;
      used += word.size() + (used > 0 ? 1 : 0);
    }
  }
  return row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
}

std::string option_row(const Option& option) {
  const std::string value = option.value_text();
  return help_row(join(option.names(), ",") + (value.empty() ? "" : " " + value), option.help());
}

// Rows below their titles, in the order of the titles' first rows.
class HelpSections {
 public:
  void add(const std::string& title, const std::string& row) {
    const auto found = std::ranges::find(sections_, title, &Section::first);
    if (found == sections_.end()) {
      sections_.emplace_back(title, row);
    } else {
      found->second += row;
    }
  }
  std::string text() const {
    std::string text;
    for (const auto& [title, rows] : sections_) text += "\n" + title + ":\n" + rows;
    return text;
  }

 private:
  using Section = std::pair<std::string, std::string>;
  std::vector<Section> sections_;
};

std::string title_or(const std::string& group, const char* usual) {
  return group.empty() ? usual : group;
}

}  // namespace

std::string CommandLine::help_text() const {
  std::string usage = fmt::format("Usage: {} [OPTIONS]", path());
  HelpSections sections;
  for (const auto& option : options_) {
    if (!option->is_positional()) continue;
    sections.add("Positionals", option_row(*option));
    const std::string name = option->name() + (option->takes_several() ? "..." : "");
    usage += option->required_ ? " " + name : " [" + name + "]";
  }
  for (const CommandLine* sub : subcommands())
    sections.add(title_or(sub->group_, "Commands"), help_row(sub->name_, sub->summary_));
  if (!subcommands().empty()) usage += has_work() ? "\n   or: " + path() + " COMMAND" : " COMMAND";
  for (const auto& option : options_) {
    if (!option->is_positional())
      sections.add(title_or(option->group_, "Options"), option_row(*option));
  }
  const std::string last =
      options_.empty() ? "Options" : title_or(options_.back()->group_, "Options");
  sections.add(last, help_row(join(kHelp, ","), "print this help and exit"));
  if (version_) sections.add(last, help_row(std::string(kVersion), "print the version and exit"));
  return fmt::format("{}\n\n{}\n{}\n{}{}", summary_, usage, sections.text(), footer_,
                     footer_.empty() ? "" : "\n");
}

void CommandLine::run(int argc, const char* const* argv) {
  forget();
  words_.assign(argv + std::min(argc, 1), argv + argc);
  const WordReader reader(*this, words_);
  const CommandLine& command = innermost();
  if (reader.version_asked()) return fmt::print("{} {}\n", name_, version_());
  for (const auto& one : command.options_) one->take_values();
  if (reader.help_asked()) return fmt::print("{}", command.help_text());
  reader.check();
  command.refuse_outputs_that_are_inputs();
  if (command.work_) command.work_();
}

}  // namespace colltree
