// SPDX-License-Identifier: BSD-3-Clause
// Which program a rules file is for, when nobody says so.
#pragma once

#include <string>
#include <string_view>

#include "emit/rules/rule_target.h"

namespace colltree {

// By a comment that names the format ("# For openmpi-4.1; ..."), else by the file's form: what
// variables it sets, or how its first line begins. Of a library's versions the first whose reader
// refuses nothing: of Open MPI and MPICH from the oldest, of UCC from the newest on. nullptr: the
// file looks like none.
const RuleTarget* detect_target(std::string_view content);

// The target of this name; of an empty one the detected. Throws UsageError that lists the formats
// when there is none.
const RuleTarget& find_or_detect_target(std::string_view name, std::string_view content,
                                        const std::string& file);

}  // namespace colltree
