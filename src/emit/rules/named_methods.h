// SPDX-License-Identifier: BSD-3-Clause
// Targets that are known by their names only (RuleTarget::names). Methods carry the target's own
// name.
#pragma once

#include "emit/rules/rule_target.h"

namespace colltree {

bool has_names(std::span<const NamedMethod> names, Collective collective);
// Names that the target knows for the collective.
std::vector<std::string> target_names(const RuleTarget& target, Collective collective);
Expressed express_named(const RuleTarget& target, Collective collective, const Method& method);

// A target for readers of any kind: every method by our name, sizes as in the glossary.
RuleTarget any_method_target(const char* name, const char* summary,
                             decltype(RuleTarget::write) write, decltype(RuleTarget::read) read);

}  // namespace colltree
