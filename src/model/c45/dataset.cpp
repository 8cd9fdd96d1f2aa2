// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/dataset.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"

namespace colltree::c45 {

Cases empty_cases(const Schema& schema) {
  Cases cases;
  cases.numbers.resize(schema.attributes.size());
  cases.values.resize(schema.attributes.size());
  return cases;
}

Thresholds::Thresholds(const Schema& schema, const Cases& cases)
    : values_(schema.attributes.size()) {
  for (std::size_t a = 0; a < values_.size(); ++a) {
    std::vector<float>& values = values_[a];
    values = cases.numbers[a];
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    values.shrink_to_fit();
    names_.push_back(schema.attributes[a].name);
  }
}

float Thresholds::between(std::size_t attribute, float low, float high, bool strict_r8) const {
  const auto bar = static_cast<float>((low + high) / 2.0);
  if (bar >= low && bar < high) {
    const std::vector<float>& values = values_[attribute];
    return *(std::ranges::upper_bound(values, bar) - 1);
  }
  if (strict_r8) {
    throw Error(fmt::format(
        "attribute '{}': release 8 recurses for ever between {} and {}, which have no float32 "
        "number between them; run without --strict-r8",
        names_[attribute], low, high));
  }
  return low;
}

}  // namespace colltree::c45
