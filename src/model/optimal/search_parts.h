// SPDX-License-Identifier: BSD-3-Clause
// The searches behind search(), one for each form of objective.
#pragma once

#include "model/optimal/search.h"

namespace colltree::optimal {

// The least sum over the cells, in units of `costs` divided by `divisor`.
Solution search_sum(const ScaledCosts& costs, const BoxSpace& space, const SearchOptions& options,
                    double divisor);
// `values`: penalties, 0 where the weight is. `mean`: the costs that decide between equals.
Solution search_max(const CostCube& values, const std::vector<double>& mean, const BoxSpace& space,
                    const SearchOptions& options);
Solution search_quantile(const CostCube& values, const std::vector<double>& weights,
                         const std::vector<double>& mean, const BoxSpace& space,
                         const SearchOptions& options);

// The value that `percent` of the weight does not exceed.
double quantile_of(const std::vector<double>& cell_values, const std::vector<double>& weights,
                   unsigned percent);

}  // namespace colltree::optimal
