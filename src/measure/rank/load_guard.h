// SPDX-License-Identifier: BSD-3-Clause
// Whether somebody else used the machine while we measured: the processor time of all nodes of the
// communicator (/proc/stat, in ticks of 10 ms) without that of our own ranks.
#pragma once

#include <mpi.h>

#include <optional>

#include "measure/foreign_load.h"

namespace colltree {

class LoadGuard {
 public:
  explicit LoadGuard(MPI_Comm world);  // collective

  // Begins a new stretch on this rank.
  void start();

  // Share of all cores that others used in the stretch, on every rank; none while the stretch is
  // too short to tell (0.1 s). Collective over comm, the first ranks of the world.
  std::optional<double> look(MPI_Comm comm);

  // Sleeps until the stretch is long enough to tell.
  void wait() const;

 private:
  ProcessorTime now() const;

  bool first_of_node_ = false;
  ProcessorTime begin_;
  double began_s_ = 0;
};

}  // namespace colltree
