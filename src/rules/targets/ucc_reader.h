// SPDX-License-Identifier: BSD-3-Clause
// Files that set UCC up: scripts for the shell, and ucc.conf.
#pragma once

#include <climits>
#include <cstdint>
#include <string>
#include <string_view>

#include "rules/rule_target.h"

namespace colltree::rules {

inline constexpr std::string_view kUccTune = "UCC_TL_UCP_TUNE";
inline constexpr std::size_t kUccMostLine = 8190;       // of ucc.conf, from UCC 1.9 on
inline constexpr std::uint64_t kUccMostTeam = INT_MAX;  // ucc.conf has no word for "and more"

// The variable for the radix of a k-nomial algorithm.
std::string radix_variable(Collective collective, std::string_view algorithm);

RuleFile read_ucc(const RuleTarget& target, std::string_view content);
RuleFile read_ucc_conf(const RuleTarget& target, std::string_view content);

}  // namespace colltree::rules
