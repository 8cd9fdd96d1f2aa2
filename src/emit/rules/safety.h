// SPDX-License-Identifier: BSD-3-Clause
// Rules that make correct programs wrong or hang although each of their methods works
// (docs/exports.md lists the programs). By default no exporter writes one.
#pragma once

#include <string>

#include "emit/rules/rule_target.h"

namespace colltree {

// Why the rule is unsafe; empty when it is safe. For Open MPI only: other targets' files carry
// guards, or their libraries check by themselves.
std::string hazard_of(const RuleTarget& target, Collective collective, const Rule& rule);

// Collectives whose ranks do not all know the size that the library looks rules up with: more than
// one size in a row of communicator sizes lets ranks choose differently.
bool needs_one_size(const RuleTarget& target, Collective collective);

}  // namespace colltree
