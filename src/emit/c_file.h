// SPDX-License-Identifier: BSD-3-Clause
// What every generated C file has, whatever its functions look like inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emit/emitter.h"

namespace colltree {

// One decision function: what it needs at file scope, and its statements.
struct CFunction {
  std::string before;
  std::string body;
};

// The tree's tests as nested two-way ifs.
CFunction nested_ifs(const RuleTree& tree, const RuleTree::Root& root, const std::string& prefix);
// The same decisions as a table; nothing when it would have more than `most_cells`.
std::optional<CFunction> c_table(const RuleTree& tree, const RuleTree::Root& root,
                                 const std::string& prefix, std::size_t most_cells);

// A self-contained C99 file: table of methods, prototypes, one function for each root.
// Throws UsageError for a prefix that is no C identifier.
std::string c_file(const DecisionFunction& model, const RuleTree& tree, const std::string& prefix,
                   CFunction (*make)(const RuleTree& tree, const RuleTree::Root& root,
                                     const std::string& prefix));

// A name as the content of a C string or comment.
std::string c_text(std::string_view text);

}  // namespace colltree
