// SPDX-License-Identifier: BSD-3-Clause
// The functions that the rows of rule_target.cpp point to: one file a format.
#pragma once

#include "emit/rules/rule_target.h"

namespace colltree {

std::string write_openmpi_text(const RuleTarget&, const RuleSet&, const std::string& comment);
RuleFile read_openmpi_text(const RuleTarget&, std::string_view content);

}  // namespace colltree
