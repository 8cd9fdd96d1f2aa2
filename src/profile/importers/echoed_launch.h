// SPDX-License-Identifier: BSD-3-Clause
// A command line that a log shows above an output: "+ mpirun -np 8 ./osu_bcast -f".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

struct EchoedLaunch {
  std::string program;  // "osu_bcast"
  std::uint64_t ranks = 0;
};

// Of a line that starts a program whose name begins with `prefix` by a launcher that is known and
// says one number of ranks. Nothing where any of that is missing or said twice.
std::optional<EchoedLaunch> find_echoed_launch(const std::vector<std::string_view>& words,
                                               std::string_view prefix);

}  // namespace colltree
