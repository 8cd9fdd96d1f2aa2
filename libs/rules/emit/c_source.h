// SPDX-License-Identifier: BSD-3-Clause
// Writes a model as self-contained C99: a table of methods, prototypes, one function for each
// collective.
#pragma once

#include <string>

#include "emit/emitter.h"

namespace colltree::emit {

// A function has nested two-way ifs, a table, or the faster of the two. All of these throw
// UsageError for a prefix that is no C identifier.
std::string emit_c_nested(const model::Model& model, const EmitOptions& options);
std::string emit_c_table(const model::Model& model, const EmitOptions& options);
std::string emit_c(const model::Model& model, const EmitOptions& options);

}  // namespace colltree::emit
