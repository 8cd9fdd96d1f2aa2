// SPDX-License-Identifier: BSD-3-Clause
// The line of a Python program that calls MPI by mpi4py, asked of the interpreter in this process
// by its C functions, which this library is not linked with.
#pragma once

#include "base/not_copied.h"

namespace colltree::runtime {

struct Site;

// The frame of this thread. It holds the interpreter's lock, which mpi4py gave back for the call,
// and therefore is only there while no other thread of Python could hold that lock, perhaps in MPI.
class PythonFrame : NotCopied {
 public:
  PythonFrame() noexcept;
  ~PythonFrame();

  // Tells the lines of a process apart; no address of code. Null: there is no frame.
  const void* key() const { return key_; }
  // "FILE:LINE" and the function's name. Once for each key: what it stands for is kept for ever.
  bool describe(Site* site) const noexcept;

 private:
  void* code_ = nullptr;
  int line_ = 0;
  int state_ = 0;
  bool is_locked_ = false;
  const void* key_ = nullptr;
};

}  // namespace colltree::runtime
