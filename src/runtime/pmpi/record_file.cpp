// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/pmpi/record_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "algorithms/types.h"
#include "coll/collective.h"
#include "runtime/pmpi/say.h"

namespace colltree {

namespace {

constexpr int kTag = 1;

constexpr const char* kWhy[kReasons] = {
    "model",    "forced",   "fallback", "default", "forced_default", "not_ours",
    "no_model", "one_rank", "no_data",  "no_size", "not_possible",   "disagreement"};

constexpr const char* kColumns =
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us\n";

class Text {
 public:
  Text() = default;
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() { std::free(data_); }

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    constexpr std::size_t kLongest = 512;
    if (size_ + kLongest > capacity_ && !grow(kLongest)) return;
    va_list arguments;
    va_start(arguments, format);
    const int added = std::vsnprintf(data_ + size_, kLongest, format, arguments);
    va_end(arguments);
    if (added > 0) size_ += std::min(static_cast<std::size_t>(added), kLongest - 1);
  }

  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool is_whole() const { return !failed_; }

 private:
  bool grow(std::size_t by) {
    const std::size_t wanted = 2 * capacity_ + by;
    auto* larger = static_cast<char*>(std::realloc(data_, wanted));
    failed_ = failed_ || larger == nullptr;
    if (larger == nullptr) return false;
    data_ = larger;
    capacity_ = wanted;
    return true;
  }

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool failed_ = false;
};

// Microseconds with three digits; printf's %f would follow the program's locale.
struct Micro {
  unsigned long long whole;
  unsigned long long rest;
};
Micro micro(std::uint64_t ns) { return {ns / 1000, ns % 1000}; }

void add_row(Text& text, const RecordRow& row, const Chooser& chooser) {
  const RecordKey& key = row.key;
  const colltree_chosen_method method = chooser.name_of(key.method);
  text.add("%s,%u,%u,%u,%llu,%s,", name(key.collective).data(), key.communicator_size, key.nodes,
           key.ranks_per_node, static_cast<unsigned long long>(key.message_size), method.algorithm);
  // The library rules the segments of what it does itself.
  if (key.method != kLibrary)
    text.add("%llu", static_cast<unsigned long long>(method.segment_size));
  const Micro total = micro(row.total_ns);
  const Micro least = micro(row.min_ns);
  const Micro most = micro(row.max_ns);
  text.add(",%s,%llu,%llu,%llu,%llu.%03llu,%llu.%03llu,%llu.%03llu\n",
           kWhy[static_cast<std::size_t>(key.why)], static_cast<unsigned long long>(row.calls),
           static_cast<unsigned long long>(row.calls * key.message_size),
           static_cast<unsigned long long>(row.rank_calls), total.whole, total.rest, least.whole,
           least.rest, most.whole, most.rest);
}

void add_head(Text& text, const char* state, int ranks, int covered, std::uint64_t took_ns,
              std::uint64_t lost) {
  const Micro took = micro(took_ns);
  text.add("# colltree record %d\n# state %s\n# ranks %d\n# ranks_covered %d\n", kRecordVersion,
           state, ranks, covered);
  text.add("# seconds %llu.%06llu\n# calls_lost %llu\n", took.whole / 1000000, took.whole % 1000000,
           static_cast<unsigned long long>(lost));
}

bool write_all(int file, const Text& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t got = ::write(file, text.data() + written, text.size() - written);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    written += static_cast<std::size_t>(got);
  }
  return true;
}

// Into a file beside it that then takes its name: a reader sees one record or the other, whole.
// What is no regular file (/dev/stderr) is written as it is.
const char* store(const char* path, const Text& text) {
  if (!text.is_whole()) return "out of memory";
  struct stat status = {};
  const bool in_place = ::stat(path, &status) == 0 && !S_ISREG(status.st_mode);
  char beside[PATH_MAX];
  const int length =
      std::snprintf(beside, sizeof beside, "%s.%ld", path, static_cast<long>(::getpid()));
  if (length >= static_cast<int>(sizeof beside)) return std::strerror(ENAMETOOLONG);
  const char* target = in_place ? path : beside;
  const int file = ::open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return std::strerror(errno);
  bool stored = write_all(file, text);
  stored = ::close(file) == 0 && stored;
  if (stored && !in_place) stored = ::rename(beside, path) == 0;
  if (stored) return nullptr;
  const int error = errno;
  if (!in_place) ::unlink(beside);
  return std::strerror(error);
}

const char* write_rows(const Recorder& recorder, const Chooser& chooser, const char* state,
                       int covered) {
  Text text;
  add_head(text, state, recorder.ranks(), covered, Recorder::now_ns() - recorder.begin_ns(),
           recorder.lost());
  text.add("%s", kColumns);
  std::size_t count = 0;
  const std::unique_ptr<RecordRow[]> rows = recorder.sorted(&count);
  if (rows == nullptr) return "out of memory";
  for (std::size_t i = 0; i < count; ++i) {
    // Alone, a rank counts every call of its communicators.
    if (covered == 1) rows[i].calls = rows[i].rank_calls;
    add_row(text, rows[i], chooser);
  }
  return store(recorder.path(), text);
}

int send_rows(const Recorder& recorder, int to, MPI_Comm world) {
  std::size_t used = 0;
  const std::unique_ptr<RecordRow[]> rows = recorder.sorted(&used);
  unsigned long long count = rows == nullptr ? 0 : used;
  COLLTREE_TRY(PMPI_Send(&count, 1, MPI_UNSIGNED_LONG_LONG, to, kTag, world));
  return PMPI_Send(rows.get(), static_cast<int>(count * sizeof(RecordRow)), MPI_BYTE, to, kTag,
                   world);
}

int receive_rows(Recorder& recorder, int from, MPI_Comm world) {
  unsigned long long count = 0;
  COLLTREE_TRY(PMPI_Recv(&count, 1, MPI_UNSIGNED_LONG_LONG, from, kTag, world, MPI_STATUS_IGNORE));
  const std::unique_ptr<RecordRow[]> rows(new (std::nothrow) RecordRow[count + 1]);
  if (rows == nullptr) return MPI_ERR_NO_MEM;
  COLLTREE_TRY(PMPI_Recv(rows.get(), static_cast<int>(count * sizeof(RecordRow)), MPI_BYTE, from,
                         kTag, world, MPI_STATUS_IGNORE));
  for (std::size_t i = 0; i < count; ++i) recorder.merge(rows[i]);
  return MPI_SUCCESS;
}

// Up a binomial tree, so that no rank holds more than the union of the rows.
int collect(Recorder& recorder, MPI_Comm world) {
  for (int step = 1; step < recorder.ranks(); step *= 2) {
    if ((recorder.rank() & step) != 0) return send_rows(recorder, recorder.rank() - step, world);
    if (recorder.rank() + step < recorder.ranks())
      COLLTREE_TRY(receive_rows(recorder, recorder.rank() + step, world));
  }
  return MPI_SUCCESS;
}

}  // namespace

bool begin_record_file(const char* path) noexcept {
  Text text;
  add_head(text, "running", 0, 0, 0, 0);
  text.add("%s", kColumns);
  const char* wrong = store(path, text);
  if (wrong != nullptr) say("%s: %s; nothing is recorded", path, wrong);
  return wrong == nullptr;
}

const char* write_own_record(const Recorder& recorder, const Chooser& chooser,
                             const char* state) noexcept {
  return write_rows(recorder, chooser, state, 1);
}

const char* write_record(Recorder& recorder, const Chooser& chooser, MPI_Comm world) noexcept {
  if (collect(recorder, world) != MPI_SUCCESS) return "the ranks could not be asked";
  return recorder.rank() == 0 ? write_rows(recorder, chooser, "complete", recorder.ranks())
                              : nullptr;
}

}  // namespace colltree
