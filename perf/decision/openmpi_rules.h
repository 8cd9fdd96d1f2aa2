// SPDX-License-Identifier: BSD-3-Clause
// Open MPI 4.1's compiled decision as a rule tree with the tests in its own order: a cascade over
// communicator sizes around cascades over message sizes.
#pragma once

#include <filesystem>

#include "model/rule_tree.h"

namespace colltree {

// Reads ompi41_fixed.csv: collective,comm_min,comm_lt,bytes_min,bytes_lt,alg,condition; of rows
// with a condition those for commutative operations. Methods are named "1", "2", ... Throws Error.
RuleTree openmpi_rules(const std::filesystem::path& csv, Collective collective);

}  // namespace colltree
