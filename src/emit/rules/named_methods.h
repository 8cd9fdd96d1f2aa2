// SPDX-License-Identifier: BSD-3-Clause
// Targets that are known by their names only (target_names.def). Methods carry the target's own
// name.
#pragma once

#include "emit/rules/rule_target.h"

namespace colltree {

Expressed express_named(const RuleTarget& target, Collective collective, const Method& method);
// Names that the target knows for the collective.
std::vector<std::string> target_names(std::string_view table, Collective collective);
// The table of a target: "ucc" of "ucc" and "ucc-conf".
std::string_view table_of(const RuleTarget& target);

// What the message sizes of a target mean; reference tables in docs/exports.md.
std::optional<SizeKey> ucc_size_key(Collective collective);
std::optional<SizeKey> nccl_size_key(Collective collective);
std::optional<SizeKey> intel_size_key(Collective collective);
std::optional<SizeKey> oneccl_size_key(Collective collective);
std::optional<SizeKey> smpi_size_key(Collective collective);
std::optional<SizeKey> any_size_key(Collective collective);
Expressed express_any(const RuleTarget& target, Collective collective, const Method& method);

}  // namespace colltree
