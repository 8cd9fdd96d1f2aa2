// SPDX-License-Identifier: BSD-3-Clause
// The record as a file: docs/formats/record.md.
#pragma once

#include <mpi.h>

#include "runtime/pmpi/chooser.h"
#include "runtime/pmpi/record.h"

namespace colltree {

inline constexpr int kRecordVersion = 1;

// Writes an empty record, state "running". False: it cannot be written, which was said.
bool begin_record_file(const char* path) noexcept;

// What this rank knows. Null, or what went wrong (static text).
const char* write_own_record(const Recorder& recorder, const Chooser& chooser,
                             const char* state) noexcept;

// Brings the rows of all ranks to rank 0, which writes them. Collective over `world`.
const char* write_record(Recorder& recorder, const Chooser& chooser, MPI_Comm world) noexcept;

}  // namespace colltree
