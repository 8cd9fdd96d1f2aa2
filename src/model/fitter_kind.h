// SPDX-License-Identifier: BSD-3-Clause
// The kinds of model that can be fitted. Adding one is a row in fitter_kinds.cpp and its `fit`
// function beside the model.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "model/decision_function.h"
#include "timings/timings.h"

namespace colltree {

struct FitterParameter {
  const char* name;           // on the command line: "confidence"
  const char* field;          // of DecisionFunction::parameters(): "confidence_level"
  const char* default_value;  // JSON: "25", "null", "\"end\""
  std::string (*expected)();  // in errors: "a whole number from 1 to 1000"
  // Nothing when the text is no such value.
  std::optional<Json> (*parse)(std::string_view text);
};

struct FitterKind {
  const char* name;
  const char* summary;
  std::span<const FitterParameter> parameters;
  // `parameters` holds every field above. Throws Error.
  std::unique_ptr<DecisionFunction> (*fit)(const std::vector<Timings>& timings,
                                           const Json& parameters);
};

std::span<const FitterKind> fitter_kinds();

}  // namespace colltree
