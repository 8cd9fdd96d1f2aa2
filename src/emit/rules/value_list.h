// SPDX-License-Identifier: BSD-3-Clause
// VARIABLE="..." lines, as Intel MPI and oneCCL are set up, and the ends of intervals: what formats
// share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/rules/rule_target.h"

namespace colltree {

struct Assignment {
  std::size_t line;
  std::string_view variable;
  std::string_view value;  // without quotes
  std::string problem;     // why the line is no assignment; "" when it is
};

// Words between blanks, up to a '#' on each line.
struct BlankToken {
  std::string_view text;
  std::size_t line;
};
std::vector<BlankToken> blank_tokens(std::string_view content);

// Lines without comments and blanks; "export " in front and quotes around the value are taken away.
std::vector<Assignment> read_assignments(std::string_view content);

// "export PREFIX<COLLECTIVE>="value"" as a line; nothing when there is no value.
std::string variable_line(std::string_view prefix, Collective collective, std::string_view value);

struct CollectiveVariable {
  std::size_t line;
  Collective collective;
  std::string_view value;  // not empty
};

// Lines PREFIX<COLLECTIVE>=VALUE, each given to `read`; of a variable that stands twice the rules
// of the first are forgotten. What is wrong with a line up to its value becomes a defect of the
// file.
void read_collective_variables(const RuleTarget& target, std::string_view prefix,
                               std::string_view content, RuleFile& file,
                               const std::function<void(const CollectiveVariable&)>& read);

// The end of an interval; `no_end` is the format's word for UINT64_MAX.
std::string end_text(std::uint64_t value, std::string_view no_end);
std::optional<std::uint64_t> end_of(std::string_view text, std::string_view no_end);

}  // namespace colltree
