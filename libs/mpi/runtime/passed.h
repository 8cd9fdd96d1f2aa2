// SPDX-License-Identifier: BSD-3-Clause
// Collective calls that this library passes on to MPI: they are counted and timed when a record is
// written.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "runtime/job.h"
#include "runtime/record.h"
#include "runtime/requests.h"

namespace colltree::runtime {

inline bool is_recording() { return job != nullptr && job->recorder != nullptr; }

// At the beginning of an MPI function that this library stands in front of: where it returns to.
[[gnu::always_inline]] inline void note_caller() {
  if (is_recording()) caller = __builtin_return_address(0);
}

// Why a function is passed on wherever it is called.
Why why_passed(Function function) noexcept;

// Counts a call that came back without an error, with its time. `request`: what it left, or
// MPI_REQUEST_NULL; a persistent one counts whenever it is started. Needs a record, as below.
void count_passed(Function function, MPI_Comm comm, Why why, MPI_Request request,
                  std::uint64_t took_ns) noexcept;
// The key of its row.
RecordKey passed_key(Function function, MPI_Comm comm, Why why) noexcept;

// Makes the call, `call()`, and counts it. `request`: where it leaves one.
template <typename Call, typename Request = MPI_Request>
int pass_on(Function function, MPI_Comm comm, Why why, const Call& call,
            const Request* request = nullptr) {
  if (!is_recording()) return call();
  const std::uint64_t begin_ns = Recorder::now_ns();
  const int rc = call();
  const std::uint64_t took_ns = Recorder::now_ns() - begin_ns;
  if (rc == MPI_SUCCESS)
    count_passed(function, comm, why, request == nullptr ? MPI_REQUEST_NULL : request_of(*request),
                 took_ns);
  return rc;
}

}  // namespace colltree::runtime
