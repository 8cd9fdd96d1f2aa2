// SPDX-License-Identifier: BSD-3-Clause
// The options of a command line, declared by name, target, bounds and help. CLI11 splits the words
// and writes --help (options.cpp alone includes it: 9,400 lines of templates); every value is read
// here, strictly, and what is wrong with it is said by the declaration:
//
//     line.add("--folds", folds, {2, 1000}, "how many parts").show_default();
//     --folds: expected a whole number from 2 to 1000, got '-1'
//
// A number cannot be declared without its bounds, no value may be empty, and none may be given
// twice unless its target is a list.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
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
  ~Option();

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

  bool given() const;
  std::string name() const;  // "--folds", "-m" or, of a positional argument, "profile"
  std::vector<std::string> names() const;  // "-o", "--output"; of a positional argument its own
  std::string help() const;
  std::string value_text() const;          // as --help has it: "UINT:2..1000=5"; "" of a flag
  std::vector<std::string> words() const;  // of one_of; none where any will do
  ValueKind kind() const;
  bool is_positional() const;
  // What stands behind "expected": "a whole number from 2 to 1000"; "" for any word.
  std::string expected() const;
  bool is_output() const;  // declared by add_output

 private:
  friend class CommandLine;
  struct State;
  explicit Option(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& summary,
              std::function<std::string()> version);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "-o,--output", or "profile" for a positional argument. Targets keep their value when
  // the option is not given and must live until parse() is done. "profile" and "--profile" are one
  // name: declaring both is an error of the program (std::logic_error).
  Option& add(const std::string& names, std::string& target, const std::string& help);
  Option& add(const std::string& names, std::optional<std::string>& target,
              const std::string& help);
  // One or more values, and the option any number of times.
  Option& add(const std::string& names, std::vector<std::string>& target, const std::string& help);
  Option& add(const std::string& names, int& target, WholeRange range, const std::string& help);
  Option& add(const std::string& names, std::uint32_t& target, WholeRange range,
              const std::string& help);
  Option& add(const std::string& names, std::uint64_t& target, WholeRange range,
              const std::string& help);
  Option& add(const std::string& names, std::optional<std::uint64_t>& target, WholeRange range,
              const std::string& help);
  Option& add(const std::string& names, float& target, RealRange range, const std::string& help);
  Option& add(const std::string& names, std::optional<float>& target, RealRange range,
              const std::string& help);
  Option& add(const std::string& names, double& target, RealRange range, const std::string& help);
  Option& add(const std::string& names, std::optional<double>& target, RealRange range,
              const std::string& help);
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

  CommandLine& add_subcommand(const std::string& name, const std::string& summary);
  void require_subcommand();
  // Told the word where a subcommand stands that there is not; throws UsageError if it knows better
  // what to say than "unknown command".
  void set_on_unknown_subcommand(std::function<void(const std::string& word)> refuse);
  // What stands at the end of --help.
  void set_footer(const std::string& text);
  std::string footer() const;
  // What is done when this is the innermost command of a command line that is right.
  void set_work(std::function<void()> work);

  // Reads the words and works, or prints what --help and --version ask for. Throws UsageError for
  // a command line that is wrong, and what the work throws.
  void run(int argc, const char* const* argv);
  // The innermost command of the line that was last read: "colltree fit quadtree".
  std::string called() const;
  // The words of that line behind the program's name: for who repeats it elsewhere.
  std::vector<std::string> words() const;

  std::string name() const;
  std::string summary() const;
  std::vector<const CommandLine*> subcommands() const;
  std::vector<const Option*> options() const;

 private:
  struct State;
  explicit CommandLine(std::unique_ptr<State> state);
  Option& declare(const std::string& names, const std::string& help,
                  std::unique_ptr<Option::State> state);
  const CommandLine& innermost() const;
  void refuse_outputs_that_are_inputs() const;

  std::unique_ptr<State> state_;
};

}  // namespace colltree
