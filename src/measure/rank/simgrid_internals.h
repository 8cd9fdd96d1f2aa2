// SPDX-License-Identifier: BSD-3-Clause
// What is done behind SimGrid's interface.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace colltree {

// What SimGrid's network model IB takes for the number of a host, and room for the greatest.
//
// The model numbers hosts by how often it heard of one (Host::on_creation) and keeps a flag for
// each in a vector as long as there are hosts. But SimGrid 3.32 tells of a host again whenever a
// zone with it is sealed, so a host of a later zone has a number beyond the vector: flags are read
// and written in foreign memory. Times depend then on what lies there, the solver meets rates that
// cannot be, or the process dies. Hosts that nobody uses lengthen the vector.
class HostNumbers {
 public:
  // Before the platform is loaded; lives as long as hosts are made.
  HostNumbers();
  HostNumbers(const HostNumbers&) = delete;
  HostNumbers& operator=(const HostNumbers&) = delete;

  // Once, when all hosts are there. They stand behind all others in SimGrid's lists.
  void make_room();

 private:
  std::set<std::string> known_;
  std::uint64_t told_ = 0;      // how often the model heard of a host
  std::uint64_t greatest_ = 0;  // number that it gave one
};

// Makes MPI_COMM_WORLD SimGrid's only world, as smpirun does; called by each rank after MPI_Init in
// a process that simulates one job. Without it SMPI takes every communicator for the world where it
// looks for the ranks of a node, and its port of MPICH's selector crashes on any other.
void know_only_world();

// Whether the calling rank's messages carry what is in its memory. Without, SMPI copies no message
// and its collectives allocate nothing; times are the same.
void carry_content(bool carries);

// Whether simulated time can be set to zero again, and does so, between two runs of the engine
// without ranks: what follows has the same times, to the last bit, as in a fresh process.
bool can_rewind_clock();
void rewind_clock();

}  // namespace colltree
