// SPDX-License-Identifier: BSD-3-Clause
// MPICH over UCX never yields the processor while it waits: with more ranks than cores a message
// costs a scheduler slice. LD_PRELOAD this, and an empty progress call gives the core away.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>

typedef unsigned progress_function(void*);

unsigned ucp_worker_progress(void* worker) {
  static progress_function* next;
  if (!next) next = (progress_function*)dlsym(RTLD_NEXT, "ucp_worker_progress");
  unsigned events = next(worker);
  if (events == 0) sched_yield();
  return events;
}
