// SPDX-License-Identifier: BSD-3-Clause
// MPICH over UCX never gives its core away while it waits: with more ranks than cores a message
// costs a slice of the scheduler, milliseconds. This takes the place of UCX's progress function, in
// this program only, and yields when there was no progress and ranks share cores.
#include "measure/rank/yield_while_waiting.h"

#include <dlfcn.h>
#include <sched.h>

namespace colltree {

namespace {

bool shares_cores = true;  // until it is known

}  // namespace

void yield_while_waiting(bool on) { shares_cores = on; }

}  // namespace colltree

extern "C" unsigned ucp_worker_progress(void* worker) {
  using Progress = unsigned(void*);
  static auto* const next = reinterpret_cast<Progress*>(dlsym(RTLD_NEXT, "ucp_worker_progress"));
  const unsigned events = next(worker);
  if (events == 0 && colltree::shares_cores) sched_yield();
  return events;
}
