// SPDX-License-Identifier: BSD-3-Clause
// Checks a rules file of any origin: finds the program that it is for, if nobody says it, and what
// is wrong with it beyond its form.
#pragma once

#include <string>
#include <string_view>

#include "rules/rule_target.h"

namespace colltree::rules {

// Reads a file and adds these defects: rules that cannot be reached, unsafe methods, sizes that
// look like another unit, a version that is not known. The defects are sorted by line.
RuleFile check_rules(const RuleTarget& target, std::string_view content);
// Reads the file of this path before a job runs under it, because Open MPI ignores a file that it
// cannot read without a message, and MPICH crashes. Throws Error at the first defect that is an
// error.
RuleFile require_readable(const RuleTarget& target, const std::string& path);

// Recognises the format by a comment that names it ("# For openmpi-4.1; ..."), else by the file's
// form: what variables it sets, or how its first line begins. Picks the first version whose reader
// refuses nothing: from the oldest on for Open MPI and MPICH, from the newest for UCC. nullptr: the
// file looks like none.
const RuleTarget* detect_target(std::string_view content);

// Returns the target of this name, or the detected one when the name is empty. Throws UsageError,
// which lists the formats, when there is none.
const RuleTarget& find_or_detect_target(std::string_view name, std::string_view content,
                                        const std::string& file);

}  // namespace colltree::rules
