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

// Notes how long this rank was in a call, for which `key` counts. Needs a record, as below.
void note_times(const RecordKey& key, MPI_Comm comm, int root, std::uint64_t begin_ns,
                std::uint64_t end_ns) noexcept;

// A call of this rank, without its size, method and time.
RecordRow row_of(Function function, MPI_Comm comm, Why why) noexcept;
void count(RecordRow& row, std::uint64_t took_ns) noexcept;

// Counts a call that came back with `rc`, and returns the key of its row. `request`: what it left,
// or MPI_REQUEST_NULL; a persistent one counts whenever it is started.
RecordKey count_passed(Function function, MPI_Comm comm, Why why, MPI_Request request, int rc,
                       std::uint64_t took_ns) noexcept;

// Makes the call, `call()`, and counts it. `root`: if it has one. `request`: where it leaves one.
template <typename Call, typename Request = MPI_Request>
int pass_on(Function function, MPI_Comm comm, Why why, int root, const Call& call,
            const Request* request = nullptr) {
  if (!is_recording()) return call();
  const std::uint64_t begin_ns = Recorder::now_ns();
  const int rc = call();
  const std::uint64_t end_ns = Recorder::now_ns();
  const bool has_request = request != nullptr && rc == MPI_SUCCESS;
  const RecordKey key =
      count_passed(function, comm, why, has_request ? request_of(*request) : MPI_REQUEST_NULL, rc,
                   end_ns - begin_ns);
  note_times(key, comm, root, begin_ns, end_ns);
  return rc;
}

}  // namespace colltree::runtime
