// SPDX-License-Identifier: BSD-3-Clause
// What is wrong with a rules file, beyond its form.
#pragma once

#include <string>
#include <string_view>

#include "emit/rules/rule_target.h"

namespace colltree {

// Reads a file and adds rules that cannot be reached, unsafe methods, sizes that look like another
// unit, a version that is not known. Defects by line.
RuleFile check_rules(const RuleTarget& target, std::string_view content);
// The file of this path, before a job runs under it: Open MPI says nothing of a file that it cannot
// read, MPICH crashes. Throws Error at the first defect that is an error.
RuleFile require_readable(const RuleTarget& target, const std::string& path);

}  // namespace colltree
