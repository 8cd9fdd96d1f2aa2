// SPDX-License-Identifier: BSD-3-Clause
// The parts that the two forms of rules for Intel MPI share: which preset a method is, and what the
// library makes of a list of ends. Found by trial with 2021.19 (docs/reference/formats/rules.md).
#pragma once

#include <climits>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rules/rule_target.h"

namespace colltree::rules {

inline constexpr std::uint64_t kMostOfIntel = INT_MAX;  // it does not read a larger number

class IntelRules : public RuleTarget {
 public:
  explicit IntelRules(TargetFacts facts);
  // One block of allgather(v), alltoall, gather, scatter and reduce_scatter_block (allgatherv: the
  // mean), all blocks of reduce_scatter. The other v-forms have no size.
  std::optional<SizeKey> size_key(Collective collective) const final;
  Expressed express(Collective collective, const Method& method) const final;
};

// Returns the method of a preset; a number that the table does not have, such as 0, is called
// "preset_<number>".
Method preset_method(Collective collective, unsigned number);
std::string_view preset_number(Collective collective, const Method& canonical);
// Reports a preset number that is unknown or unsafe.
void check_preset(const RuleTarget& target, Collective collective, unsigned number,
                  std::size_t line, RuleFile& file);

// The manual has more collectives than rules are known for here: of calls that do not block
// (IBCAST), others, and variables that belong to one preset (BCAST_SEGMENT, ALLREDUCE_KN_RADIX).
bool is_of_the_manual(std::string_view word);

// The first entry in a file whose end is not below the value decides,
// and the last entry for every larger value. Returns the next entry's interval and moves `begin`
// behind it.
Span held(std::uint64_t& begin, std::uint64_t end, bool is_last);

}  // namespace colltree::rules
