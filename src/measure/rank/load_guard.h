// SPDX-License-Identifier: BSD-3-Clause
// Whether somebody else used the machine while we measured: the processor time of all nodes of the
// communicator (/proc/stat, in ticks of 10 ms) without that of our own ranks. And whether our own
// ranks had a core each.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "measure/foreign_load.h"

namespace colltree {

class LoadGuard {
 public:
  // `cores`: that the job's ranks on this node may run on. Collective.
  LoadGuard(MPI_Comm world, int cores);

  // Begins a new stretch on this rank.
  void start();

  // Share of all cores that others used in the stretch, on every rank; none while the stretch is
  // too short to tell (0.1 s). Collective over comm, the first ranks of the world.
  std::optional<double> look(MPI_Comm comm);

  // How many cores a node has where more ranks of comm than these lie on it, `here` of them on this
  // node; 0: no node is so. On every rank. Collective over comm.
  std::uint64_t shared_cores(MPI_Comm comm, int here) const;

  // Sleeps until the stretch is long enough to tell.
  void wait() const;

 private:
  ProcessorTime now() const;

  int cores_;
  bool first_of_node_ = false;
  ProcessorTime begin_;
  double began_s_ = 0;
};

}  // namespace colltree
