// SPDX-License-Identifier: BSD-3-Clause
// How many ranks a launcher is given by a list of hosts: in its own words (--hostfile,
// -machinefile, -f, --host) or in a variable that names a file of them. Open MPI's "host slots=4"
// and "host:4" of MPICH and Intel MPI are read.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace colltree::measure {

struct Allocation {
  std::uint64_t ranks = 1;
  std::uint64_t ranks_per_node = 1;  // of the fullest node
  std::string known_from;            // "SLURM_NTASKS", "--hostfile hosts"
};

// `ranks`: by node.
Allocation allocation_of(std::span<const std::uint64_t> ranks, std::string known_from);

// The number of ranks or nodes that a text says; none: it is no such number.
std::optional<std::uint64_t> number_of_ranks(std::string_view text);
// The list that the launcher's command names; none: it names none. Throws Error where the list
// does not say ranks.
std::optional<Allocation> hosts_of_launcher(const std::vector<std::string>& command);

// Some launchers start ranks on other machines by themselves (srun, jsrun and the like): if this is
// one, and the hosts that its words ask for. Throws Error if they do not say how many.
bool starts_elsewhere(const std::vector<std::string>& command);
Allocation hosts_elsewhere(const std::vector<std::string>& command);

// Likewise of the variables that launchers read where no batch system says hosts.
std::optional<Allocation> hosts_of_variables(
    const std::function<const char*(const char*)>& variable);

// Cores that this process may use: of its mask (taskset, cpusets) and its quota (containers).
std::uint64_t allowed_cores();

}  // namespace colltree::measure
