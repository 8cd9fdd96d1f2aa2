// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/passed.h"

#include "runtime/communicator.h"
#include "runtime/record.h"

namespace colltree::runtime {

Why why_passed(Function function) noexcept {
  if (function.form == Form::kNonblocking) return Why::kNonblocking;
  if (function.form == Form::kPersistent) return Why::kPersistent;
  if (function.is_large) return Why::kLargeCount;
  return is_neighbourhood(function.operation) ? Why::kNeighbourhood : Why::kNoMethods;
}

RecordRow row_of(Function function, MPI_Comm comm, Why why) noexcept {
  RecordRow row;
  row.key.function = function;
  row.key.why = why;
  row.key.message_size = kUnknownSize;
  row.key.site = job->recorder->site();
  row.rank_calls = 1;
  const Communicator* on = communicator_of(comm);
  if (on == nullptr) return row;
  int rank = on->rank;
  int size = on->size;
  if (on->kind == Kind::kLeftAlone) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
  } else {
    row.key.nodes = static_cast<std::uint32_t>(on->nodes());
    row.key.ranks_per_node = static_cast<std::uint32_t>(on->ranks_per_node());
  }
  row.key.communicator_size = static_cast<std::uint32_t>(size);
  row.calls = rank == 0 ? 1 : 0;
  return row;
}

void count(RecordRow& row, std::uint64_t took_ns) noexcept {
  row.total_ns = row.min_ns = row.max_ns = took_ns;
  job->recorder->merge(row);
  write_when_due(*job->recorder, job->chooser, Recorder::now_ns());
}

void note_times(const RecordKey& key, MPI_Comm comm, int root, std::uint64_t begin_ns,
                std::uint64_t end_ns) noexcept {
  Communicator* const on = communicator_of(comm);
  // Neighbours alone wait for each other.
  if (!job->settings.sample || on == nullptr || on->kind != Kind::kDecided ||
      key.function.form != Form::kBlocking || is_neighbourhood(key.function.operation))
    return;
  const SampledCall noted{.key = key, .begin_ns = begin_ns, .took_ns = end_ns - begin_ns};
  note_call(*on, noted, root, *job->recorder);
}

RecordKey count_passed(Function function, MPI_Comm comm, Why why, MPI_Request request, int rc,
                       std::uint64_t took_ns) noexcept {
  RecordRow row = row_of(function, comm, why);
  if (rc != MPI_SUCCESS) return row.key;
  const bool is_posted = function.form != Form::kPersistent;
  if (request != MPI_REQUEST_NULL && !requests.add(request, row, is_posted)) job->recorder->lose();
  if (is_posted) count(row, took_ns);
  return row.key;
}

}  // namespace colltree::runtime
