// SPDX-License-Identifier: BSD-3-Clause
// A command line as a whole program: its results, its one line of error, its exit code.
#pragma once

#include <exception>
#include <string>

#include "base/options.h"

namespace colltree {

// Runs the words of main() and says on standard error, behind the program's name, what failed. The
// exit code: 0; 1 (Error, and what nobody foresaw); 2 (wrong usage).
int run_program(CommandLine& line, int argc, const char* const* argv);

// What is said of a failure of the command, such as "colltree fit quadtree": our own errors name
// place and remedy; what nobody foresaw becomes a plain sentence.
std::string explain_failure(const std::exception& failure, const std::string& called);

}  // namespace colltree
