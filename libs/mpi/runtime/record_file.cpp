// SPDX-License-Identifier: BSD-3-Clause
// The record as a file, and how it is brought to the rank that writes it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <ranges>
#include <tuple>
#include <utility>

#include "algorithms/types.h"
#include "base/not_copied.h"
#include "runtime/messages.h"
#include "runtime/record.h"
#include "runtime/settings.h"

namespace colltree::runtime {

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
    "calls,bytes,rank_calls,total_us,min_us,max_us,site,symbol,sampled_calls,sampled_us,waiting_"
    "us,completing_us\n";

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

// Microseconds with three digits; %f would follow the program's locale.
void add_us(Text& text, std::uint64_t time_ns) {
  const unsigned long long ns = time_ns;
  text.add("%llu.%03llu", ns / 1000, ns % 1000);
}

// The columns that version 1 did not have.
void add_waiting(Text& text, const RecordRow& row, const Sites& sites) {
  const std::uint32_t number = row.key.site;
  const Site site = number == 0 || number > sites.count() ? Site{} : sites.data()[number - 1];
  text.add(",%s,%s,%llu", site.where, site.symbol,
           static_cast<unsigned long long>(row.sampled_calls));
  for (const std::uint64_t time_ns : {row.sampled_ns, row.waiting_ns, row.completing_ns}) {
    text.add(",");
    add_us(text, time_ns);
  }
  text.add("\n");
}

// Fields of a row that are not known stay empty.
void add_row(Text& text, const RecordRow& row, const Chooser& chooser, const Sites& sites) {
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
  for (const std::uint64_t time_ns : {row.total_ns, row.min_ns, row.max_ns}) {
    text.add(",");
    add_us(text, time_ns);
  }
  add_waiting(text, row, sites);
}

// The ranks that others waited for most, and the sum of that.
void add_late(Text& text, const Recorder& recorder) {
  const std::uint64_t* const late_ns = recorder.late_ns();
  int most[8] = {};
  const auto all_ranks = std::views::iota(0, recorder.ranks());
  const auto shown = std::ranges::partial_sort_copy(all_ranks, most, [&](int a, int b) {
    return std::tie(late_ns[b], a) < std::tie(late_ns[a], b);
  });
  for (const int* rank = most; rank != shown.out && late_ns[*rank] != 0; ++rank) {
    text.add("# late %d ", *rank);
    add_us(text, late_ns[*rank]);
    text.add("\n");
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
  add_late(text, recorder);
  text.add("%s", kColumns);
  std::size_t count = 0;
  const std::unique_ptr<RecordRow[]> rows = recorder.sorted(&count);
  if (rows == nullptr) return "out of memory";
  for (std::size_t i = 0; i < count; ++i) {
    // Alone, a rank counts every call of its communicators.
    if (covered == 1) rows[i].calls = rows[i].rank_calls;
    add_row(text, rows[i], chooser, recorder.sites());
  }
  return store(recorder.path(), text);
}

// Values of a type that is copied byte by byte.
template <typename Value>
int send_all(const Value* values, std::size_t count, int to, MPI_Comm world) {
  return PMPI_Send(values, static_cast<int>(count * sizeof(Value)), MPI_BYTE, to, kTag, world);
}

// Null: they did not come, or there is no memory for them.
template <typename Value>
std::unique_ptr<Value[]> receive_all(std::size_t* count, int from, MPI_Comm world) {
  MPI_Status status;
  int bytes = 0;
  if (PMPI_Probe(from, kTag, world, &status) != MPI_SUCCESS) return nullptr;
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  *count = static_cast<std::size_t>(bytes) / sizeof(Value);
  std::unique_ptr<Value[]> values(new (std::nothrow) Value[*count + 1]);
  if (values != nullptr &&
      PMPI_Recv(values.get(), bytes, MPI_BYTE, from, kTag, world, MPI_STATUS_IGNORE) != MPI_SUCCESS)
    values.reset();
  return values;
}

int send_rows(const Recorder& recorder, int to, MPI_Comm world) {
  std::size_t used = 0;
  const std::unique_ptr<RecordRow[]> rows = recorder.sorted(&used);
  COLLTREE_TRY(send_all(recorder.sites().data(), recorder.sites().count(), to, world));
  return send_all(rows.get(), rows == nullptr ? 0 : used, to, world);
}

// The sites get the numbers that this rank has for them.
int receive_rows(Recorder& recorder, int from, MPI_Comm world) {
  std::size_t site_count = 0;
  std::size_t row_count = 0;
  const auto sites = receive_all<Site>(&site_count, from, world);
  const auto rows = receive_all<RecordRow>(&row_count, from, world);
  if (sites == nullptr || rows == nullptr) return MPI_ERR_NO_MEM;
  std::uint16_t numbers[Sites::kMost + 1] = {};
  for (std::size_t i = 0; i < site_count; ++i) numbers[i + 1] = recorder.sites().add(sites[i]);
  for (std::size_t i = 0; i < row_count; ++i) {
    rows[i].key.site = numbers[rows[i].key.site];
    recorder.merge(rows[i]);
  }
  return MPI_SUCCESS;
}

// Adds up, on rank 0, whom the ranks waited for.
int collect_late(Recorder& recorder, MPI_Comm world) {
  std::uint64_t* const sums = recorder.late_ns();
  return recorder.rank() == 0
             ? PMPI_Reduce(MPI_IN_PLACE, sums, recorder.ranks(), MPI_UINT64_T, MPI_SUM, 0, world)
             : PMPI_Reduce(sums, nullptr, recorder.ranks(), MPI_UINT64_T, MPI_SUM, 0, world);
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
  if (collect_late(recorder, world) != MPI_SUCCESS || collect(recorder, world) != MPI_SUCCESS) {
    if (!is_fault_tolerant()) return "the ranks could not be asked";
    revoke(world);  // others may wait for this rank
    return recorder.rank() == 0 ? write_own_record(recorder, chooser, "failed") : nullptr;
  }
  return recorder.rank() == 0 ? write_rows(recorder, chooser, "complete", recorder.ranks())
                              : nullptr;
}

}  // namespace colltree::runtime
