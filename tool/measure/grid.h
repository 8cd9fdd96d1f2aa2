// SPDX-License-Identifier: BSD-3-Clause
// Which instances a campaign measures: sizes by the name of a grid, or those that nobody has to
// write down.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/method.h"
#include "measure/allocation.h"
#include "timings/call_mix.h"

namespace colltree::measure {

struct Grid {
  std::vector<std::uint64_t> communicator_sizes;
  std::vector<std::uint64_t> message_sizes;  // bytes, see MessageUnit
};

// Every instance, those of one communicator size together. A barrier has no message: its one size
// is 0.
std::vector<Instance> instances_of(const std::vector<Collective>& collectives, const Grid& grid);

std::vector<std::string> grid_names();

// Throws UsageError with the nearest name.
Grid find_grid(std::string_view name);

// `--communicator-sizes auto`, `--message-sizes auto` and `--mix` of `measure` and `tune`
// (docs/tasks/tuning.md).

// From 2 to all ranks: powers of two, one odd size between each two of them, one node and multiples
// of it (all of the first four, then a quarter further each time), and all.
std::vector<std::uint64_t> usual_communicator_sizes(const Allocation& allocation);
// 1 B to 1 MB, each twice the one before.
std::vector<std::uint64_t> usual_message_sizes();

// The sizes that programs call these collectives with: all communicator sizes; of message sizes
// that lie within a quarter of an octave the one that is called most. Throws Error where there are
// no such calls. `file`: whose calls, for the message.
Grid grid_of_calls(std::span<const CallCount> calls, const std::vector<Collective>& collectives,
                   const std::string& file);

}  // namespace colltree::measure
