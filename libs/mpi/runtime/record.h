// SPDX-License-Identifier: BSD-3-Clause
// The flight recorder (COLLTREE_RECORD): what was called, how it was decided, and what it took.
#pragma once

#include <mpi.h>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "algorithms/collective_call.h"
#include "coll/collective.h"
#include "runtime/chooser.h"
#include "runtime/communicator.h"
#include "runtime/sites.h"
#include "runtime/waiting.h"

// MPI 4 headers have large counts and persistent collectives; older ones may have the latter alone.
#if MPI_VERSION >= 4
#define COLLTREE_HAS_LARGE_COUNTS
#endif
#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define COLLTREE_HAS_PERSISTENT
#endif
// Open MPI 4 has them as MPIX_Bcast_init, if it was built so.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION == 4
#include <mpi-ext.h>
#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define COLLTREE_HAS_PERSISTENT_X
#endif
#endif

namespace colltree::runtime {

// The collective functions of the standard as data: an operation of collectives.def in one of its
// forms. MPI_Ibcast_c is the nonblocking bcast with large counts.
enum class Operation : std::uint8_t {
#define COLLTREE_COLLECTIVE(Name, ...) k##Name,
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
};

inline constexpr const char* kOperationNames[] = {
#define COLLTREE_COLLECTIVE(Name, name, ...) #name,
#define COLLTREE_UNDECIDED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
};

static_assert(static_cast<int>(Operation::kScatterv) == static_cast<int>(Collective::kScatterv));

enum class Form : std::uint8_t { kBlocking, kNonblocking, kPersistent };

struct Function {
  Operation operation = Operation::kBarrier;
  Form form = Form::kBlocking;
  bool is_large = false;

  auto operator<=>(const Function&) const = default;
};

// Both enumerations have the numbers of coll/collective.h.
constexpr Function function_of(Collective collective) {
  return {static_cast<Operation>(collective)};
}

constexpr bool is_neighbourhood(Operation operation) {
  return operation >= Operation::kNeighbor_allgather;
}

inline constexpr std::uint64_t kUnknownSize = UINT64_MAX;  // of a call that is passed on unseen

struct RecordKey {
  std::uint64_t message_size = 0;
  std::uint32_t communicator_size = 0;
  std::uint32_t nodes = 0;
  std::uint32_t ranks_per_node = 0;
  std::uint16_t method = kLibrary;
  std::uint16_t site = 0;  // as Sites numbers it
  Function function;
  Why why = Why::kNoModel;

  auto operator<=>(const RecordKey&) const = default;
};

struct RecordRow {
  RecordKey key;
  std::uint64_t calls = 0;       // counted by rank 0 of each communicator
  std::uint64_t rank_calls = 0;  // by every rank; 0: an empty place
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

  void add(const algorithms::CollectiveCall& call, const Communicator& on,
           const algorithms::CallFacts& facts, const Choice& choice, std::uint64_t took_ns,
           const Waited& waited) noexcept;
  void merge(const RecordRow& row) noexcept;
  void lose() noexcept;  // calls that cannot be counted
  // The call that this thread is in has this site.
  std::uint16_t site() noexcept { return sites_.find(caller); }
  Sites& sites() noexcept { return sites_; }
  const Sites& sites() const noexcept { return sites_; }
  // Sums of waiting by the rank that was waited for; null: nobody waited.
  const std::uint64_t* late_ns() const noexcept { return late_ns_.get(); }
  std::uint64_t* make_late_ns() noexcept;  // null without memory

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
  RecordRow* place(RecordKey key);
  bool grow();
  void add_late(const Waited& waited);

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
