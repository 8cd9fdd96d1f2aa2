// SPDX-License-Identifier: BSD-3-Clause
// Open MPI 4.1's compiled decision ("fixed rules") as a rule tree with the tests in its own order:
// a cascade over communicator sizes around cascades over message sizes. With it the default's
// penalty is a look-up on any grid where the library's algorithms were timed.
#pragma once

#include <string_view>
#include <vector>

#include "model/rule_tree.h"

namespace colltree {

// ompi41_fixed.csv (collective,comm_min,comm_lt,bytes_min,bytes_lt,alg,condition), which is part of
// the program. Of rows with a condition those for commutative operations and for other than two
// ranks where two have their own. Methods carry Open MPI's names, without a segment size.
// Throws Error when there are no rules for the collective.
RuleTree openmpi_fixed_rules(Collective collective);
bool has_openmpi_fixed_rules(Collective collective);
RuleTree parse_openmpi_rules(std::string_view csv, Collective collective);

// The same with each method replaced by the one of `methods` that names the same algorithm:
// "ompi:linear_synch" and "linear_sync" do. Only methods without a segment size are the library's.
RuleTree with_names_of(RuleTree tree, const std::vector<Method>& methods);

}  // namespace colltree
