// SPDX-License-Identifier: BSD-3-Clause
// Collective calls that this library passes on to MPI: they are counted when a record is written,
// and blocking ones timed.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "runtime/job.h"
#include "runtime/record.h"

namespace colltree::runtime {

inline bool is_recording() { return job != nullptr && job->recorder != nullptr; }

// At the beginning of an MPI function that this library stands in front of: where it returns to.
[[gnu::always_inline]] inline void note_caller() {
  if (is_recording()) caller = __builtin_return_address(0);
}

// Why a function is passed on wherever it is called.
Why why_passed(Function function) noexcept;

// A blocking call that came back without an error. Needs a record, as all below.
void count_passed(Function function, MPI_Comm comm, Why why, std::uint64_t took_ns) noexcept;
// The key of its row.
RecordKey passed_key(Function function, MPI_Comm comm, Why why) noexcept;
// A nonblocking one that was started: when it ends is the program's affair.
void count_started(Function function, MPI_Comm comm) noexcept;
// A persistent one is counted whenever its request is started.
void remember_request(Function function, MPI_Comm comm, MPI_Request request) noexcept;
void count_start(MPI_Request request) noexcept;  // of any kind
void forget_request(MPI_Request request) noexcept;

// Makes the call, `call()`, and counts it.
template <typename Call>
int pass_on(Function function, MPI_Comm comm, Why why, const Call& call) {
  if (!is_recording()) return call();
  const std::uint64_t begin_ns = Recorder::now_ns();
  const int rc = call();
  if (rc == MPI_SUCCESS) count_passed(function, comm, why, Recorder::now_ns() - begin_ns);
  return rc;
}

}  // namespace colltree::runtime
