// SPDX-License-Identifier: BSD-3-Clause
// Declares one function for each format, which the file that writes and reads it defines, and the
// parts that targets of several libraries share.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

using RuleTargets = std::vector<std::unique_ptr<const RuleTarget>>;

namespace targets {
#define COLLTREE_RULE_TARGETS(format) RuleTargets format();
#include "rules/targets.def"
#undef COLLTREE_RULE_TARGETS
}  // namespace targets

// A target for each of these facts, which differ by the version of the library.
template <typename Target>
RuleTargets targets_with(std::initializer_list<TargetFacts> facts) {
  RuleTargets targets;
  for (const TargetFacts& of_version : facts)
    targets.push_back(std::make_unique<const Target>(of_version));
  return targets;
}

// A target without a library in coll/: its methods are those of TargetFacts::names and carry the
// target's own name.
class NamedTarget : public RuleTarget {
 public:
  using RuleTarget::RuleTarget;
  std::optional<SizeKey> size_key(Collective collective) const final;
  Expressed express(Collective collective, const Method& method) const final;

 private:
  virtual SizeKey key_of(Collective collective) const = 0;  // one that has names
};

// Says which parameter of the method, called `what`, the target's rules cannot set; "" if there is
// none.
std::string not_set(const RuleTarget& target, const std::string& what, const Method& method,
                    bool takes_radix = false);

// Returns the names that the target knows for the collective.
std::vector<std::string> target_names(const RuleTarget& target, Collective collective);

// A target for any reader: it has every method by our name, and message sizes as in the glossary.
class AnyMethodTarget : public RuleTarget {
 public:
  explicit AnyMethodTarget(TargetFacts facts);  // takes name, summary and sign of them
  std::optional<SizeKey> size_key(Collective) const final { return SizeKey::kMessage; }
  Expressed express(Collective, const Method& method) const final { return {method, ""}; }
};

}  // namespace colltree::rules
