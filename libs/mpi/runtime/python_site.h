// SPDX-License-Identifier: BSD-3-Clause
// The line of a Python program that calls MPI by mpi4py, asked of the interpreter in this process
// by its C functions, which this library is not linked with. They need the interpreter's lock,
// which mpi4py gave back for the call, and so are only called while no other thread of Python could
// hold that lock, perhaps in MPI.
#pragma once

namespace colltree::runtime {

struct Site;

// Tells the lines of a process apart; no address of code. Null: this thread is in no such line.
const void* python_line() noexcept;

// Describes this thread's line: "FILE:LINE" and the function's name. Once for each line, whose code
// is kept for ever.
bool describe_python_line(Site* site) noexcept;

}  // namespace colltree::runtime
