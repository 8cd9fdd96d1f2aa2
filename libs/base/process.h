// SPDX-License-Identifier: BSD-3-Clause
// Runs other programs as children: their lines are read as they come, and no child outlives this
// program.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/not_copied.h"

namespace colltree {

// The first words on the standard error of a child whose program cannot be started.
inline constexpr std::string_view kCannotStartText = "cannot start ";

// A running child. It is killed when this object is destroyed, and by the kernel when we are
// killed.
class ChildProcess : NotCopied {
 public:
  // The child's standard input: /dev/null, because ours may be a folder, closed, or the rest of the
  // user's script; or a pipe that `write` fills.
  enum class Input : std::uint8_t { kNone, kPiped };

  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // Throws Error when the program cannot be started. `clock` measures the time without progress.
  explicit ChildProcess(const std::vector<std::string>& command, Input input = Input::kNone,
                        Clock clock = std::chrono::steady_clock::now);
  ~ChildProcess();

  enum class Outcome : std::uint8_t { kEnded, kSilent, kInterrupted };

  // The meaning of a line of standard output: the work goes on, or nothing.
  enum class LineKind : std::uint8_t { kProgress, kOther };

  // Hands over every line, without its newline (one of more than 64 MiB in pieces), until the child
  // has closed its output and ended, makes no progress for `timeout_s` seconds, or `interrupted`
  // returns true (it is called when a signal arrives, and twice a second).
  Outcome read(double timeout_s, const std::function<bool()>& interrupted,
               const std::function<LineKind(std::string_view)>& on_out,
               const std::function<void(std::string_view)>& on_err);

  // Writes to the child's standard input, also while `read` hands over a line. If the child has
  // ended or no longer reads, `read` notices it.
  void write(std::string_view text);

  // The same for a program that must end within `timeout_s` seconds.
  Outcome read_all(double timeout_s, const std::function<void(std::string_view)>& on_out,
                   const std::function<void(std::string_view)>& on_err);

  // Call it after read: waits for the end, and kills the child if it is still running. Returns ""
  // for exit code 0, otherwise the way in which it ended.
  std::string wait();

 private:
  struct Stream {
    int fd = -1;
    std::string partial;
  };
  void drain(Stream& stream, const std::function<void(std::string_view)>& on_line);
  bool has_ended() const;
  void kill_group();

  Clock clock_;
  pid_t pid_ = -1;
  bool gave_up_ = false;  // `read` ended before the child
  int in_ = -1;
  Stream out_;
  Stream err_;
};

// True if a line has a message: launchers put lines of dashes around theirs.
bool says_something(std::string_view line);

struct CommandResult {
  std::string output;       // standard output, its first 4 MB
  std::string first_error;  // the first line of standard error that says something
  std::string failure;      // how it failed; "": exit code 0
  bool timed_out = false;   // it was killed
};
// Runs a program that must end within `timeout_s` seconds. Throws Error when it cannot be started.
CommandResult run_command(const std::vector<std::string>& command, double timeout_s);

// While it exists, SIGINT, SIGTERM and SIGHUP (a batch system's time limit) only set a flag, so
// that results are stored before the program ends.
class InterruptGuard : NotCopied {
 public:
  InterruptGuard();
  ~InterruptGuard();

 private:
  struct sigaction before_[3];
};

// True once such a signal has arrived.
bool interrupted();

}  // namespace colltree
