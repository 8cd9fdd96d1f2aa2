// SPDX-License-Identifier: BSD-3-Clause
// The library's knowledge about the MPI job that it belongs to, from the end of MPI_Init to where
// MPI_Finalize ends what the program may still use.
#pragma once

#include <mpi.h>

#include <memory>

#include "runtime/chooser.h"
#include "runtime/communicator.h"
#include "runtime/record.h"
#include "runtime/settings.h"

namespace colltree::runtime {

struct Job {
  Settings settings;
  Chooser chooser;
  Nodes nodes;
  std::unique_ptr<Recorder> recorder;  // null: nothing is recorded
  MPI_Comm world = MPI_COMM_NULL;      // our copy of MPI_COMM_WORLD
};

// Null: this library does nothing. Not atomic: set while there is one thread, at the ends of the
// program.
extern Job* job;

extern bool job_was_begun;  // begin_job was called, with or without making one

// MPI_Init has passed here. Processes report to `colltree run` on their machine by lines in the
// file that COLLTREE_ENTRIES names: a process was loaded with this library, its MPI_Init passed
// here, or it ended without that. A process on another machine finds no such file.
void note_entry() noexcept;
void begin_job() noexcept;  // after MPI_Init; collective over MPI_COMM_WORLD
// If MPI_Init did not pass by this library, begins the job at the first blocking collective on
// MPI_COMM_WORLD, to which all ranks come in the same order. True if there is a job then.
bool begin_job_late(MPI_Comm comm) noexcept;
// True: the call is the MPI library's own.
inline bool is_without_job(MPI_Comm comm) {
  return job == nullptr && (job_was_begun || !begin_job_late(comm));
}
void end_job() noexcept;    // in MPI_Finalize, before MPI ends; likewise
void abort_job() noexcept;  // before MPI_Abort; local

}  // namespace colltree::runtime
