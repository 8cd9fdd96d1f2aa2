// SPDX-License-Identifier: BSD-3-Clause
// The command that `colltree run` starts: the user's, in which every rank gets colltree's library
// and variables in the launcher's own way. A library that the user preloads comes behind
// colltree's: it sees all MPI functions except those that colltree intercepts, and colltree's
// MPI_Init calls its MPI_Init. The other way round colltree would see no call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
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

}  // namespace colltree::cli
