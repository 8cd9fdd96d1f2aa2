// SPDX-License-Identifier: BSD-3-Clause
// The command that `colltree run` starts: the user's, in which every rank gets colltree's library
// and variables in the launcher's own way. A library that the user preloads comes behind
// colltree's: it sees all MPI functions except those that colltree intercepts, and colltree's
// MPI_Init calls its MPI_Init. The other way round colltree would see no call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace colltree::cli {

struct Setting {
  std::string name;
  std::string value;
};

// How a launcher gives variables to its ranks.
enum class Passing : std::uint8_t {
  kInherited,    // flux, jsrun, a program without a launcher
  kEachProgram,  // mpirun -x NAME=VALUE, once for each program of the job
  kAllPrograms,  // mpiexec -genv NAME VALUE, once
  kExport,       // srun --export=LD_PRELOAD=VALUE, once for each program; others by environment
};

struct UserCommand {
  std::vector<std::string> words;
  std::size_t launcher = 0;  // the place of its word; the number of words: there is none
  Passing passing = Passing::kInherited;
  std::string preload;  // LD_PRELOAD in colltree's own environment; may be ""
};

struct JoinedCommand {
  std::vector<std::string> words;
  std::vector<std::string>
      preloads;  // the values of LD_PRELOAD that the user gives, before joining
};

// `library`: the path of colltree's. Throws UsageError where the user's command sets LD_PRELOAD in
// a way that would keep colltree's library from the ranks and that cannot be changed here.
JoinedCommand with_settings(const UserCommand& command, const std::string& library,
                            const std::vector<Setting>& settings);

// The place of the word of a launcher that needs options for it, which may stand behind env,
// timeout or numactl; the number of words: there is none, and the ranks inherit the environment.
std::size_t find_launcher(const std::vector<std::string>& words);

// "genv" of "-genv" and "--genv"; "": the word is no option.
std::string_view option_name(std::string_view word);

// The end of a launcher's own options, which begin at `begin`: the first word that is a program's
// file, or that is no option and not the value of one.
std::size_t end_of_options(const std::vector<std::string>& words, std::size_t begin);

// The words that this option of a launcher takes behind it, NAME and VALUE or NAME=VALUE, to give
// a variable or parameter to the ranks; 0: it is another option.
std::size_t words_of_setting(std::string_view word);

}  // namespace colltree::cli
