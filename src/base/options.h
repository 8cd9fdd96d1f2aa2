// SPDX-License-Identifier: BSD-3-Clause
// The options of a command line, declared by name, target, bounds and help. Every value is read
// strictly, and what is wrong with it is said by the declaration:
//
//     line.add("--folds", folds, {2, 1000}, "how many parts").show_default();
//     --folds: expected a whole number from 2 to 1000, got '-1'
//
// A number cannot be declared without its bounds, no value may be empty, and none may be given
// twice unless its target is a list. options.cpp declares, command_line.cpp reads words and writes
// --help, program.cpp is the program around it.
#pragma once

#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bounds.h"

namespace colltree {

// "2..28,64" with the sizes that it lists.
struct SizeList {
  SizeList() = default;
  explicit SizeList(std::string list);  // throws UsageError

  std::string text;
  std::vector<std::uint64_t> sizes;

  bool empty() const { return sizes.empty(); }
  bool is_word() const { return sizes.empty() && !text.empty(); }  // of Option::or_word
};

enum class ValueKind { kFlag, kWord, kNumber };

// A declared option or positional argument, to say more about it. Lives as long as its CommandLine.
class Option {
 public:
  Option& required();
  // --help shows the target's present value, or this text.
  Option& show_default();
  Option& show_default(const std::string& text);
  // A word among these only.
  Option& one_of(std::vector<std::string> words);
  // Of an optional number or a list of sizes: this word stands for none.
  Option& or_word(std::string word);
  // Of an output: "-" stands for standard output. Of others it is refused: nobody means that file.
  Option& or_standard_output();
  // Of a list: one value all the same.
  Option& once();

  bool given() const { return !values_.empty(); }
  const std::string& name() const;  // "--folds", "-m" or, of a positional argument, "profile"
  // "-o", "--output"; of a positional argument its own.
  const std::vector<std::string>& names() const { return names_; }
  const std::string& help() const { return help_; }
  std::string value_text() const;  // as --help has it: "UINT:2..1000=5"; "" of a flag
  const std::vector<std::string>& words() const { return words_; }  // of one_of; else none
  ValueKind kind() const { return kind_; }
  bool is_positional() const { return !names_.front().starts_with('-'); }
  // What stands behind "expected": "a whole number from 2 to 1000"; "" for any word.
  const std::string& expected() const { return expected_; }
  bool is_output() const { return output_; }           // declared by add_output
  const std::string& group() const { return group_; }  // its title in --help; "": the first

 private:
  friend class CommandLine;
  friend class WordReader;

  bool takes_several() const { return list_ && !once_; }
  [[noreturn]] void refuse_empty() const;
  [[noreturn]] void refuse_odd_output(const std::string& value) const;
  void take_values() const;  // all that was given. Throws UsageError

  // What the kinds of values differ in. `take_` reads one value into the target and says whether it
  // is what was expected; `expected_` is "" when every word will do.
  ValueKind kind_ = ValueKind::kWord;
  std::string type_;      // in --help: "UINT:2..1000"
  std::string expected_;  // in errors: "a whole number from 2 to 1000"
  std::function<bool(std::string_view text)> take_;
  std::function<std::string()> present_;  // the target's value as --help shows it
  std::function<void()> clear_;           // optional targets: take the value away

  std::vector<std::string> names_;
  std::string group_;
  std::string help_;
  std::string default_;
  bool list_ = false;
  bool once_ = false;
  bool required_ = false;
  bool output_ = false;
  bool dash_ = false;          // of or_standard_output
  std::string no_value_word_;  // of or_word
  std::vector<std::string> words_;
  std::vector<std::string> values_;  // as they were given
};

template <class T>
concept WordTarget = std::same_as<T, std::string> || std::same_as<T, std::optional<std::string>> ||
    std::same_as<T, std::vector<std::string>>;
template <class T>
concept WholeTarget = std::same_as<T, int> || std::same_as<T, std::uint32_t> ||
    std::same_as<T, std::uint64_t> || std::same_as<T, std::optional<std::uint64_t>>;
template <class T>
concept RealTarget = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::optional<float>> || std::same_as<T, std::optional<double>>;

class CommandLine {
 public:
  CommandLine(std::string program, std::string summary, std::function<std::string()> version);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output", or "profile" for a positional argument. Targets keep their value when
  // the option is not given and must live until run() is done. "profile" and "--profile" are one
  // name: declaring both is an error of the program (std::logic_error).
  // Into a list: one or more values, and the option any number of times.
  template <WordTarget Word>
  Option& add(const std::string& names, Word& target, const std::string& help);
  template <WholeTarget Number>
  Option& add(const std::string& names, Number& target, WholeRange range, const std::string& help);
  template <RealTarget Number>
  Option& add(const std::string& names, Number& target, RealRange range, const std::string& help);
  // A number of bytes or ranks with the suffixes K, M, G.
  Option& add_size(const std::string& names, std::uint64_t& target, WholeRange range,
                   const std::string& help);
  // A list of sizes and ranges (parse_size_list in bounds.h), each within the range.
  Option& add_sizes(const std::string& names, SizeList& target, WholeRange range,
                    const std::string& help);
  // "0.1%" or "0.1" -> 0.001. The range is in percent.
  Option& add_percent(const std::string& names, double& fraction, RealRange percent,
                      const std::string& help);
  Option& add_flag(const std::string& names, bool& target, const std::string& help);
  // The path of a file that the work writes. A regular file that another value of the same command
  // line names too, also by a link, is refused before any work: it would be lost.
  Option& add_output(const std::string& names, std::string& target, const std::string& help);

  // The options and subcommands declared from here on stand below this title in --help.
  void begin_group(std::string title) { begun_group_ = std::move(title); }
  // A line with subcommands needs one of them as its next word, unless it has work of its own.
  CommandLine& add_subcommand(const std::string& name, const std::string& summary);
  // `refuse` is called with an unknown word in the place of a subcommand; it throws UsageError if
  // it has a better message than "unknown command".
  void set_on_unknown_subcommand(std::function<void(const std::string& word)> refuse) {
    on_unknown_subcommand_ = std::move(refuse);
  }
  // What stands at the end of --help.
  void set_footer(std::string text) { footer_ = std::move(text); }
  const std::string& footer() const { return footer_; }
  // What is done when this is the innermost command of a command line that is right.
  void set_work(std::function<void()> work) { work_ = std::move(work); }
  bool has_work() const { return work_ != nullptr; }

  // Reads the words and works, or prints what --help and --version ask for. Throws UsageError for
  // a command line that is wrong, and what the work throws.
  void run(int argc, const char* const* argv);
  // The innermost command of the line that was last read: "colltree fit quadtree".
  std::string called() const { return innermost().path(); }
  // The words of that line behind the program's name: for who repeats it elsewhere.
  std::vector<std::string> words() const;

  const std::string& name() const { return name_; }
  const std::string& summary() const { return summary_; }
  std::vector<const CommandLine*> subcommands() const;
  std::vector<const Option*> options() const;  // that were declared: without --help, --version

 private:
  friend class WordReader;
  CommandLine(CommandLine* parent, std::string name, std::string summary);

  Option& declare(const std::string& names, const std::string& help);
  // An option of a number, whatever it is kept in.
  Option& declare_number(const std::string& names, const std::string& help, std::string type,
                         std::string expected, std::function<bool(std::string_view)> take,
                         std::function<std::string()> present);

  void forget();  // what was given
  const CommandLine& innermost() const;
  std::string path() const;
  bool is_untouched() const;  // nothing was given to it yet
  void refuse_outputs_that_are_inputs() const;
  std::string help_text() const;

  CommandLine* parent_ = nullptr;
  std::string name_;
  std::string summary_;
  std::string footer_;
  std::string group_;                     // in its parent's --help
  std::string begun_group_;               // of what is declared next
  std::function<std::string()> version_;  // of the root
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<CommandLine>> subcommands_;
  std::function<void()> work_;
  std::function<void(const std::string&)> on_unknown_subcommand_;

  // Of the line that was last read.
  std::vector<std::string> words_;  // of the root
  CommandLine* chosen_ = nullptr;   // subcommand
};

// A command line as a whole program: its results, its one line of error, its exit code.
//
// Runs the words of main() and says on standard error, behind the program's name, what failed. The
// exit code: 0; 1 (Error, and what nobody foresaw); 2 (wrong usage).
int run_program(CommandLine& line, int argc, const char* const* argv);

// What is said of a failure of the command, such as "colltree fit quadtree": our own errors name
// place and remedy; what nobody foresaw becomes a plain sentence.
std::string explain_failure(const std::exception& failure, const std::string& called);

}  // namespace colltree
