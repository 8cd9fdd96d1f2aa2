// SPDX-License-Identifier: BSD-3-Clause
// What every generated C file has, whatever its functions look like inside.
#pragma once

#include <string>
#include <string_view>

#include "emit/emitter.h"

namespace colltree {

// One decision function: what it needs at file scope, and its statements.
struct CFunction {
  std::string before;
  std::string body;
};

// A self-contained C99 file: table of methods, prototypes, one function for each root.
// Throws UsageError for a prefix that is no C identifier.
std::string c_file(const DecisionFunction& model, const RuleTree& tree, const std::string& prefix,
                   CFunction (*make)(const RuleTree& tree, const RuleTree::Root& root,
                                     const std::string& prefix));

// A name as the content of a C string or comment.
std::string c_text(std::string_view text);

}  // namespace colltree
