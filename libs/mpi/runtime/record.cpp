// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/record.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <ctime>
#include <functional>
#include <memory>
#include <new>
#include <string_view>

#include "algorithms/types.h"

namespace colltree::runtime {

namespace {

constexpr std::size_t kFirstCapacity = 256;
constexpr std::size_t kMostExact = 4096;   // rows; beyond, sizes are rounded down to powers of two
constexpr std::size_t kMostSited = 32768;  // beyond, without the call site
constexpr std::size_t kMost = 65536;
constexpr std::uint64_t kInterval_ns = 10'000'000'000;

std::size_t hash(const RecordKey& key) {
  return std::hash<std::string_view>{}({reinterpret_cast<const char*>(&key), sizeof key});
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
  COLLTREE_TRY(PMPI_Comm_size(world, &ranks_));
  late_ns_.reset(new (std::nothrow) std::uint64_t[static_cast<std::size_t>(ranks_)]());
  return late_ns_ == nullptr ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

bool Recorder::is_first_process() const noexcept { return rank_ == 0 && process_ == ::getpid(); }

void Recorder::add_sample(const SampledCall& sample, std::uint64_t waiting_ns,
                          int late_rank) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  RecordRow* const row = place(sample.key, false);
  if (row == nullptr) return;
  ++row->sampled_calls;
  row->sampled_ns += sample.stands_for * sample.took_ns;
  row->waiting_ns += sample.stands_for * waiting_ns;
  late_ns_[static_cast<std::size_t>(late_rank)] += sample.stands_for * waiting_ns;
}

void Recorder::merge(const RecordRow& row) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  RecordRow* sum = place(row.key, true);
  if (sum == nullptr) {
    lost_ += row.rank_calls;
    return;
  }
  if (row.rank_calls != 0)
    sum->min_ns = sum->rank_calls == 0 ? row.min_ns : std::min(sum->min_ns, row.min_ns);
  sum->max_ns = std::max(sum->max_ns, row.max_ns);
  sum->calls += row.calls;
  sum->rank_calls += row.rank_calls;
  sum->total_ns += row.total_ns;
  sum->completing_ns += row.completing_ns;
  sum->sampled_calls += row.sampled_calls;
  sum->sampled_ns += row.sampled_ns;
  sum->waiting_ns += row.waiting_ns;
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
  std::ranges::sort(rows.get(), end, {}, &RecordRow::key);
  return rows;
}

// The row of the key, or the empty place where it belongs. There is always one.
RecordRow* Recorder::find(const RecordKey& key) const {
  std::size_t index = hash(key) & (capacity_ - 1);
  while (rows_[index].rank_calls != 0 && rows_[index].key != key)
    index = (index + 1) & (capacity_ - 1);
  return &rows_[index];
}

RecordRow* Recorder::place(RecordKey key, bool may_add) {
  if (used_ * 2 >= capacity_ && !grow()) return nullptr;
  RecordRow* row = find(key);
  if (row->rank_calls == 0 && used_ >= kMostExact && key.message_size != kUnknownSize) {
    key.message_size = std::bit_floor(key.message_size);
    row = find(key);
  }
  if (row->rank_calls == 0 && used_ >= kMostSited) {
    key.site = 0;
    row = find(key);
  }
  if (row->rank_calls != 0) return row;
  if (!may_add || used_ >= kMost) return nullptr;
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

}  // namespace colltree::runtime
