// SPDX-License-Identifier: BSD-3-Clause
// The kinds of model: how a model is found. Adding one is a file in kinds/ with its parameters, its
// `fit` and its Kind, and a line in kind.cpp.
#pragma once

#include <optional>
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

// A parameter of every kind that is fitted: where another method may stand at all.
bool is_least_gain(std::string_view word);
inline constexpr Parameter kLeastGain =
    word("least_gain", "none", is_least_gain, "none or a percentage from 0 to 1000",
         "keep the library's own choice unless another method is at least this many percent "
         "faster, with 95 % confidence");
// A fraction; none: every method may stand everywhere.
std::optional<double> least_gain(std::string_view word);
// What may be chosen, to fit to (timings/kept_methods.h).
std::vector<Timings> candidates(const std::vector<Timings>& timings, const Parameters& parameters);

std::span<const Kind* const> kinds();
// nullptr: there is none of this name.
const Kind* find_kind(std::string_view name);

}  // namespace colltree::model
