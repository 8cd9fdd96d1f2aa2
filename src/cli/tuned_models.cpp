// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tuned_models.h"

namespace colltree {

namespace {

constexpr TunedModel kModels[] = {
    {"", "optimal:leaves=auto"},
    {"quadtree3", "quadtree:max_depth=3"},
    {"quadtree", "quadtree"},
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m40-c5", "c45:weight=40,confidence=5"},
};

constexpr TunedModel kCombined[] = {
    {"c45-m2-c25", "c45:weight=2,confidence=25"},
    {"c45-m20-c5", "c45:weight=20,confidence=5"},
};

}  // namespace

std::span<const TunedModel> tuned_models() { return kModels; }
std::span<const TunedModel> tuned_combined_models() { return kCombined; }

}  // namespace colltree
