// SPDX-License-Identifier: BSD-3-Clause
// The requests of collective calls while a record is written: the rows that they count for, and
// the time of the calls that start and complete them.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "runtime/record.h"

namespace colltree::runtime {

// Handles and counts, as C or Fortran passes them.
inline MPI_Request request_of(MPI_Request request) { return request; }
#ifdef OPEN_MPI
inline MPI_Request request_of(MPI_Fint request) { return PMPI_Request_f2c(request); }
#endif
inline int value_of(int count) { return count; }
inline int value_of(const int* count) { return *count; }

inline constexpr int kStarted = -1;

// The requests of a list that a call completed: all if it has a `count`, or those in `indices`, as
// many and beginning at `first`. Or it started all.
struct Completed {
  int count = 0;
  const int* indices = nullptr;
  int first = 0;

  bool contains(int index) const {
    const int* const end = indices + std::max(count, 0);
    return indices == nullptr ? count != 0 : std::find(indices, end, index + first) != end;
  }
};

// Safe with MPI_THREAD_MULTIPLE.
class Requests {
 public:
  struct Entry {
    MPI_Request request = MPI_REQUEST_NULL;
    RecordRow row;           // one call, and the time in tests that did not complete it
    bool is_active = false;  // it was started and is not complete
    int index = 0;           // in the list of the call that took it
    bool is_done = false;    // by that call
    std::unique_ptr<Entry> next;
  };

  bool is_empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  // False: there is no memory.
  bool add(MPI_Request request, const RecordRow& row, bool is_active) noexcept;
  // Takes those of a list out, because MPI may give their handles to another thread while the call
  // with that list still runs.
  template <typename Request>
  std::unique_ptr<Entry> take(int count, const Request* list) {
    std::unique_ptr<Entry> taken;
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int i = 0; i < count; ++i) {
      std::unique_ptr<Entry>& link = link_to(request_of(list[i]));
      if (link == nullptr) continue;
      std::unique_ptr<Entry> entry = unlink(link);
      entry->index = i;
      entry->next = std::move(taken);
      taken = std::move(entry);
    }
    return taken;
  }
  void put_back(std::unique_ptr<Entry> entry) noexcept;

 private:
  std::unique_ptr<Entry>& link_to(MPI_Request request);
  std::unique_ptr<Entry> unlink(std::unique_ptr<Entry>& link);

  std::mutex mutex_;
  std::atomic<std::size_t> count_{0};
  std::array<std::unique_ptr<Entry>, 256> lists_;
};

extern Requests requests;

// Divides the time of a call that began then equally among the collectives that it started or
// completed (`is_done`), or if it completed `nothing` among all that it was given.
void account(Requests::Entry* taken, bool started, bool nothing, std::uint64_t begin_ns) noexcept;

// Makes the call, `call()`, which starts or completes requests of the list: `completed()`.
template <typename Request, typename Call, typename Done>
int account_for(int count, const Request* list, const Call& call, const Done& completed) {
  if (requests.is_empty() || list == nullptr) return call();
  const std::uint64_t begin_ns = Recorder::now_ns();
  std::unique_ptr<Requests::Entry> taken = requests.take(count, list);
  const int rc = call();
  const auto is_left = [&](const Requests::Entry& entry) {
    return request_of(list[entry.index]) == entry.request;
  };
  if (rc == MPI_SUCCESS && taken != nullptr) {
    const Completed done = completed();
    for (Requests::Entry* entry = taken.get(); entry != nullptr; entry = entry->next.get())
      entry->is_done = !is_left(*entry) || done.contains(entry->index);
    account(taken.get(), done.count == kStarted, done.count == 0, begin_ns);
  }
  while (taken != nullptr) {
    std::unique_ptr<Requests::Entry> entry = std::move(taken);
    taken = std::move(entry->next);
    if (is_left(*entry)) requests.put_back(std::move(entry));
  }
  return rc;
}

}  // namespace colltree::runtime
