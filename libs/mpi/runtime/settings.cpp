// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/settings.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include "algorithms/types.h"
#include "base/not_copied.h"
#include "runtime/chooser.h"
#include "runtime/record.h"

namespace colltree::runtime {

namespace {

// Blocks SIGPIPE in one thread while it lives; a signal that comes meanwhile is discarded.
class WithoutSigpipe : NotCopied {
 public:
  WithoutSigpipe() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = ::sigismember(&pending, SIGPIPE) == 1;
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutSigpipe() {
    const int error = errno;
    const timespec now = {};
    if (!was_pending_) {
      while (::sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t pipe_ = {}, before_ = {};
  bool was_pending_ = false;
};

}  // namespace

bool write_all(int file, const char* data, std::size_t size) noexcept {
  const WithoutSigpipe guard;
  std::size_t written = 0;
  while (written < size) {
    const ssize_t got = ::write(file, data + written, size - written);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    written += static_cast<std::size_t>(got);
  }
  return true;
}

void say(const char* format, ...) noexcept {
  char line[PATH_MAX + 1024];
  int length = std::snprintf(line, sizeof line, "colltree: ");
  va_list arguments;
  va_start(arguments, format);
  length += std::vsnprintf(line + length, sizeof line - static_cast<std::size_t>(length), format,
                           arguments);
  va_end(arguments);
  length = std::min(length, static_cast<int>(sizeof line) - 1);
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 32 || c == 127; };
  std::replace_if(line, line + length, is_control, '?');
  line[length] = '\n';
  // Nobody to tell when this fails.
  [[maybe_unused]] const bool written =
      write_all(STDERR_FILENO, line, static_cast<std::size_t>(length) + 1);
}

namespace {

constexpr int kTeller = 0;
constexpr double kPatience_s = 300;  // COLLTREE_PATIENCE
constexpr double kFirstLine_s = 30;

const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == 0 ? nullptr : value;
}

constexpr const char* kMissing =
    "MPI_Init for ranks without this library or its COLLTREE_ variables; give them to every rank "
    "(colltree run, mpirun -x NAME, srun --export)";

// A rank without this library never comes, and waits itself for this one in its first collective.
// It can neither be asked nor left: what was sent to it cannot be taken back. So the job ends. Rank
// 0 may be the one without: the lowest of the others says it.
int wait_for_all(int rank) {
  MPI_Request request = MPI_REQUEST_NULL;
  COLLTREE_TRY(PMPI_Ibarrier(MPI_COMM_WORLD, &request));
  const std::uint64_t begin_ns = Recorder::now_ns();
  const char* patience = variable("COLLTREE_PATIENCE");
  const int patience_s = patience == nullptr ? 0 : std::atoi(patience);
  const double most_s = patience_s > 0 ? patience_s : kPatience_s;
  const double turn_s = std::min(rank * 0.1, 5.0);
  bool said = false;
  for (int done = 0; done == 0;) {
    COLLTREE_TRY(PMPI_Test(&request, &done, MPI_STATUS_IGNORE));
    if (done != 0) break;
    ::sched_yield();
    const double waited_s = static_cast<double>(Recorder::now_ns() - begin_ns) * 1e-9 - turn_s;
    if (waited_s > most_s) {
      say("waited %.0f s in %s; ending the job", most_s, kMissing);
      return PMPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (said || rank != kTeller || waited_s < kFirstLine_s) continue;
    say("waiting in %s", kMissing);
    said = true;
  }
  return MPI_SUCCESS;
}

// Null, or why it cannot be read.
const char* read_whole(const char* path, Settings* settings) {
  // If a pipe were opened that nobody ever writes, the program would wait in MPI_Init.
  const int file = ::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::strerror(errno);
  struct stat status = {};
  const bool regular = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const char* wrong = regular && status.st_size > 0 ? nullptr : "not a compact decision file";
  if (wrong == nullptr && status.st_size > INT_MAX) wrong = "too large";
  const auto size = wrong == nullptr ? static_cast<std::size_t>(status.st_size) : 0;
  if (wrong == nullptr) settings->model.reset(new (std::nothrow) unsigned char[size]);
  std::size_t have = 0;
  while (wrong == nullptr && settings->model != nullptr && have < size) {
    const ssize_t got = ::read(file, settings->model.get() + have, size - have);
    if (got <= 0) wrong = got == 0 ? "it became shorter" : std::strerror(errno);
    have += got > 0 ? static_cast<std::size_t>(got) : 0;
  }
  ::close(file);
  settings->model_size = size;
  return wrong == nullptr && settings->model == nullptr ? "out of memory" : wrong;
}

// The values that rank 0 sends to the others.
struct Agreed {
  unsigned long long model_size = 0;
  unsigned long long force_size = 0;   // with the final 0
  unsigned long long record_size = 0;  // likewise
  unsigned long long check = 0;
  unsigned long long sample = 0;
};

std::unique_ptr<char[]> copy_of(const char* text) {
  std::unique_ptr<char[]> copy(new (std::nothrow) char[std::strlen(text) + 1]);
  if (copy != nullptr) std::strcpy(copy.get(), text);
  return copy;
}

unsigned long long size_of(const std::unique_ptr<char[]>& text) {
  return text == nullptr ? 0 : std::strlen(text.get()) + 1;
}

bool are_one_file(const char* a, const char* b) {
  struct stat a_status = {}, b_status = {};
  return ::stat(a, &a_status) == 0 && ::stat(b, &b_status) == 0 &&
         a_status.st_dev == b_status.st_dev && a_status.st_ino == b_status.st_ino;
}

// Settings that are wrong are reported and ignored.
void prepare(const Environment& environment, Settings* settings) {
  if (environment.model != nullptr) {
    if (const char* wrong = read_whole(environment.model, settings)) {
      say("%.4000s: %s; running without a model", environment.model, wrong);
      settings->model.reset();
      settings->model_size = 0;
    }
  }
  if (environment.force != nullptr) settings->force = copy_of(environment.force);
  Chooser chooser;
  if (!chooser.open(*settings, environment.model == nullptr ? "" : environment.model, say)) {
    settings->model.reset();
    settings->model_size = 0;
    settings->force.reset();
  }
  if (environment.record != nullptr && environment.model != nullptr &&
      are_one_file(environment.record, environment.model)) {
    say("%.4000s: is the model; nothing is recorded", environment.record);
  } else if (environment.record != nullptr && begin_record_file(environment.record)) {
    settings->record = copy_of(environment.record);
  }
  settings->check = environment.check;
  settings->sample = environment.sample;
}

template <typename Part>
int share(std::unique_ptr<Part[]>* part, unsigned long long size, int rank) {
  if (size == 0) return MPI_SUCCESS;
  if (rank != kTeller) part->reset(new (std::nothrow) Part[size]);
  if (*part == nullptr) return MPI_ERR_NO_MEM;
  return PMPI_Bcast(part->get(), static_cast<int>(size), MPI_BYTE, kTeller, MPI_COMM_WORLD);
}

}  // namespace

Environment read_environment() noexcept {
  const auto is_set_to = [](const char* name, bool to) {
    const char* value = variable(name);
    return value != nullptr && (std::strcmp(value, "0") != 0) == to;
  };
  return {variable("COLLTREE_MODEL"), variable("COLLTREE_FORCE"), variable("COLLTREE_RECORD"),
          is_set_to("COLLTREE_CHECK", true), !is_set_to("COLLTREE_SAMPLE", false)};
}

int agree_on_settings(const Environment& environment, Settings* settings) noexcept {
  int rank = 0;
  COLLTREE_TRY(PMPI_Comm_rank(MPI_COMM_WORLD, &rank));
  COLLTREE_TRY(wait_for_all(rank));
  Agreed agreed;
  if (rank == kTeller) {
    prepare(environment, settings);
    agreed = {settings->model_size, size_of(settings->force), size_of(settings->record),
              settings->check ? 1U : 0U, settings->sample ? 1U : 0U};
  }
  COLLTREE_TRY(PMPI_Bcast(&agreed, 5, MPI_UNSIGNED_LONG_LONG, kTeller, MPI_COMM_WORLD));
  settings->model_size = agreed.model_size;
  settings->check = agreed.check != 0;
  settings->sample = agreed.sample != 0;
  COLLTREE_TRY(share(&settings->model, agreed.model_size, rank));
  COLLTREE_TRY(share(&settings->force, agreed.force_size, rank));
  return share(&settings->record, agreed.record_size, rank);
}

}  // namespace colltree::runtime
