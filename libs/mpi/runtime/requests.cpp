// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/requests.h"

#include <cstring>
#include <new>
#include <utility>

#include "runtime/passed.h"

namespace colltree::runtime {

Requests requests;

namespace {

// The end of this thread's last call that completed nothing. What follows so closely is of the same
// loop, of which this library itself takes a part.
constinit thread_local std::uint64_t tested_ns [[gnu::tls_model("initial-exec")]] = 0;
constexpr std::uint64_t kSameLoop_ns = 500;

}  // namespace

// The entry of the request, or the end of its list.
std::unique_ptr<Requests::Entry>& Requests::link_to(MPI_Request request) {
  std::uintptr_t handle = 0;
  std::memcpy(&handle, &request, sizeof request);
  std::unique_ptr<Entry>* link = &lists_[(handle ^ handle >> 6 ^ handle >> 12) % lists_.size()];
  while (*link != nullptr && (*link)->request != request) link = &(*link)->next;
  return *link;
}

std::unique_ptr<Requests::Entry> Requests::unlink(std::unique_ptr<Entry>& link) {
  std::unique_ptr<Entry> entry = std::move(link);
  link = std::move(entry->next);
  count_.fetch_sub(1, std::memory_order_relaxed);
  return entry;
}

void Requests::put_back(std::unique_ptr<Entry> entry) noexcept {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Entry>& link = link_to(entry->request);
  if (link != nullptr) unlink(link);  // its end was not seen
  entry->next = std::move(link);
  link = std::move(entry);
  count_.fetch_add(1, std::memory_order_relaxed);
}

bool Requests::add(MPI_Request request, const RecordRow& row, bool is_active) noexcept {
  std::unique_ptr<Entry> entry(new (std::nothrow) Entry{request, row, is_active});
  if (entry == nullptr) return false;
  put_back(std::move(entry));
  return true;
}

void account(Requests::Entry* taken, bool started, bool nothing, std::uint64_t begin_ns) noexcept {
  if (!is_recording()) return;
  if (begin_ns - tested_ns < kSameLoop_ns) begin_ns = tested_ns;
  const auto shares = [&](const Requests::Entry& entry) {
    return entry.is_active != started && (entry.is_done || nothing);
  };
  std::uint64_t sharing = 0;
  for (const Requests::Entry* entry = taken; entry != nullptr; entry = entry->next.get())
    sharing += shares(*entry) ? 1 : 0;
  const std::uint64_t end_ns = Recorder::now_ns();
  for (Requests::Entry* entry = taken; entry != nullptr; entry = entry->next.get()) {
    if (!shares(*entry)) continue;
    RecordRow row = entry->row;
    const std::uint64_t share_ns = (end_ns - begin_ns) / sharing;
    entry->row.completing_ns = nothing ? row.completing_ns + share_ns : 0;
    if (nothing) continue;
    entry->is_active = started;
    if (started) {
      row.total_ns = row.min_ns = row.max_ns = share_ns;
    } else {
      row.calls = row.rank_calls = 0;
      row.completing_ns += share_ns;
    }
    job->recorder->merge(row);
  }
  tested_ns = nothing ? end_ns : 0;
  if (!nothing) write_when_due(*job->recorder, job->chooser, end_ns);
}

}  // namespace colltree::runtime
