// SPDX-License-Identifier: BSD-3-Clause
// How long ranks wait in a collective for the last of them, while a record is written. Each rank
// notes when it came to some calls of a communicator, one of 2^k, and after up to 256 of them all
// ranks bring these times together by an allreduce, by a clock that they share. Its number decides
// whether a call is noted, and k what was agreed on in the exchange before, so ranks never differ.
// The exchanges take less than 1 % of the time of the calls.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "runtime/record_key.h"

namespace colltree::runtime {

class Recorder;
struct Communicator;

struct SampledCall {
  RecordKey key;
  std::uint64_t begin_ns = 0;
  std::uint64_t took_ns = 0;
  std::uint32_t stands_for = 1;  // calls of the communicator, itself one of them
  bool is_waited_for = true;     // this rank, by others
};

// The samples of a communicator's calls. The times and calls are this rank's, all other numbers the
// same on all ranks.
struct Samples {
  std::uint64_t calls = 0;
  std::uint64_t newest = 0;  // number of the call that was noted last; 0: none
  std::uint64_t next = 1;    // number of the call to note; 0: none any more
  std::uint64_t gap = 1;     // calls from one to the next in the mean: 2^k
  std::uint64_t exchanges = 0;
  std::uint32_t noted = 0;
  std::uint32_t wanted = 4;  // that many are brought together
  std::uint64_t time_ns = 0;
  std::uint64_t cost_ns = 0;
  std::unique_ptr<SampledCall[]> noted_calls;  // null: no memory, or none yet
};

// This rank's clock plus an offset is that of the communicator's rank 0. The offset is estimated by
// ping-pong at each exchange, because clocks of different nodes drift, and the calls between two
// estimates have one on the line between. In nanoseconds.
struct ClockLine {
  double offset = 0;
  double local = 0;  // this rank's clock at the estimate
  double offset_before = 0;
  double local_before = 0;  // and at the estimate before; 0: none

  double shared(double time) const;
};

// Behind every call of `on`; collective where times are brought together. `root`: if it has one.
void note_call(Communicator& on, const SampledCall& noted, int root, Recorder& recorder) noexcept;

// Brings together what is noted; collective.
void bring_together(Communicator& on, Recorder& recorder) noexcept;

}  // namespace colltree::runtime
