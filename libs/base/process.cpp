// SPDX-License-Identifier: BSD-3-Clause
#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/streams.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr int kPollMs = 500;
constexpr int kEndPollMs = 5;  // once its output is closed, it ends soon
constexpr std::size_t kLongestLine = std::size_t{64} << 20;
constexpr int kCannotStart = 127;

[[noreturn]] void become(const std::vector<std::string>& command, int in, int out, int err,
                         pid_t parent) {
  // A launcher passes SIGTERM on to its ranks; SIGKILL would orphan them.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kCannotStart);
  ::setpgid(0, 0);
  if (in < 0) in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  restore_signals();
  ::execvp(words[0], words.data());
  say(concat(kCannotStartText, command.front(), ": ", std::strerror(errno), "\n"));
  ::_exit(kCannotStart);
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& command, Input input, Clock clock)
    : clock_(std::move(clock)) {
  int in[2] = {-1, -1};
  int out[2];
  int err[2];
  const pid_t parent = ::getpid();
  if ((input == Input::kPiped && ::pipe2(in, O_CLOEXEC) != 0) || ::pipe2(out, O_CLOEXEC) != 0 ||
      ::pipe2(err, O_CLOEXEC) != 0 || (pid_ = ::fork()) < 0)
    throw Error(concat(kCannotStartText, command.front(), ": ", std::strerror(errno)));
  if (pid_ == 0) become(command, in[0], out[1], err[1], parent);
  // The child does it, too; so the group exists before anyone can end it, whichever comes first.
  ::setpgid(pid_, pid_);
  if (in[0] >= 0) ::close(in[0]);
  in_ = in[1];
  ::close(out[1]);
  ::close(err[1]);
  out_.fd = out[0];
  err_.fd = err[0];
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) {
    kill_group();
    ::waitpid(pid_, nullptr, 0);
  }
  if (in_ >= 0) ::close(in_);
  for (const Stream* stream : {&out_, &err_}) {
    if (stream->fd >= 0) ::close(stream->fd);
  }
}

void ChildProcess::write(std::string_view text) {
  const auto before = ::signal(SIGPIPE, SIG_IGN);
  while (!text.empty()) {
    const ssize_t written = ::write(in_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  ::signal(SIGPIPE, before);
}

void ChildProcess::drain(Stream& stream, const std::function<void(std::string_view)>& on_line) {
  char buffer[1 << 14];
  const ssize_t got = ::read(stream.fd, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    if (!stream.partial.empty()) on_line(std::exchange(stream.partial, {}));
    ::close(std::exchange(stream.fd, -1));
    return;
  }
  std::size_t searched = stream.partial.size();
  stream.partial.append(buffer, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end; (end = stream.partial.find('\n', searched)) != std::string::npos;
       begin = searched = end + 1) {
    on_line(std::string_view(stream.partial).substr(begin, end - begin));
  }
  stream.partial.erase(0, begin);
  if (stream.partial.size() <= kLongestLine) return;
  on_line(stream.partial);
  stream.partial.clear();
}

bool ChildProcess::has_ended() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         info.si_pid != 0;
}

ChildProcess::Outcome ChildProcess::read(double timeout_s, const std::function<bool()>& interrupted,
                                         const std::function<LineKind(std::string_view)>& on_out,
                                         const std::function<void(std::string_view)>& on_err) {
  auto last_progress = clock_();
  const auto on_out_line = [&](std::string_view line) {
    if (on_out(line) == LineKind::kProgress) last_progress = clock_();
  };
  for (;;) {
    const bool open = out_.fd >= 0 || err_.fd >= 0;
    gave_up_ = open || !has_ended();
    if (!gave_up_) return Outcome::kEnded;
    pollfd waiting[2] = {{out_.fd, POLLIN, 0}, {err_.fd, POLLIN, 0}};
    const int ready = ::poll(waiting, 2, open ? kPollMs : kEndPollMs);
    if (interrupted()) return Outcome::kInterrupted;
    if (ready > 0 && waiting[0].revents != 0) drain(out_, on_out_line);
    if (ready > 0 && waiting[1].revents != 0) drain(err_, on_err);
    const std::chrono::duration<double> silence = clock_() - last_progress;
    if (silence.count() > timeout_s) return Outcome::kSilent;
  }
}

ChildProcess::Outcome ChildProcess::read_all(double timeout_s,
                                             const std::function<void(std::string_view)>& on_out,
                                             const std::function<void(std::string_view)>& on_err) {
  const auto never = [] { return false; };
  const auto pass_on = [&](std::string_view line) {
    on_out(line);
    return LineKind::kOther;
  };
  return read(timeout_s, never, pass_on, on_err);
}

std::string ChildProcess::wait() {
  // A launcher that has ended may have left ranks behind.
  if (gave_up_ || !has_ended()) kill_group();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status))
    return concat("signal ", WTERMSIG(status), " (", ::strsignal(WTERMSIG(status)), ")");
  if (WEXITSTATUS(status) != 0) return concat("exit code ", WEXITSTATUS(status));
  return "";
}

void ChildProcess::kill_group() {
  ::kill(-pid_, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    ::usleep(20'000);
    if (has_ended()) break;
  }
  ::kill(-pid_, SIGKILL);
}

namespace {
// A program that never stops writing would fill the memory.
constexpr std::size_t kMostOutputBytes = std::size_t{4} << 20;
}  // namespace

bool says_something(std::string_view line) {
  return line.find_first_not_of(" \t-") != std::string_view::npos;
}

CommandResult run_command(const std::vector<std::string>& command, double timeout_s) {
  CommandResult result;
  ChildProcess child(command);
  const auto end = child.read_all(
      timeout_s,
      [&](std::string_view line) {
        if (result.output.size() < kMostOutputBytes) result.output.append(line).append("\n");
      },
      [&](std::string_view line) {
        if (result.first_error.empty() && says_something(line)) result.first_error = line;
      });
  result.timed_out = end == ChildProcess::Outcome::kSilent;
  result.failure = child.wait();
  return result;
}

namespace {

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
std::atomic<bool> flag = false;  // lock-free: set in a signal handler

void set_flag(int) { flag = true; }

}  // namespace

InterruptGuard::InterruptGuard() {
  flag = false;
  struct sigaction action {};
  action.sa_handler = set_flag;
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &action, &before_[i]);
}

InterruptGuard::~InterruptGuard() {
  for (int i = 0; i < 3; ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

bool interrupted() { return flag; }

}  // namespace colltree
