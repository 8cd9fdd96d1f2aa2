// SPDX-License-Identifier: BSD-3-Clause
// Variables that a shell script sets, as Intel MPI, oneCCL and UCC are set up, and the ends of
// intervals: what formats share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

struct Assignment {
  std::size_t line;
  std::string variable;
  std::string value;      // without quotes and without the comment behind it
  std::string problem;    // why a shell does not set it so; "" when it does
  bool expanded = false;  // the value holds what only a shell knows: $NAME, $(command)
};

// Words between blanks, up to a '#' on each line.
struct BlankToken {
  std::string_view text;
  std::size_t line;
};
std::vector<BlankToken> blank_tokens(std::string_view content);

// What a script sets of the variables that begin so, in its order: NAME=VALUE alone, behind export
// or another command, `setenv NAME VALUE`, `-genv NAME VALUE`. Whatever else it does is none of it,
// and what it unsets again neither.
std::vector<Assignment> read_assignments(std::string_view content, std::string_view prefix);

// "export PREFIX<WORD>="value"" as a line, of the collective or another word in lower case; nothing
// when there is no value.
std::string variable_line(std::string_view prefix, std::string_view word, std::string_view value);

struct CollectiveVariable {
  std::size_t line;
  Collective collective;
  std::string_view value;  // not empty
};

// Of the variables PREFIX<COLLECTIVE> each value is given to `read`; of one that stands twice the
// last counts. What is wrong with one up to its value becomes a defect of the file. Of any other
// name behind the prefix `remark` says what is to be said, "" where it is no matter of ours, none
// where the library has no such variable as far as is known.
using VariableRemark = std::function<std::optional<std::string>(std::string_view word)>;
// The collective that a library means by a word in lower case.
using NamedCollective = std::function<std::optional<Collective>(std::string_view word)>;
void read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               std::string_view content, RuleFile& file,
                               const VariableRemark& remark,
                               const std::function<void(const CollectiveVariable&)>& read,
                               const NamedCollective& collective_of = find_collective);
std::string not_taken_into_account(std::string_view prefix, std::string_view word);

// The end of an interval; `no_end` is the format's word for UINT64_MAX.
std::string end_text(std::uint64_t value, std::string_view no_end);
std::optional<std::uint64_t> end_of(std::string_view text, std::string_view no_end);

}  // namespace colltree::rules
