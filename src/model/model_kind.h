// SPDX-License-Identifier: BSD-3-Clause
// The kinds of model that load_model can read. Adding a kind is one file with its class and its
// `read` function, and one row in model_kind.cpp.
#pragma once

#include <memory>
#include <span>

#include "base/json.h"
#include "model/decision_function.h"

namespace colltree {

// What the envelope of M.json holds, already checked; `read` checks parameters and body.
struct StoredModel {
  ModelOrigin origin;
  std::vector<Method> methods;
  Json parameters;
  Json statistics;
  Json body;
};

struct ModelKind {
  const char* name;
  // Throws Error without the name of the file.
  std::unique_ptr<DecisionFunction> (*read)(StoredModel stored);
};

std::span<const ModelKind> model_kinds();

}  // namespace colltree
