// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/train.h"

#include "model/c45/grow_ordered.h"
#include "model/c45/grow_presorted.h"
#include "model/c45/prune.h"
#include "model/c45/prune_complete.h"
#include "model/c45/release8.h"

namespace colltree::c45 {

namespace {

Trial finish(Tree grown, PruneResult pruned, const Schema& schema, const TrainOptions& options) {
  if (options.grow.group) drop_impossible_values(pruned.tree, schema);
  return {std::move(grown), std::move(pruned.tree), pruned.changed};
}

void train_ordered(const Schema& schema, const Cases& cases, const TrainOptions& options,
                   Training& training) {
  const Thresholds thresholds(schema, cases);
  const float confidence = confidence_fraction(options.confidence_percent);
  OrderedGrower grower(schema, cases, thresholds, options.grow);
  ItemOrder order(cases.size());
  const auto add = [&](Tree grown) {
    PruneResult pruned = prune_ordered(grown, schema, cases, order, confidence);
    training.trials.push_back(finish(std::move(grown), std::move(pruned), schema, options));
  };
  if (!options.windowing) return add(grower.grow(order, cases.size()));
  Windowing windowing(schema, cases, *options.windowing);
  for (int t = 0; t < options.windowing->trials; ++t) add(windowing.next_trial(grower, order));
}

void train_complete(const Schema& schema, const Cases& cases, const TrainOptions& options,
                    Training& training) {
  const Thresholds thresholds(schema, cases);
  Tree grown = PresortedGrower(schema, cases, thresholds).grow(options.grow);
  PruneResult pruned =
      CompletePruner(grown, schema, cases).prune(confidence_fraction(options.confidence_percent));
  training.trials.push_back(finish(std::move(grown), std::move(pruned), schema, options));
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
    train_complete(schema, cases, options, training);
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
