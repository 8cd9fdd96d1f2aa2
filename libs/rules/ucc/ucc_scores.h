// SPDX-License-Identifier: BSD-3-Clause
// UCC's score table, which it prints for every team at UCC_LOG_LEVEL=info and by which it gives a
// call to one of its layers: that with the highest score for the collective, memory and size. The
// lines are as ucc_coll_score_map.c of UCC 1.2 to 1.10 writes them:
//   Bcast:
//       Host: {0..32767}:TL_UCP:10 {32K..inf}:CL_HIER:50
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coll/collective.h"

namespace colltree::rules {

// The collective in UCC's words; its reduce_scatter is MPI_Reduce_scatter_block.
std::string_view ucc_word(Collective collective);

// "UCC's score table: TL_UCP with score 10 carries out 32K..inf bytes of host memory"; "" if the
// lines hold no row for it. `bytes`: as UCC compares them (RuleTarget::size_key). Of several teams
// the last counts.
std::string ucc_score(Collective collective, std::uint64_t bytes,
                      std::span<const std::string> lines);

}  // namespace colltree::rules
