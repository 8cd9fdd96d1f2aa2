// SPDX-License-Identifier: BSD-3-Clause
// A command: one file in this folder, one row in commands.def.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/bounds.h"
#include "base/json.h"
#include "base/options.h"

namespace colltree::cli {

struct Command {
  const char* name;
  const char* summary;  // one line of `colltree --help`
  const char* example;  // one command that works, shown at the end of `colltree NAME --help`
  // Adds options and a callback that does the work. State that options bind to lives in a
  // shared_ptr captured by the callback.
  void (*declare)(CLI::App& app);
  const char* group = "";  // its title in `colltree --help`
  const char* above =
      nullptr;  // of a subcommand: the command that it belongs to, which stands before
};

std::span<const Command> commands();

// The program with every command and its options.
std::unique_ptr<CLI::App> whole_program();

// The words of the command line that runs, without the program's name.
const std::vector<std::string>& words_of_run();

// Runs one command line; returns the exit code: 0, 1 (Error), 2 (wrong usage).
int run(int argc, char** argv);

// Prints results as JSON. Every object, or every element of a list, names its schema, a file of
// docs/reference/formats/schemas: "schema": "colltree/doctor/1".
void print_results(const char* schema, Json results, int indent = 2);

// Writes a file of results; "-" is standard output.
void write_or_print(const std::string& file, const std::string& text);

}  // namespace colltree::cli

// Bounds of numbers that several commands ask for.
namespace colltree::cli::limits {
// An instance that is asked about may have any size that MPI allows.
inline constexpr WholeRange kAskedRanks{1, 2147483647};
inline constexpr WholeRange kAskedBytes{};
// An instance that is measured is limited by time and memory.
inline constexpr WholeRange kMeasuredRanks{1, std::uint64_t{1} << 20};
inline constexpr WholeRange kMeasuredBytes{0, std::uint64_t{1} << 30};

inline constexpr WholeRange kJobs{1, 4096};
}  // namespace colltree::cli::limits
