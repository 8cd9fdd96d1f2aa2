// SPDX-License-Identifier: BSD-3-Clause
// The kinds of model. Adding one is a file with its class, its parameters, its `fit` and `read`
// and its Kind, and a line in kind.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/json.h"
#include "model/decision_function.h"
#include "model/parameters.h"
#include "timings/timings.h"

namespace colltree {

// What the envelope of M.json holds, already checked; `read` checks parameters and body.
struct StoredModel {
  ModelOrigin origin;
  std::vector<Method> methods;
  Json parameters;
  Json statistics;
  Json body;
};

struct Kind {
  const char* name;
  const char* summary = "";
  std::span<const Parameter> parameters = {};
  // One table for each collective. Throws Error. None: this kind is only read.
  std::unique_ptr<DecisionFunction> (*fit)(const std::vector<Timings>& timings,
                                           const Parameters& parameters) = nullptr;
  // Throws Error without the name of the file.
  std::unique_ptr<DecisionFunction> (*read)(StoredModel stored) = nullptr;
};

std::span<const Kind* const> kinds();
// nullptr: there is none of this name.
const Kind* find_kind(std::string_view name);

}  // namespace colltree
