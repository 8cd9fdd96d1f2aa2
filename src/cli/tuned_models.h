// SPDX-License-Identifier: BSD-3-Clause
// The models that `tune` fits to what it measured.
#pragma once

#include <span>

namespace colltree {

struct TunedModel {
  const char* name;    // of its files: bcast-quadtree3.json
  const char* fitter;  // model/fitter.h
};

std::span<const TunedModel> tuned_models();           // of one collective
std::span<const TunedModel> tuned_combined_models();  // of several that share methods

}  // namespace colltree
