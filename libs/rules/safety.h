// SPDX-License-Identifier: BSD-3-Clause
// Finds rules that make correct programs wrong or hang although each of their methods works
// (docs/tasks/rules.md lists the programs). By default no exporter writes one.
#pragma once

#include <string>

#include "rules/rule_target.h"

namespace colltree::rules {

// The quantity that the message bounds of a rule are compared with.
enum class RuleUnit : std::uint8_t {
  kMessageSize,  // message_size: the model's words
  kKey,          // the target's key (rule_target.h): as in its files
};

// Says why the rule is unsafe; "" when it is safe. Only Open MPI and MPICH have such rules, because
// other libraries check by themselves.
std::string hazard_of(const RuleTarget& target, Collective collective, const Rule& rule,
                      RuleUnit unit = RuleUnit::kMessageSize);

// A rule whose method is safe for some of its calls becomes several rules. It is cut by ranks
// first, row by row, because the message sizes of a safe region depend on the number of ranks.
void split_where_safe(const RuleTarget& target, CollectiveRules& rules);

// Collectives whose rules Open MPI looks up with a value that a correct call can make differ
// between its ranks: more than one size in a row of communicator sizes lets ranks choose
// differently. (bytes of a send block = count x size of the send type)
//   gather, scatter  bytes of the local send block: not significant at all ranks
//   allgather        bytes of the send block: with MPI_IN_PLACE ignored arguments, which may differ
//   allgatherv       size of the send type x receive counts: two different units even without
//                    MPI_IN_PLACE
// alltoall is looked up as allgather, but all its algorithms run the same code for MPI_IN_PLACE, so
// ranks that choose differently still agree. All others are looked up with what the standard makes
// equal: bcast by the bytes of one signature, reductions by arguments that are the same everywhere.
bool needs_one_size(const RuleTarget& target, Collective collective);

}  // namespace colltree::rules
