// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/dataset.h"

#include <algorithm>

namespace colltree::c45 {

Cases empty_cases(const Schema& schema) {
  Cases cases;
  cases.numbers.resize(schema.attributes.size());
  cases.values.resize(schema.attributes.size());
  return cases;
}

bool has_unknowns(const Schema& schema, const Cases& cases) {
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    if (schema.attributes[a].kind == AttributeKind::kIgnored) continue;
    if (std::ranges::find(cases.numbers[a], kUnknownNumber) != cases.numbers[a].end()) return true;
    if (std::ranges::find(cases.values[a], kUnknownValue) != cases.values[a].end()) return true;
  }
  return false;
}

std::optional<std::uint32_t> find_name(const std::vector<std::string>& names,
                                       const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - names.begin());
}

}  // namespace colltree::c45
