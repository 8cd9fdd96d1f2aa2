// SPDX-License-Identifier: BSD-3-Clause
// The parts that formats share whose files are shell scripts that set variables, as for Intel MPI
// and UCC.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"
#include "rules/script.h"

namespace colltree::rules {

// A word between blanks, before any '#' in its line.
struct BlankToken {
  std::string_view text;
  std::size_t line;
};
std::vector<BlankToken> blank_tokens(std::string_view content);

// Reads the rules of every run of a script, and what is wrong with them. `read` takes the settings
// of one run, of the variables that begin with `family`, and says whether it found anything that
// decides; `wanted` names the variables that were expected.
using SettingsReader = std::function<bool(const std::vector<Assignment>& settings, RuleFile& file)>;
RuleFile read_each_run(std::string_view content, std::string_view family, std::string_view wanted,
                       const SettingsReader& read);
// Reports what is wrong with a setting; returns false if it has no value to read.
bool has_value(const Assignment& assignment, RuleFile& file);

// "export PREFIX<WORD>="value"" as a line, of the collective or another word in lower case; nothing
// when there is no value.
std::string variable_line(std::string_view prefix, std::string_view word, std::string_view value);

struct CollectiveVariable {
  std::size_t line;
  Collective collective;
  std::string_view value;  // not empty
};

// Gives each value of the variables PREFIX<COLLECTIVE> to `read`; a setting without a usable value
// becomes a defect of the file. For any other name behind the prefix `remark` returns the warning,
// "" if the variable has nothing to do with collectives, or nothing if the library has no such
// variable as far as is known. Returns false if there was nothing to read or warn about.
using VariableRemark = std::function<std::optional<std::string>(std::string_view word)>;
bool read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               const std::vector<Assignment>& settings, RuleFile& file,
                               const VariableRemark& remark,
                               const std::function<void(const CollectiveVariable&)>& read);
std::string not_taken_into_account(std::string_view prefix, std::string_view word);

}  // namespace colltree::rules
