// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/job.h"

namespace colltree::runtime {

namespace {

// Launchers number the ranks that they start by these variables: PMI (Hydra, Slurm), PMIx (Open
// MPI, Flux, jsrun), Open MPI, Slurm, Flux, Cray.
constexpr const char* kRankVariables[] = {"PMI_RANK",     "PMIX_RANK",      "OMPI_COMM_WORLD_RANK",
                                          "SLURM_PROCID", "FLUX_TASK_RANK", "ALPS_APP_PE",
                                          "PALS_RANKID"};

char path[PATH_MAX] = "";  // the program may change its environment
long process = 0;
bool has_entered = false;

void note(const char* event, const char* detail = "") {
  constexpr off_t kMostBytes = 1 << 20;  // a script may start very many processes
  if (*path == 0) return;
  const int file = ::open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
  struct stat status = {};
  if (file >= 0 && ::fstat(file, &status) == 0 && (has_entered || status.st_size < kMostBytes)) {
    char line[PATH_MAX + 64];
    const int length = std::snprintf(line, sizeof line, "%ld %s %s\n", process, event, detail);
    [[maybe_unused]] const ssize_t written = ::write(file, line, static_cast<std::size_t>(length));
  }
  if (file >= 0) ::close(file);
}

[[gnu::constructor]] void note_load() {
  const char* value = std::getenv("COLLTREE_ENTRIES");
  if (value == nullptr || std::strlen(value) >= sizeof path) return;
  std::strcpy(path, value);
  process = ::getpid();
  note("loaded");
}

// A program that exits by itself. It shows nothing where another program did the work that it
// started and waited for, or where it is a copy that was forked.
[[gnu::destructor]] void note_end() {
  if (*path == 0 || has_entered || process != ::getpid()) return;
  int is_initialized = 0;
  PMPI_Initialized(&is_initialized);
  if (is_initialized != 0) return note("missed");
  rusage children = {};
  if (::getrusage(RUSAGE_CHILDREN, &children) != 0 || children.ru_maxrss != 0) return;
  char program[PATH_MAX] = "";
  [[maybe_unused]] const ssize_t length = ::readlink("/proc/self/exe", program, sizeof program - 1);
  note("ended", program);
  for (const char* name : kRankVariables) {
    if (std::getenv(name) != nullptr) note("rank", name);
  }
}

}  // namespace

void note_entry() noexcept {
  if (has_entered) return;
  has_entered = true;
  note("entered");
}

}  // namespace colltree::runtime
