// SPDX-License-Identifier: BSD-3-Clause
// A child process whose lines are read as they come. It does not outlive us: it is killed when this
// object goes away, and by the kernel when we are killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

// What a child whose program cannot be started says first on its standard error.
inline constexpr std::string_view kCannotStartText = "cannot start ";

class Worker {
 public:
  // Whether the child is told anything on its standard input; else it has ours.
  enum class Input : std::uint8_t { kOurs, kTold };

  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // Throws Error when the program cannot be started. `clock` says how long it gives no sign.
  explicit Worker(const std::vector<std::string>& command, Input input = Input::kOurs,
                  Clock clock = std::chrono::steady_clock::now);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  enum class Outcome : std::uint8_t { kEnded, kSilent, kInterrupted };

  // What a line of standard output is: a sign that the work goes on, or anything else.
  enum class Heard : std::uint8_t { kSign, kNoise };

  // Hands over every line, without its newline (one of more than 64 MiB in pieces), until the child
  // has closed its output and ended, gives no sign for `timeout_s` seconds, or `interrupted`
  // returns true (asked when a signal arrives, and now and then).
  Outcome read(double timeout_s, const std::function<bool()>& interrupted,
               const std::function<Heard(std::string_view)>& on_out,
               const std::function<void(std::string_view)>& on_err);

  // Writes to its standard input, also while `read` hands over a line. A child that is gone or no
  // longer reads is noticed by `read`.
  void tell(std::string_view text);

  // The same for a program that must have ended after `timeout_s` seconds.
  Outcome read_all(double timeout_s, const std::function<void(std::string_view)>& on_out,
                   const std::function<void(std::string_view)>& on_err);

  // After read: waits for the end, by force if it is still running. "" = exit code 0, else what it
  // was.
  std::string wait();

 private:
  struct Stream {
    int fd = -1;
    std::string partial;
  };
  void drain(Stream& stream, const std::function<void(std::string_view)>& on_line);
  bool has_ended() const;
  void kill_group();
  Outcome give_up(Outcome outcome);

  Clock clock_;
  pid_t pid_ = -1;
  bool gave_up_ = false;  // read() did
  int in_ = -1;
  Stream out_;
  Stream err_;
};

// What a program said that must have ended after `timeout_s` seconds.
struct Answer {
  std::string text;         // standard output, its first 4 MB
  std::string first_error;  // line of standard error
  std::string trouble;      // how it failed; "": exit code 0
  bool is_late = false;     // it was killed
};
Answer ask(const std::vector<std::string>& command, double timeout_s);

// While it lives, SIGINT, SIGTERM and SIGHUP (a batch system's job limit) only set a flag, so that
// what is measured is stored before the program ends.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

 private:
  struct sigaction before_[3];
};

bool interrupted();

}  // namespace colltree
