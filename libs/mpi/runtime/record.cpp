// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/record.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <new>
#include <tuple>
#include <utility>

#include "algorithms/types.h"
#include "base/not_copied.h"
#include "runtime/messages.h"
#include "runtime/settings.h"

namespace colltree::runtime {

namespace {

constexpr std::size_t kFirstCapacity = 256;
constexpr std::size_t kMostExact = 4096;  // rows; beyond, sizes are rounded down to powers of two
constexpr std::size_t kMost = 65536;
constexpr std::uint64_t kInterval_ns = 10'000'000'000;

std::size_t hash(const RecordKey& key) {
  std::uint64_t h = key.message_size * 0x9E3779B97F4A7C15U;
  h = (h ^ h >> 29 ^ key.communicator_size) * 0xBF58476D1CE4E5B9U;
  h = (h ^ std::uint64_t{key.nodes} << 32 ^ key.ranks_per_node) * 0x94D049BB133111EBU;
  const auto form =
      static_cast<std::uint64_t>(key.function.form) << 1 | (key.function.is_large ? 1 : 0);
  h = (h ^ std::uint64_t{key.method} << 32 ^ form << 16 ^
       static_cast<std::uint64_t>(key.function.operation) << 8 ^
       static_cast<std::uint64_t>(key.why)) *
      0x9E3779B97F4A7C15U;
  return h ^ h >> 32;
}

// Each rank knows only what it sends itself: the mean, coarse enough to be the same on most.
std::uint64_t mean_block(const algorithms::CollectiveCall& call, int size) {
  const bool in_place = call.send == MPI_IN_PLACE;
  const int* counts = in_place ? call.receive_counts : call.send_counts;
  std::size_t bytes = 0;
  if (algorithms::message_bytes(1, in_place ? call.receive_type : call.send_type, &bytes) !=
      MPI_SUCCESS)
    return 0;
  std::uint64_t total = 0;
  for (int i = 0; i < size; ++i) total += bytes * static_cast<std::uint64_t>(counts[i]);
  return std::bit_floor(total / static_cast<std::uint64_t>(size));
}

}  // namespace

std::uint64_t Recorder::now_ns() noexcept {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

int Recorder::open(const char* path, MPI_Comm world) noexcept {
  path_ = path;
  process_ = ::getpid();
  begin_ns_ = written_ns_ = now_ns();
  COLLTREE_TRY(PMPI_Comm_rank(world, &rank_));
  return PMPI_Comm_size(world, &ranks_);
}

bool Recorder::is_first_process() const noexcept { return rank_ == 0 && process_ == ::getpid(); }

void Recorder::add(const algorithms::CollectiveCall& call, const Communicator& on,
                   const algorithms::CallFacts& facts, const Choice& choice,
                   std::uint64_t took_ns) noexcept {
  RecordRow row;
  row.key = {facts.message_size,
             static_cast<std::uint32_t>(on.size),
             static_cast<std::uint32_t>(on.nodes()),
             static_cast<std::uint32_t>(on.ranks_per_node()),
             choice.number,
             function_of(call.collective),
             choice.why};
  if (call.collective == Collective::kAlltoallv) row.key.message_size = mean_block(call, on.size);
  row.calls = on.rank == 0 ? 1 : 0;
  row.rank_calls = 1;
  row.total_ns = row.min_ns = row.max_ns = took_ns;
  merge(row);
}

void Recorder::merge(const RecordRow& row) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  RecordRow* sum = place(row.key);
  if (sum == nullptr) {
    lost_ += row.rank_calls;
    return;
  }
  sum->min_ns = sum->rank_calls == 0 ? row.min_ns : std::min(sum->min_ns, row.min_ns);
  sum->max_ns = std::max(sum->max_ns, row.max_ns);
  sum->calls += row.calls;
  sum->rank_calls += row.rank_calls;
  sum->total_ns += row.total_ns;
}

void Recorder::lose() noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++lost_;
}

bool Recorder::is_due(std::uint64_t at_ns) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (rank_ != 0 || at_ns - written_ns_ < kInterval_ns) return false;
  written_ns_ = at_ns;
  return true;
}

std::unique_ptr<RecordRow[]> Recorder::sorted(std::size_t* count) const noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  *count = used_;
  std::unique_ptr<RecordRow[]> rows(new (std::nothrow) RecordRow[used_ + 1]);
  if (rows == nullptr) return rows;
  RecordRow* end = std::copy_if(rows_.get(), rows_.get() + capacity_, rows.get(),
                                [](const RecordRow& row) { return row.rank_calls != 0; });
  std::sort(rows.get(), end, [](const RecordRow& a, const RecordRow& b) {
    return std::tie(a.key.function, a.key.communicator_size, a.key.nodes, a.key.ranks_per_node,
                    a.key.message_size, a.key.method, a.key.why) <
           std::tie(b.key.function, b.key.communicator_size, b.key.nodes, b.key.ranks_per_node,
                    b.key.message_size, b.key.method, b.key.why);
  });
  return rows;
}

// The row of the key, or the empty place where it belongs. There is always one.
RecordRow* Recorder::find(const RecordKey& key) const {
  std::size_t index = hash(key) & (capacity_ - 1);
  while (rows_[index].rank_calls != 0 && rows_[index].key != key)
    index = (index + 1) & (capacity_ - 1);
  return &rows_[index];
}

RecordRow* Recorder::place(RecordKey key) {
  if (used_ * 2 >= capacity_ && !grow()) return nullptr;
  RecordRow* row = find(key);
  if (row->rank_calls == 0 && used_ >= kMostExact && key.message_size != kUnknownSize) {
    key.message_size = std::bit_floor(key.message_size);
    row = find(key);
  }
  if (row->rank_calls != 0) return row;
  if (used_ >= kMost) return nullptr;
  row->key = key;
  ++used_;
  return row;
}

bool Recorder::grow() {
  const std::size_t old = capacity_;
  const std::size_t wanted = old == 0 ? kFirstCapacity : 2 * old;
  std::unique_ptr<RecordRow[]> larger(new (std::nothrow) RecordRow[wanted]);
  if (larger == nullptr) return false;
  rows_.swap(larger);
  capacity_ = wanted;
  for (std::size_t i = 0; i < old; ++i) {
    if (larger[i].rank_calls != 0) *find(larger[i].key) = larger[i];
  }
  return true;
}

namespace {

constexpr int kTag = kRecordTag;

constexpr const char* kWhy[kReasons] = {
    "model",        "forced",       "fallback",      "default",     "forced_default",
    "not_ours",     "no_model",     "one_rank",      "no_data",     "no_size",
    "not_possible", "disagreement", "device_memory", "arguments",   "intercommunicator",
    "other_ranks",  "no_methods",   "neighbourhood", "large_count", "nonblocking",
    "persistent"};

constexpr const char* kColumns =
    "collective,communicator_size,nodes,ranks_per_node,message_size,algorithm,segment_bytes,why,"
    "calls,bytes,rank_calls,total_us,min_us,max_us\n";

// Text in memory, as it is printed.
class Text : NotCopied {
 public:
  Text() : stream_(::open_memstream(&data_, &size_)) {}
  ~Text() {
    close();
    std::free(data_);
  }

  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    if (stream_ == nullptr) return;
    va_list arguments;
    va_start(arguments, format);
    std::vfprintf(stream_, format, arguments);
    va_end(arguments);
  }

  // Ends the text. False: there was no memory for it.
  bool close() {
    std::FILE* stream = std::exchange(stream_, nullptr);
    return stream == nullptr ? data_ != nullptr
                             : std::ferror(stream) == 0 && std::fclose(stream) == 0;
  }
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* stream_;
};

// Adds the function's name without MPI_: "bcast", "ibcast_c", "bcast_init".
void add_name(Text& text, Function function) {
  text.add("%s%s%s%s", function.form == Form::kNonblocking ? "i" : "",
           kOperationNames[static_cast<std::size_t>(function.operation)],
           function.form == Form::kPersistent ? "_init" : "", function.is_large ? "_c" : "");
}

// Fields of a row that are not known stay empty.
void add_row(Text& text, const RecordRow& row, const Chooser& chooser) {
  const RecordKey& key = row.key;
  const colltree_chosen_method method = chooser.name_of(key.method);
  const bool is_sized = key.message_size != kUnknownSize;
  add_name(text, key.function);
  text.add(",%u,%u,%u,", key.communicator_size, key.nodes, key.ranks_per_node);
  if (is_sized) text.add("%llu", static_cast<unsigned long long>(key.message_size));
  text.add(",%s,", method.algorithm);
  // The library rules the segments of what it does itself.
  if (method.has_segment_size != 0)
    text.add("%llu", static_cast<unsigned long long>(method.segment_size));
  text.add(",%s,%llu,", kWhy[static_cast<std::size_t>(key.why)],
           static_cast<unsigned long long>(row.calls));
  if (is_sized) text.add("%llu", static_cast<unsigned long long>(row.calls * key.message_size));
  text.add(",%llu", static_cast<unsigned long long>(row.rank_calls));
  if (key.function.form == Form::kBlocking) {
    // Microseconds with three digits; %f would follow the program's locale.
    for (const unsigned long long ns : {row.total_ns, row.min_ns, row.max_ns})
      text.add(",%llu.%03llu", ns / 1000, ns % 1000);
    text.add("\n");
  } else {
    text.add(",,,\n");
  }
}

void add_head(Text& text, const char* state, int ranks, int covered, std::uint64_t took_ns,
              std::uint64_t lost) {
  const unsigned long long took_us = took_ns / 1000;
  text.add("# colltree record %d\n# state %s\n# ranks %d\n# ranks_covered %d\n", kRecordVersion,
           state, ranks, covered);
  text.add("# seconds %llu.%06llu\n# calls_lost %llu\n", took_us / 1000000, took_us % 1000000,
           static_cast<unsigned long long>(lost));
}

// The model's texts about itself have no control characters.
void add_model(Text& text, const colltree_decision* model) {
  if (model == nullptr) return;
  const colltree_origin origin = colltree_decision_origin(model);
  char described[401];
  colltree_decision_describe(model, described, sizeof described);
  text.add("# model %s\n# model_provenance %.100s\n# model_algorithms %.100s\n# model_mpi %.100s\n",
           described, origin.provenance, origin.algorithms, origin.mpi);
}

// Into a file beside it that then takes its name: a reader sees the old record or the new, whole.
// A target that is no regular file (/dev/stderr) is written as it is.
const char* store(const char* path, Text& text) {
  if (!text.close()) return "out of memory";
  struct stat status = {};
  const bool in_place = ::stat(path, &status) == 0 && !S_ISREG(status.st_mode);
  char beside[PATH_MAX];
  const int length =
      std::snprintf(beside, sizeof beside, "%s.%ld", path, static_cast<long>(::getpid()));
  if (length >= static_cast<int>(sizeof beside)) return std::strerror(ENAMETOOLONG);
  const char* target = in_place ? path : beside;
  // A pipe without a reader would be waited for in MPI_Init.
  const int file = ::open(target, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK | O_CLOEXEC, 0666);
  if (file < 0) return errno == ENXIO ? "nobody reads this pipe" : std::strerror(errno);
  bool stored = ::fcntl(file, F_SETFL, 0) == 0 && write_all(file, text.data(), text.size());
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
  add_model(text, chooser.model());
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
  if (wrong != nullptr) say("%.4000s: %s; nothing is recorded", path, wrong);
  return wrong == nullptr;
}

const char* write_own_record(const Recorder& recorder, const Chooser& chooser,
                             const char* state) noexcept {
  return write_rows(recorder, chooser, state, 1);
}

void write_when_due(Recorder& recorder, const Chooser& chooser, std::uint64_t at_ns) noexcept {
  if (recorder.is_due(at_ns)) write_own_record(recorder, chooser, "running");
}

const char* write_record(Recorder& recorder, const Chooser& chooser, MPI_Comm world) noexcept {
  if (collect(recorder, world) != MPI_SUCCESS) {
    if (!is_fault_tolerant()) return "the ranks could not be asked";
    revoke(world);  // others may wait for this rank
    return recorder.rank() == 0 ? write_own_record(recorder, chooser, "failed") : nullptr;
  }
  return recorder.rank() == 0 ? write_rows(recorder, chooser, "complete", recorder.ranks())
                              : nullptr;
}

}  // namespace colltree::runtime
