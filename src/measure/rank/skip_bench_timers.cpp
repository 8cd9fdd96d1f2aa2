// SPDX-License-Identifier: BSD-3-Clause
// SMPI brackets every MPI call with CPU timers, to charge the application's own computation. Our
// platforms switch that off (smpi/simulate-computation:no), but 3.32 reads the clock all the same:
// a third of the time of a campaign. These take the place of SimGrid's functions of the same name,
// in this program only; results are the same to the last bit (tests/measure). Internals of SimGrid:
// only for versions it was tried with.
// clang-format off: version.h needs the macros of forward.h
#include <simgrid/forward.h>
#include <simgrid/version.h>
// clang-format on

#if SIMGRID_VERSION >= 33200 && SIMGRID_VERSION < 33300

extern "C" {

void xbt_os_threadtimer_start(void*) {}
void xbt_os_threadtimer_stop(void*) {}
void xbt_os_threadtimer_resume(void*) {}

}  // extern "C"

#endif
