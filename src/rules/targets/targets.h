// SPDX-License-Identifier: BSD-3-Clause
// One function a target, defined in the file that writes and reads its files; and what targets of
// several libraries have in common.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

namespace targets {
#define COLLTREE_RULE_TARGET(name) std::unique_ptr<RuleTarget> name();
#include "rules/targets/targets.def"
#undef COLLTREE_RULE_TARGET
}  // namespace targets

// Known by its names only (TargetFacts::names). Methods carry the target's own name.
class NamedTarget : public RuleTarget {
 public:
  using RuleTarget::RuleTarget;
  std::optional<SizeKey> size_key(Collective collective) const final;
  Expressed express(Collective collective, const Method& method) const final;

 private:
  virtual SizeKey key_of(Collective collective) const = 0;  // one that has names
};

// Says which parameter of the method, called `what`, the target's rules cannot set; "": none.
std::string not_set(const RuleTarget& target, const std::string& what, const Method& method,
                    bool takes_radix = false);

// Names that the target knows for the collective.
std::vector<std::string> target_names(const RuleTarget& target, Collective collective);

// For readers of any kind: every method by our name, sizes as in the glossary.
class AnyMethodTarget : public RuleTarget {
 public:
  AnyMethodTarget(const char* name, const char* summary, std::string_view sign = "");
  std::optional<SizeKey> size_key(Collective) const final { return SizeKey::kMessage; }
  Expressed express(Collective, const Method& method) const final { return {method, ""}; }
};

}  // namespace colltree::rules
