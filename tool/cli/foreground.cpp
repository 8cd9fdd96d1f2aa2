// SPDX-License-Identifier: BSD-3-Clause
#include "cli/foreground.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/streams.h"

namespace colltree::cli {

namespace {

volatile pid_t running = 0;

// A signal that a key sends reaches the whole process group, and so the program itself.
void pass_on(int number, siginfo_t* info, void*) {
  if (info->si_code <= 0) ::kill(running, number);
}

void pass_signals_on() {
  for (const int number : {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2}) {
    struct sigaction before = {};
    ::sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;  // as nohup wants it
    struct sigaction action = {};
    action.sa_sigaction = pass_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace

Ended run_in_foreground(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  std::fflush(nullptr);
  int failure[2];
  sigset_t all_signals;
  sigset_t before;
  ::sigfillset(&all_signals);
  ::sigprocmask(SIG_BLOCK, &all_signals, &before);
  const pid_t parent = ::getpid();
  const pid_t child = ::pipe2(failure, O_CLOEXEC) == 0 ? ::fork() : -1;
  if (child < 0) throw Error(fmt::format("{}: {}", words.front(), std::strerror(errno)));
  if (child == 0) {
    // A launcher passes SIGTERM on to its ranks; SIGKILL would orphan them.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    restore_signals();
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (::getppid() == parent) ::execvp(arguments.front(), arguments.data());
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(failure[1], &error, sizeof error);
    ::_exit(127);
  }
  running = child;
  pass_signals_on();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::close(failure[1]);
  int error = 0;
  const bool has_failed = ::read(failure[0], &error, sizeof error) == sizeof error;
  ::close(failure[0]);
  Ended ended{.process = child};
  while (::waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
  }
  if (has_failed) throw Error(fmt::format("{}: {}", words.front(), std::strerror(error)));
  return ended;
}

void end_alike(const Ended& ended) {
  std::fflush(nullptr);
  if (WIFSIGNALED(ended.status)) {
    const rlimit no_core = {};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(WTERMSIG(ended.status), SIG_DFL);
    ::kill(::getpid(), WTERMSIG(ended.status));
  }
  ::_exit(WEXITSTATUS(ended.status));
}

}  // namespace colltree::cli
