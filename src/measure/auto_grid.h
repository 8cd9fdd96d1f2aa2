// SPDX-License-Identifier: BSD-3-Clause
// Sizes that nobody has to write down: `--communicator-sizes auto`, `--message-sizes auto` and
// `--mix` of `measure` and `tune` (docs/campaign.md).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "measure/grid.h"
#include "measure/platform.h"
#include "timings/call_mix.h"

namespace colltree {

// How many ranks a job can have.
struct Allocation {
  std::uint64_t ranks = 1;
  std::uint64_t ranks_per_node = 1;
  std::string known_from;  // "SLURM_NTASKS", "the cores of this machine"
};

// Of the job that this process runs in, as Slurm, PBS, LSF or Flux say it in the environment, else
// of this machine. `variable`: its value, null where it is not set. A value that is no number of
// ranks is as if it were not set.
Allocation find_allocation(const std::function<const char*(const char*)>& variable);
// All hosts, by asking the simulator; colltree/ranks_per_node of the file, or one.
Allocation find_allocation(const Platform& platform);

// From 2 to all ranks: powers of two, one odd size between each two of them, one node and multiples
// of it (all of the first four, then a quarter further each time), and all.
std::vector<std::uint64_t> usual_communicator_sizes(const Allocation& allocation);
// 1 B to 1 MB, each twice the one before.
std::vector<std::uint64_t> usual_message_sizes();

// Those that programs call these collectives with: all communicator sizes; of message sizes that
// lie within a quarter of an octave the one that is called most. Throws Error where there are no
// such calls. `file`: whose calls, for the message.
Grid grid_of_calls(std::span<const CallCount> calls, const std::vector<Collective>& collectives,
                   const std::string& file);

}  // namespace colltree
