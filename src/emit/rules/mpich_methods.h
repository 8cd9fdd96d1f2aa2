// SPDX-License-Identifier: BSD-3-Clause
// What writer and reader of MPICH's selection files have in common.
#pragma once

#include "emit/rules/rule_target.h"

namespace colltree {

std::optional<SizeKey> mpich_size_key(Collective collective);
Expressed express_mpich(const RuleTarget& target, Collective collective, const Method& method);

// "avg_msg_size" or "total_msg_size"; "" where no condition on the size is allowed.
std::string_view mpich_size_condition(Collective collective);

// The radix of an algorithm where nothing is said; 0: it has none.
std::uint64_t own_radix(const LibraryAlgorithm& algorithm);

// Takes k= and chunk_size= from below the algorithm's name into the method. What is missing is an
// error: MPICH does not set it.
void read_mpich_parameters(const LibraryAlgorithm& algorithm, const Json::Member& member,
                           Method& method, RuleFile& file);

// The algorithm as a version's selection file names it: by our name (in that file's version or
// another) or by a file's ("MPIR_Barrier_intra_dissemination"). nullptr: the version has none.
const LibraryAlgorithm* mpich_algorithm(const RuleTarget& target, Collective collective,
                                        std::string_view name);

}  // namespace colltree
