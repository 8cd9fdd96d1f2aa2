// SPDX-License-Identifier: BSD-3-Clause
// The kinds of model: how a model is found. Adding one is a file in kinds/ with its parameters, its
// `fit` and its Kind, and a line in kind.cpp.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/model.h"
#include "model/parameters.h"
#include "timings/timings.h"

namespace colltree::model {

struct Kind {
  const char* name;
  const char* summary = "";
  std::span<const Parameter> parameters = {};
  // One table for each collective. Throws Error. None: this kind is only read.
  Model (*fit)(const std::vector<Timings>& timings, const Parameters& parameters) = nullptr;
  // The fitters that `colltree evaluate compare` tries unless others are named; blank between two.
  const char* compared = "";
};

std::span<const Kind* const> kinds();
// nullptr: there is none of this name.
const Kind* find_kind(std::string_view name);

}  // namespace colltree::model
