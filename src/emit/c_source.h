// SPDX-License-Identifier: BSD-3-Clause
// Model -> self-contained C99: a table of methods, prototypes, one function for each collective.
#pragma once

#include <string>

#include "emit/emitter.h"

namespace colltree {

// The forms of a function: nested two-way ifs, a table, the faster of them. All throw UsageError
// for a prefix that is no C identifier.
std::string emit_c_nested(const Model& model, const EmitOptions& options);
std::string emit_c_table(const Model& model, const EmitOptions& options);
std::string emit_c(const Model& model, const EmitOptions& options);

}  // namespace colltree
