// SPDX-License-Identifier: BSD-3-Clause
// The flight recorder (COLLTREE_RECORD): what was called, how it was decided, and what it took.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/chooser.h"
#include "runtime/communicator.h"
#include "runtime/record_key.h"
#include "runtime/sites.h"

namespace colltree::runtime {

struct RecordRow {
  RecordKey key;
  std::uint64_t calls = 0;          // counted by rank 0 of each communicator
  std::uint64_t rank_calls = 0;     // by every rank; 0: an empty place
  std::uint64_t completing_ns = 0;  // in calls that complete what these leave
  std::uint64_t total_ns = 0;
  std::uint64_t min_ns = 0;
  std::uint64_t max_ns = 0;
  std::uint64_t sampled_calls = 0;  // of rank_calls
  // Time of the ranks in the sampled calls and waiting, each call times the calls that it stands
  // for.
  std::uint64_t sampled_ns = 0;
  std::uint64_t waiting_ns = 0;
};

// Safe with MPI_THREAD_MULTIPLE.
class Recorder {
 public:
  static std::uint64_t now_ns() noexcept;

  // `path`: of the file; must outlive it. Returns an MPI error code.
  int open(const char* path, MPI_Comm world) noexcept;

  // A sample of a call that was counted. The times are those of one call.
  void add_sample(const SampledCall& sample, std::uint64_t waiting_ns, int late_rank) noexcept;
  void merge(const RecordRow& row) noexcept;  // counts its calls
  void lose() noexcept;                       // calls that cannot be counted
  // The call that this thread is in has this site.
  std::uint16_t site() noexcept { return sites_.find(caller); }
  Sites& sites() noexcept { return sites_; }
  const Sites& sites() const noexcept { return sites_; }
  // Sums of waiting by the rank that was waited for.
  std::uint64_t* late_ns() const noexcept { return late_ns_.get(); }

  // Sorted by key. Null without memory.
  std::unique_ptr<RecordRow[]> sorted(std::size_t* count) const noexcept;

  std::uint64_t lost() const { return lost_; }  // calls without a row
  const char* path() const { return path_; }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  std::uint64_t begin_ns() const { return begin_ns_; }
  // Rank 0, and not a process that it forked.
  bool is_first_process() const noexcept;
  void close() noexcept { process_ = 0; }  // the last was written; it is no first process any more
  // True if rank 0 has not written for ten seconds; then it counts as written.
  bool is_due(std::uint64_t at_ns) noexcept;

 private:
  RecordRow* find(const RecordKey& key) const;
  RecordRow* place(RecordKey key, bool may_add);
  bool grow();

  mutable std::mutex mutex_;
  const char* path_ = "";
  long process_ = 0;
  int rank_ = 0;
  int ranks_ = 1;
  std::uint64_t begin_ns_ = 0;
  std::uint64_t written_ns_ = 0;
  std::unique_ptr<RecordRow[]> rows_;  // open addressing; half of it stays empty
  std::size_t capacity_ = 0;
  std::size_t used_ = 0;
  std::uint64_t lost_ = 0;
  Sites sites_;
  std::unique_ptr<std::uint64_t[]> late_ns_;
};

// The record as a file: docs/reference/formats/record.md.
inline constexpr int kRecordVersion = 2;

// Writes an empty record, state "running". False: it cannot be written, which was said.
bool begin_record_file(const char* path) noexcept;

// Writes the record as far as this rank knows it. Null, or what went wrong (static text).
const char* write_own_record(const Recorder& recorder, const Chooser& chooser,
                             const char* state) noexcept;

// The same while the job runs, not more often than a kill should lose.
void write_when_due(Recorder& recorder, const Chooser& chooser, std::uint64_t at_ns) noexcept;

// Brings the rows of all ranks to rank 0, which writes them. Collective over `world`.
const char* write_record(Recorder& recorder, const Chooser& chooser, MPI_Comm world) noexcept;

}  // namespace colltree::runtime
