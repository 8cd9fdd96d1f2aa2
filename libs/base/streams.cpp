// SPDX-License-Identifier: BSD-3-Clause
#include "base/streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace colltree {

namespace {

// The handlers with which the program was started.
using Handler = void (*)(int);
Handler on_pipe = SIG_DFL;
Handler on_file_size = SIG_DFL;

[[noreturn]] void fail(int error) {
  std::clearerr(stdout);
  if (error == EPIPE && on_pipe == SIG_DFL) {
    restore_signals();
    ::raise(SIGPIPE);
  }
  throw Error(concat("standard output: cannot write: ", std::strerror(error)));
}

}  // namespace

void prepare_streams() {
  // Opened for reading, so that every write fails.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) < 0) ::open("/dev/null", O_RDONLY);
  }
  // The parent may ignore SIGCHLD; then no child could be waited for.
  ::signal(SIGCHLD, SIG_DFL);
  on_pipe = ::signal(SIGPIPE, SIG_IGN);
  on_file_size = ::signal(SIGXFSZ, SIG_IGN);
}

void restore_signals() {
  ::signal(SIGPIPE, on_pipe);
  ::signal(SIGXFSZ, on_file_size);
}

void say(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void write_output(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw std::system_error(errno, std::generic_category());
}

void finish_output() {
  const bool lost = std::ferror(stdout) != 0;
  errno = 0;
  int error = std::fflush(stdout) == 0 ? 0 : errno;
  if (error == 0 && lost) error = EIO;  // what it was is not known any more
  if (error == 0) error = close_copy(STDOUT_FILENO);
  if (error != 0) fail(error);
}

void with_output(const std::function<void()>& work) {
  try {
    work();
  } catch (const std::system_error& error) {
    if (std::ferror(stdout) != 0) fail(error.code().value());
    throw;
  }
  finish_output();
}

}  // namespace colltree
