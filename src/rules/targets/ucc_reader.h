// SPDX-License-Identifier: BSD-3-Clause
// Scripts for the shell that set UCC up.
#pragma once

#include <string>
#include <string_view>

#include "rules/rule_target.h"

namespace colltree::rules {

inline constexpr std::string_view kUccTune = "UCC_TL_UCP_TUNE";

// The variable for the radix of a k-nomial algorithm.
std::string radix_variable(Collective collective, std::string_view algorithm);

RuleFile read_ucc(const RuleTarget& target, std::string_view content);

}  // namespace colltree::rules
