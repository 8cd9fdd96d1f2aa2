// SPDX-License-Identifier: BSD-3-Clause
// Model -> self-contained C99: a table of methods, prototypes, one function for each collective.
#pragma once

#include <string>

#include "emit/emitter.h"

namespace colltree::emit {

// The forms of a function: nested two-way ifs, a table, the faster of them. All throw UsageError
// for a prefix that is no C identifier.
std::string emit_c_nested(const model::Model& model, const EmitOptions& options);
std::string emit_c_table(const model::Model& model, const EmitOptions& options);
std::string emit_c(const model::Model& model, const EmitOptions& options);

}  // namespace colltree::emit
