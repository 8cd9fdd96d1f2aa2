// SPDX-License-Identifier: BSD-3-Clause
// How UCC reads the value of UCC_TL_UCP_TUNE (src/coll_score/ucc_coll_score.c of UCC 1.10):
//   token#token, token = collectives:memory types:score:sizes:[team sizes]:@algorithm
// in any order and case, each but a score or an algorithm can be left out, lists have commas. A
// range of bytes holds its first value and not its last. One token that UCC cannot read, or two
// that overlap, and the whole string is dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

// UCC's word: MPI_Reduce_scatter is its reduce_scatterv, MPI_Reduce_scatter_block its
// reduce_scatter.
std::string_view ucc_word(Collective collective);

struct UccTune {
  RuleSet rules;                     // none for teams of which the string is dropped
  std::vector<std::string> dropped;  // why, each with the teams
  std::vector<std::string> warnings;
};

UccTune read_ucc_tune(const RuleTarget& target, std::string_view value);

}  // namespace colltree::rules
