// SPDX-License-Identifier: BSD-3-Clause
// The parts that the three rule formats of Open MPI share.
#pragma once

#include "rules/rule_target.h"

namespace colltree::rules {

std::optional<SizeKey> openmpi_size_key(Collective collective);
// The base class of all formats of coll/tuned.
class OpenmpiTarget : public RuleTarget {
 public:
  explicit OpenmpiTarget(TargetFacts facts);
  std::optional<SizeKey> size_key(Collective collective) const final {
    return openmpi_size_key(collective);
  }
  Expressed express(Collective collective, const Method& method) const final;
  std::vector<std::string> settings(const std::string& file) const final;
};

// The columns of a rule. Algorithm 0 is the library's own decision.
struct OpenmpiColumns {
  std::uint64_t algorithm = 0;
  std::uint64_t fanout = 0;
  std::uint64_t segment_size = 0;
  std::uint64_t requests = 0;
};
OpenmpiColumns openmpi_columns(Collective collective, const Method& canonical);
// Returns the canonical method that the columns mean, or nothing when the version has no such
// algorithm. Adds to `problem` the columns that are wrong or without effect.
std::optional<Method> openmpi_method(const RuleTarget& target, Collective collective,
                                     const OpenmpiColumns& columns,
                                     std::vector<std::string>& problems);

// The name of an algorithm whose number the version does not have: calls with it fail.
Method unknown_openmpi_method(std::uint64_t id);

// The number in mca/coll/base/coll_base_functions.h; none for a collective that coll/tuned does not
// carry out.
std::optional<int> openmpi_collective_id(Collective collective);
std::optional<Collective> openmpi_collective(std::uint64_t id);
std::string_view openmpi_collective_name(std::uint64_t id);  // of all 22; "" beyond
inline constexpr std::uint64_t kOpenmpiCollectives = 22;

}  // namespace colltree::rules
