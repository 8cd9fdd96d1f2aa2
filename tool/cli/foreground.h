// SPDX-License-Identifier: BSD-3-Clause
// A program that runs in this one's place: with its standard streams, in its process group, with
// the signals that it gets.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace colltree::cli {

struct Ended {
  pid_t process = 0;
  int status = 0;  // as waitpid gives it
};

// Throws Error when the program cannot be started.
Ended run_in_foreground(const std::vector<std::string>& words);

// Ends this program as that one ended: by its exit code or its signal.
[[noreturn]] void end_alike(const Ended& ended);

}  // namespace colltree::cli
