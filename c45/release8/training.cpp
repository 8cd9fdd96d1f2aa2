// SPDX-License-Identifier: BSD-3-Clause
#include "release8/training.h"

#include <algorithm>

#include "release8/grow_ordered.h"
#include "release8/prune_ordered.h"

namespace colltree::c45 {

bool has_unknowns(const Schema& schema, const Cases& cases) {
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    if (schema.attributes[a].kind == AttributeKind::kIgnored) continue;
    if (std::ranges::find(cases.numbers[a], kUnknownNumber) != cases.numbers[a].end()) return true;
    if (std::ranges::find(cases.values[a], kUnknownValue) != cases.values[a].end()) return true;
  }
  return false;
}

namespace {

void train_ordered(const Schema& schema, const Cases& cases, const TrainOptions& options,
                   Training& training) {
  const Thresholds thresholds(schema, cases);
  const float confidence = confidence_fraction(options.confidence_percent);
  OrderedGrower grower(schema, cases, thresholds, options.grow);
  ItemOrder order(cases.size());
  const auto add = [&](Tree grown) {
    PruneResult pruned = prune_ordered(grown, schema, cases, order, confidence);
    training.trials.push_back(
        pruned_trial(std::move(grown), std::move(pruned), schema, options.grow));
  };
  if (!options.windowing) return add(grower.grow(order, cases.size()));
  Windowing windowing(schema, cases, *options.windowing);
  for (int t = 0; t < options.windowing->trials; ++t) add(windowing.next_trial(grower, order));
}

// Windows and unknown values need release 8's own permutation of the cases.
bool order_matters(const Schema& schema, const Cases& cases, const TrainOptions& options) {
  return options.windowing || options.in_release8_order || has_unknowns(schema, cases);
}

}  // namespace

Training train(const Schema& schema, const Cases& cases, const TrainOptions& options) {
  Training training;
  if (order_matters(schema, cases, options)) {
    train_ordered(schema, cases, options, training);
  } else {
    training.trials.push_back(
        train_complete(schema, cases, options.grow, options.confidence_percent));
  }
  const auto estimate = [&](std::size_t t) { return training.trials[t].pruned.nodes[0].errors; };
  for (std::size_t t = 1; t < training.trials.size(); ++t) {
    if (estimate(t) < estimate(training.best)) training.best = t;
  }
  if (options.soft_thresholds) {
    set_soft_thresholds(training.trials[training.best].pruned, schema, cases);
  }
  return training;
}

}  // namespace colltree::c45
