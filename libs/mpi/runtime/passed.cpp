// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/passed.h"

#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "runtime/communicator.h"
#include "runtime/record.h"

namespace colltree::runtime {

Why why_passed(Function function) noexcept {
  if (function.form == Form::kNonblocking) return Why::kNonblocking;
  if (function.form == Form::kPersistent) return Why::kPersistent;
  if (function.is_large) return Why::kLargeCount;
  return is_neighbourhood(function.operation) ? Why::kNeighbourhood : Why::kNoMethods;
}

namespace {

// One call of this rank, without its time.
RecordRow row_of(Function function, MPI_Comm comm, Why why) {
  RecordRow row;
  row.key.function = function;
  row.key.why = why;
  row.key.message_size = kUnknownSize;
  row.key.site = job->recorder->site();
  row.rank_calls = 1;
  const Communicator* on = communicator_of(comm);
  if (on == nullptr) return row;
  int rank = on->rank;
  int size = on->size;
  if (on->kind == Kind::kLeftAlone) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
  } else {
    row.key.nodes = static_cast<std::uint32_t>(on->nodes());
    row.key.ranks_per_node = static_cast<std::uint32_t>(on->ranks_per_node());
  }
  row.key.communicator_size = static_cast<std::uint32_t>(size);
  row.calls = rank == 0 ? 1 : 0;
  return row;
}

void record(const RecordRow& row) {
  job->recorder->merge(row);
  write_when_due(*job->recorder, job->chooser, Recorder::now_ns());
}

}  // namespace

void count_passed(Function function, MPI_Comm comm, Why why, std::uint64_t took_ns) noexcept {
  RecordRow row = row_of(function, comm, why);
  row.total_ns = row.min_ns = row.max_ns = took_ns;
  record(row);
}

RecordKey passed_key(Function function, MPI_Comm comm, Why why) noexcept {
  return row_of(function, comm, why).key;
}

void count_started(Function function, MPI_Comm comm) noexcept {
  record(row_of(function, comm, why_passed(function)));
}

namespace {

// The persistent collectives of the program by request.
class Requests {
 public:
  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }

  bool add(MPI_Request request, const RecordRow& row) {
    std::unique_ptr<Entry> entry(new (std::nothrow) Entry{request, row, nullptr});
    if (entry == nullptr) return false;
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Entry>& list = list_of(request);
    entry->next = std::move(list);
    list = std::move(entry);
    ++count_;
    return true;
  }

  bool find(MPI_Request request, RecordRow* row) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Entry* entry = link_to(request)->get();
    if (entry != nullptr) *row = entry->row;
    return entry != nullptr;
  }

  void remove(MPI_Request request) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<Entry>* link = link_to(request);
    if (*link == nullptr) return;
    *link = std::move((*link)->next);
    --count_;
  }

 private:
  struct Entry {
    MPI_Request request;
    RecordRow row;
    std::unique_ptr<Entry> next;
  };

  std::unique_ptr<Entry>& list_of(MPI_Request request) {
    std::uintptr_t handle = 0;
    std::memcpy(&handle, &request, sizeof request);
    return lists_[(handle ^ handle >> 6 ^ handle >> 12) % lists_.size()];
  }

  std::unique_ptr<Entry>* link_to(MPI_Request request) {
    std::unique_ptr<Entry>* link = &list_of(request);
    while (*link != nullptr && (*link)->request != request) link = &(*link)->next;
    return link;
  }

  std::mutex mutex_;
  std::atomic<std::size_t> count_{0};
  std::array<std::unique_ptr<Entry>, 256> lists_;
};

Requests requests;

}  // namespace

void remember_request(Function function, MPI_Comm comm, MPI_Request request) noexcept {
  const RecordRow row = row_of(function, comm, Why::kPersistent);
  if (!requests.add(request, row)) job->recorder->lose();
}

void count_start(MPI_Request request) noexcept {
  RecordRow row;
  if (!requests.is_empty() && requests.find(request, &row)) record(row);
}

void forget_request(MPI_Request request) noexcept {
  if (!requests.is_empty()) requests.remove(request);
}

}  // namespace colltree::runtime
