// SPDX-License-Identifier: BSD-3-Clause
// From a table of complete cases to a tree. What release 8 does beside this, for unknown values and
// windows, is in c45/release8.
#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "engine/grow_presorted.h"
#include "engine/prune.h"

namespace colltree::c45 {

namespace {

template <typename Value>
void check_column(const Attribute& attribute, const std::vector<Value>& column, std::size_t cases,
                  Value unknown) {
  if (column.size() != cases) {
    throw Error(fmt::format("attribute '{}': expected a value for each of {} cases, got {}",
                            attribute.name, cases, column.size()));
  }
  const auto found = std::ranges::find(column, unknown);
  if (found == column.end()) return;
  throw Error(fmt::format("attribute '{}': case {} lacks a value; leave such cases out",
                          attribute.name, found - column.begin()));
}

void check_complete(const Schema& schema, const Cases& cases) {
  if (cases.size() == 0) throw Error("no cases to fit a tree to");
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    const Attribute& attribute = schema.attributes[a];
    if (attribute.kind == AttributeKind::kContinuous) {
      check_column(attribute, cases.numbers.at(a), cases.size(), kUnknownNumber);
    } else if (attribute.kind == AttributeKind::kDiscrete) {
      check_column(attribute, cases.values.at(a), cases.size(), kUnknownValue);
    }
  }
}

}  // namespace

Trial fit_tree(const Schema& schema, const Cases& cases, const TreeOptions& options) {
  check_complete(schema, cases);
  const Thresholds thresholds(schema, cases);
  Tree grown = PresortedGrower(schema, cases, thresholds).grow(options);
  PruneResult pruned =
      CompletePruner(grown, schema, cases).prune(confidence_fraction(options.confidence_percent));
  return pruned_trial(std::move(grown), std::move(pruned), schema, options);
}

}  // namespace colltree::c45
