// SPDX-License-Identifier: BSD-3-Clause
// The models that `tune` fits to what it measured: the one to deploy, which docs/evaluating.md
// chose by its tables, and some beside it to compare with.
#pragma once

#include <span>

namespace colltree {

struct TunedModel {
  const char* name;    // of its files: bcast-quadtree3.json; "": the one to deploy, bcast.json
  const char* fitter;  // model/fitter.h
};

std::span<const TunedModel> tuned_models();           // of one collective
std::span<const TunedModel> tuned_combined_models();  // of several that share methods

}  // namespace colltree
