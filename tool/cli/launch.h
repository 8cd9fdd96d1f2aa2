// SPDX-License-Identifier: BSD-3-Clause
// A user's command under colltree's library: which library fits the program, and the command in
// which every rank gets it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/run_command.h"

namespace CLI {
class App;
}  // namespace CLI
namespace colltree::cli {

// The option --mpi of commands that put colltree's library in front of a program.
void add_program_mpi_option(CLI::App& app, std::string& mpi);

// The flavour of the MPI library that the first program among these words is linked with; "" if
// none is. Intel MPI and others have the handles of MPICH.
std::string linked_flavour(std::span<const std::string> words);

struct Launch {
  std::vector<std::string> words;
  std::string library;  // of colltree
  std::string runs;     // the MPI library that runs, or whose handles it has; "": not known
  std::vector<std::string> remarks;
};

// `mpi`: the flavour that the user names; "": the one that fits. Throws UsageError where none is
// known.
Launch launch_of(const std::vector<std::string>& words, const std::string& mpi,
                 const std::vector<Setting>& settings);

// The first rank speaks for all where every rank of a job starts this command.
bool is_first_rank();
void say_remarks(const Launch& launch);

}  // namespace colltree::cli
