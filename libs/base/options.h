// SPDX-License-Identifier: BSD-3-Clause
// Additions to CLI11: values with bounds and units, files that are written, help that fits a
// terminal, errors of one line. Commands declare their options on a CLI::App:
//
//     app.add_option("--folds", folds, "how many parts")->transform(whole_number({2, 1000}));
//     --folds: expected a whole number from 2 to 1000, got '-1'
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/bounds.h"

namespace colltree {

// Sizes as a person lists them: "2..28,64". "auto" leaves them to the program.
struct SizeList {
  SizeList() = default;
  explicit SizeList(std::string list);  // throws UsageError

  std::string text;
  std::vector<std::uint64_t> sizes;

  bool empty() const { return sizes.empty(); }
  bool is_auto() const { return sizes.empty() && !text.empty(); }
};

// For CLI::Option::transform: a value is read strictly, by text.h, and reaches CLI11 as plain
// digits. CLI11's own reading takes 010 for 8 and its ranges let nan through.
//
// `word` leaves an optional target without a value.
CLI::Validator whole_number(const WholeRange& range, const std::string& word = "");
template <typename Number = double>
CLI::Validator real_number(const RealRange& range);
// "64K" for 65536.
CLI::Validator size_number(const WholeRange& range);
// For a SizeList; `word` may be "auto".
CLI::Validator size_list(const WholeRange& range, const std::string& word = "");
// "0.1%" or "0.1" for 0.001; the range is in percent.
CLI::Validator percentage(const RealRange& range);
// The path of a file that the work writes. A regular file that another value of the same command
// line names too, also by a link, is refused before any work: it would be lost.
CLI::Validator output_file(bool takes_dash = false);  // "-" is standard output
// A line of help for what is no option, such as a parameter, wrapped as CLI11's lines are.
std::string help_row(const std::string& name, const std::string& text);

// A program without options yet. Its --help has lines of a terminal, and so has that of the
// subcommands that are added to it.
std::unique_ptr<CLI::App> make_program(const std::string& name, const std::string& summary,
                                       const std::function<std::string()>& version);

// Runs the words behind the program's name and says on standard error, in one line, what failed.
// The exit code: 0; 1 (Error, and what nobody foresaw); 2 (wrong usage).
int run_program(CLI::App& program, std::vector<std::string> words);

// The message for a failure of a command such as "colltree fit quadtree": our own errors name place
// and remedy, and an unforeseen one becomes a plain sentence.
std::string explain_failure(const std::exception& failure, const std::string& called);

}  // namespace colltree
