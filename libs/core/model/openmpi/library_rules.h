// SPDX-License-Identifier: BSD-3-Clause
// The rules by which the measured library itself chooses, if this program knows them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/rule_tree.h"

namespace colltree::model {

// Open MPI 4.1's compiled decision ("fixed rules") as a rule tree with the tests in its own order:
// a cascade over communicator sizes around cascades over message sizes. With this tree the penalty
// of the default is a look-up on any grid where the library's algorithms were timed.

// ompi41_fixed.csv, which is part of the program: a line for each range of communicator sizes, with
// the algorithms up to each message size; "inf" is no limit. For commutative operations. Methods
// carry Open MPI's names, without a segment size. Throws Error when there are no rules for the
// collective.
RuleTree openmpi_fixed_rules(Collective collective);
bool has_openmpi_fixed_rules(Collective collective);
RuleTree parse_openmpi_rules(std::string_view csv, Collective collective);

// Replaces each method by the one of `methods` that names the same algorithm, as "linear_sync" does
// for "ompi:linear_synch". The library's methods have no segment size.
RuleTree with_names_of(RuleTree tree, const std::vector<Method>& methods);

// The rules of Open MPI 4.1 with the methods named as these timings name them; none for another
// library (`mpi` as in SystemInfo: "openmpi-4.1.5") or a collective without rules.
std::shared_ptr<const Model> openmpi_library_rules(const Timings& timings, const std::string& mpi);

}  // namespace colltree::model
