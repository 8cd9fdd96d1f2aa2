// SPDX-License-Identifier: BSD-3-Clause
#include <dlfcn.h>
#include <execinfo.h>
#include <mpi.h>
#include <sched.h>
#include <unwind.h>

#include <cstddef>
#include <cstring>

#include "measure/rank/witness.h"

namespace colltree {

namespace {

bool tracing = false;
CallTrace trace;
bool shares_cores = true;  // until it is known
bool is_ending = false;    // in MPI_Finalize

const void* library_of(const void* address) {
  Dl_info found{};
  return dladdr(address, &found) != 0 ? found.dli_fbase : nullptr;
}

// By a function that no tool in front of the library defines.
bool in_mpi_library(const void* address) {
  static const void* const mpi = library_of(reinterpret_cast<void*>(&PMPI_Get_version));
  return mpi != nullptr && library_of(address) == mpi;
}

void note_stack() {
  if (!tracing) return;
  tracing = false;  // backtrace may allocate
  void* frames[64];
  const int count = backtrace(frames, 64);
  for (int i = 0; i < count; ++i) {
    // A return address may lie behind the function that ends with the call.
    auto* inside = static_cast<char*>(frames[i]) - 1;
    if (in_mpi_library(inside)) trace.insert(_Unwind_FindEnclosingFunction(inside));
  }
  tracing = true;
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void start_trace() {
  trace.clear();
  tracing = true;
}

CallTrace stop_trace() {
  tracing = false;
  return trace;
}

bool has_witness() { return false; }
void reset_witness() {}
std::vector<int> witnessed_ids(Collective) { return {}; }

void yield_while_waiting(bool on) { shares_cores = on; }

}  // namespace colltree

// As ucp/api/ucp.h declares them; requests and parameters are only handed on.
extern "C" void* ucp_tag_send_nbx(void* endpoint, const void* buffer, std::size_t count,
                                  unsigned long tag, const void* parameters) {
  using Send = void*(void*, const void*, std::size_t, unsigned long, const void*);
  static auto* const library = colltree::next<Send>("ucp_tag_send_nbx");
  colltree::note_stack();
  return library(endpoint, buffer, count, tag, parameters);
}

extern "C" void* ucp_tag_recv_nbx(void* worker, void* buffer, std::size_t count, unsigned long tag,
                                  unsigned long mask, const void* parameters) {
  using Receive = void*(void*, void*, std::size_t, unsigned long, unsigned long, const void*);
  static auto* const library = colltree::next<Receive>("ucp_tag_recv_nbx");
  colltree::note_stack();
  return library(worker, buffer, count, tag, mask, parameters);
}

// MPICH over UCX never gives its core away while it waits: with more ranks than cores a message
// costs a slice of the scheduler, milliseconds. This takes the place of UCX's progress function, in
// this program only, and yields when there was no progress and ranks share cores.
extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static auto* const next = reinterpret_cast<Progress*>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned events = next(worker);
  if (events == 0 && colltree::shares_cores) sched_yield();
  return events;
}

// MPI_Finalize closes each connection and waits until the other side has heard of it, but who has
// closed all of his goes to a barrier in which he hears nothing: over TCP on four nodes such a job
// never ends (MPICH 4.0.2). Closing is nothing to wait for where the process ends anyway.
extern "C" void* ucp_disconnect_nb(void* endpoint) {
  using Disconnect = void*(void*);
  static auto* const library = colltree::next<Disconnect>("ucp_disconnect_nb");
  return colltree::is_ending ? nullptr : library(endpoint);
}

extern "C" int MPI_Finalize() {
  colltree::is_ending = true;
  return PMPI_Finalize();
}
