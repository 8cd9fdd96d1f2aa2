// SPDX-License-Identifier: BSD-3-Clause
// A subcommand: one file in this folder, one row in commands.def.
#pragma once

#include <memory>
#include <span>

#include "base/options.h"

namespace colltree {

struct Command {
  const char* name;
  const char* summary;  // one line of `colltree --help`
  const char* example;  // one command that works, shown at the end of `colltree NAME --help`
  // Adds options and a callback that does the work. State that options bind to lives in a
  // shared_ptr captured by the callback.
  void (*declare)(CommandLine& line);
};

std::span<const Command> commands();

// The whole command line, declared: every command with its options.
std::unique_ptr<CommandLine> command_line();

// Runs one command line; returns the exit code: 0, 1 (Error), 2 (wrong usage).
int run(int argc, char** argv);

}  // namespace colltree
