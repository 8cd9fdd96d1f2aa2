// SPDX-License-Identifier: BSD-3-Clause
// The calls of an application and how often it makes them: weights for fitting and for the order of
// tests (2007, section 5, the last item of future work). CSV (docs/reference/formats/mix.md):
//   collective,communicator_size,message_size,calls
// The record of a job is accepted as a mix, too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coll/method.h"

namespace colltree {

// The call site of a row: "FILE+0xOFFSET" or, in Python, "FILE:LINE", and the function where it is
// known. Both are empty if the site is not known.
struct CallSite {
  std::string where;
  std::string symbol;

  auto operator<=>(const CallSite&) const = default;
};

// The content of a job's flight record (docs/reference/formats/record.md): its collective calls,
// how each was decided and how long they took.
struct RecordedCalls {
  Instance instance;
  Method method;            // without a segment size: the library's own choice
  std::string why;          // "model", "default", ...
  std::uint64_t calls = 0;  // of the communicators, each counted once
  std::uint64_t bytes = 0;  // calls x message size
  std::uint64_t rank_calls = 0;
  double total_us = 0;  // over all ranks
  double min_us = 0;
  double max_us = 0;
  CallSite site;
  std::uint64_t sampled_calls = 0;  // of rank_calls
  double sampled_us = 0;            // of these, each times the calls that it stands for
  double waiting_us = 0;            // the part of that in which ranks waited for the last of them
};

// Calls that the runtime library passed on to MPI without deciding.
struct PassedCalls {
  std::string function;  // as it is called, without MPI_: "gatherv", "ibcast", "bcast_init_c"
  std::string why;       // "nonblocking", "intercommunicator", ...
  std::uint64_t communicator_size = 0;  // 0 = not known, as the next two
  std::uint64_t nodes = 0;
  std::uint64_t ranks_per_node = 0;
  std::uint64_t calls = 0;
  std::uint64_t rank_calls = 0;
  // None: nonblocking or persistent, in a record of version 1.
  std::optional<double> total_us;
  double completing_us = 0;  // of that, in MPI_Wait, MPI_Test and their families
  CallSite site;
};

// A rank that came last in sampled calls, and how long the others waited for it in sum.
struct LateRank {
  std::uint64_t rank = 0;
  double waiting_us = 0;
};

struct CallRecord {
  std::string state;  // "complete"; "running", "aborted", "exited": of the covered ranks only
  std::uint64_t ranks = 0;
  std::uint64_t ranks_covered = 0;
  double seconds = 0;  // from the end of MPI_Init
  std::uint64_t calls_lost = 0;
  std::string model;  // what it says of itself; "" = there was none
  std::string model_provenance, model_algorithms, model_mpi;  // as ModelOrigin; "" = not known
  std::vector<LateRank> late;                                 // the worst few, the worst first
  std::vector<RecordedCalls> rows;
  std::vector<PassedCalls> passed;
};

// The first line tells.
bool is_call_record(std::string_view content);

// Throws ParseError with the line: no record, a newer version, a missing column, a bad value.
CallRecord parse_call_record(std::string_view content, std::string_view file);
CallRecord load_call_record(const std::filesystem::path& path);

struct CallCount {
  Instance instance;
  double calls = 0;
};

// Throws ParseError with the line: header, number of fields, unknown collective, calls not above 0.
std::vector<CallCount> parse_call_mix(std::string_view content, std::string_view file);
std::vector<CallCount> load_call_mix(const std::filesystem::path& path);

}  // namespace colltree
