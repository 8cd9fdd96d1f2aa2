// SPDX-License-Identifier: BSD-3-Clause
// Sizes that nobody has to write down: `--communicator-sizes auto`, `--message-sizes auto` and
// `--mix` of `measure` and `tune` (docs/campaign.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "measure/allocation.h"
#include "measure/grid.h"
#include "timings/call_mix.h"

namespace colltree {

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
