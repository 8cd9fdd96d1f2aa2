// SPDX-License-Identifier: BSD-3-Clause
#include "measure/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace colltree {

namespace {

constexpr int kPollMs = 500;
constexpr int kCannotStart = 127;

[[noreturn]] void become(const std::vector<std::string>& command, int out, int err, pid_t parent) {
  // A launcher passes SIGTERM on to its ranks; SIGKILL would orphan them.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(kCannotStart);
  ::setpgid(0, 0);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  fmt::print(stderr, "cannot start {}: {}\n", command.front(), std::strerror(errno));
  ::_exit(kCannotStart);
}

}  // namespace

Worker::Worker(const std::vector<std::string>& command) {
  int out[2];
  int err[2];
  if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(err, O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
  }
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0)
    throw Error(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
  if (pid_ == 0) become(command, out[1], err[1], parent);
  ::close(out[1]);
  ::close(err[1]);
  out_.fd = out[0];
  err_.fd = err[0];
}

Worker::~Worker() {
  if (pid_ > 0) {
    kill_group();
    ::waitpid(pid_, nullptr, 0);
  }
  for (const Stream* stream : {&out_, &err_}) {
    if (stream->fd >= 0) ::close(stream->fd);
  }
}

// True while the stream is open.
bool Worker::drain(Stream& stream, const std::function<void(std::string_view)>& on_line) {
  char buffer[1 << 16];
  const ssize_t got = ::read(stream.fd, buffer, sizeof buffer);
  if (got < 0 && errno == EINTR) return true;
  if (got <= 0) {
    if (!stream.partial.empty()) on_line(std::exchange(stream.partial, {}));
    ::close(std::exchange(stream.fd, -1));
    return false;
  }
  stream.partial.append(buffer, static_cast<std::size_t>(got));
  std::size_t begin = 0;
  for (std::size_t end; (end = stream.partial.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    on_line(std::string_view(stream.partial).substr(begin, end - begin));
  }
  stream.partial.erase(0, begin);
  return true;
}

Worker::Outcome Worker::read(double timeout_s, const std::function<bool()>& interrupted,
                             const std::function<void(std::string_view)>& on_out,
                             const std::function<void(std::string_view)>& on_err) {
  auto heard = std::chrono::steady_clock::now();
  while (out_.fd >= 0 || err_.fd >= 0) {
    pollfd waiting[2] = {{out_.fd, POLLIN, 0}, {err_.fd, POLLIN, 0}};
    const int ready = ::poll(waiting, 2, kPollMs);
    if (interrupted()) return Outcome::kInterrupted;
    const auto now = std::chrono::steady_clock::now();
    if (ready > 0) heard = now;
    if (std::chrono::duration<double>(now - heard).count() > timeout_s) return Outcome::kSilent;
    if (ready <= 0) continue;
    if (waiting[0].revents != 0) drain(out_, on_out);
    if (waiting[1].revents != 0) drain(err_, on_err);
  }
  return Outcome::kEnded;
}

std::string Worker::wait() {
  if (out_.fd >= 0 || err_.fd >= 0) kill_group();  // it still talks: read() gave up on it
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status))
    return fmt::format("signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  if (WEXITSTATUS(status) != 0) return fmt::format("exit code {}", WEXITSTATUS(status));
  return "";
}

void Worker::kill_group() {
  ::kill(-pid_, SIGTERM);
  for (int i = 0; i < 50; ++i) {
    ::usleep(20'000);
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid != 0)
      break;
  }
  ::kill(-pid_, SIGKILL);
}

}  // namespace colltree
