// SPDX-License-Identifier: BSD-3-Clause
// Variables that a shell script sets, as Intel MPI and UCC are set up: what formats share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"
#include "rules/script.h"

namespace colltree::rules {

// Words between blanks, up to a '#' on each line.
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
// Says what is wrong with a setting; false: it has no value to read.
bool has_value(const Assignment& assignment, RuleFile& file);

// "export PREFIX<WORD>="value"" as a line, of the collective or another word in lower case; nothing
// when there is no value.
std::string variable_line(std::string_view prefix, std::string_view word, std::string_view value);

struct CollectiveVariable {
  std::size_t line;
  Collective collective;
  std::string_view value;  // not empty
};

// Gives each value of the variables PREFIX<COLLECTIVE> to `read`. What is wrong with one up to
// its value becomes a defect of the file. Of any other name behind the prefix `remark` says what is
// to be said, "" where it is no matter of ours, none where the library has no such variable as far
// as is known. False: there was nothing to read and nothing to say.
using VariableRemark = std::function<std::optional<std::string>(std::string_view word)>;
// The collective that a library means by a word in lower case.
using NamedCollective = std::function<std::optional<Collective>(std::string_view word)>;
bool read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               const std::vector<Assignment>& settings, RuleFile& file,
                               const VariableRemark& remark,
                               const std::function<void(const CollectiveVariable&)>& read,
                               const NamedCollective& collective_of = find_collective);
std::string not_taken_into_account(std::string_view prefix, std::string_view word);

}  // namespace colltree::rules
