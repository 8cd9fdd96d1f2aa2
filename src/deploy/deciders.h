// SPDX-License-Identifier: BSD-3-Clause
// Which component of Open MPI carries a collective out, as a campaign saw it: coll/han stands above
// coll/tuned where a communicator lies on several nodes, and what is to be tuned is who is asked.
#pragma once

#include <string>
#include <vector>

#include "timings/timings.h"

namespace colltree {

// "bcast: coll/han on 4, 8 ranks, coll/tuned on 2"; nothing where coll/han is nowhere asked.
std::vector<std::string> who_decides(const std::vector<Timings>& timings);

}  // namespace colltree
