// SPDX-License-Identifier: BSD-3-Clause
// Declares one function for each target, which the file that writes and reads its format defines,
// and the parts that targets of several libraries share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

namespace targets {
#define COLLTREE_RULE_TARGET(name) std::unique_ptr<RuleTarget> name();
#include "rules/targets.def"
#undef COLLTREE_RULE_TARGET
}  // namespace targets

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
  AnyMethodTarget(const char* name, const char* summary, std::string_view sign = "");
  std::optional<SizeKey> size_key(Collective) const final { return SizeKey::kMessage; }
  Expressed express(Collective, const Method& method) const final { return {method, ""}; }
};

}  // namespace colltree::rules
