// SPDX-License-Identifier: BSD-3-Clause
// Makes MPI_COMM_WORLD SimGrid's only world, as smpirun does; called by each rank after MPI_Init in
// a process that simulates one job. Without it SMPI takes every communicator for the world where it
// looks for the ranks of a node, and its port of MPICH's selector crashes on any other.
#pragma once

namespace colltree {

void know_only_world();

// Whether the calling rank's messages carry what is in its memory. Without, SMPI copies no message
// and its collectives allocate nothing; times are the same.
void carry_content(bool carries);

// Whether simulated time can be set to zero again, and does so, between two runs of the engine
// without ranks: what follows has the same times, to the last bit, as in a fresh process.
bool can_rewind_clock();
void rewind_clock();

}  // namespace colltree
