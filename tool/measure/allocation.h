// SPDX-License-Identifier: BSD-3-Clause
// How many ranks a job can have here: what the launcher's host file or a batch system says, or the
// cores of this machine, or the hosts of a simulated cluster (docs/tasks/tuning.md).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/host_files.h"
#include "measure/platform.h"
namespace colltree::measure {

// Takes the hosts that the launcher's words name (host_files.h); else the allocation of Slurm,
// OpenPBS, Torque, LSF, Flux, Grid Engine, OAR, HTCondor or Fujitsu's PJM, as the environment says
// it (Flux: as `flux resource list` does); else the default host file of the launcher's
// environment; else the cores of this machine that this process may use. `variable`: its value,
// null where it is not set. Throws Error, which names the place, where there is an allocation whose
// ranks cannot be known.
Allocation find_allocation(const std::function<const char*(const char*)>& variable,
                           const std::vector<std::string>& launcher = {});
// All hosts, by asking the simulator; colltree/ranks_per_node of the file, or one.
Allocation find_allocation(const Platform& platform);

// "up to 14 ranks, 4 on a node, by SLURM_TASKS_PER_NODE".
std::string allocation_text(const Allocation& allocation);

}  // namespace colltree::measure
