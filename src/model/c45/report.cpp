// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/report.h"

#include <fmt/format.h>

#include "model/c45/text.h"

namespace colltree::c45 {

namespace {

std::string errors_text(std::size_t errors, std::size_t cases) {
  return fmt::format("{:>4} ({:4.1f}%)", errors,
                     100.0 * static_cast<double>(errors) / static_cast<double>(cases));
}

std::string evaluation(const Schema& schema, const Training& training, const Cases& cases,
                       const char* on) {
  std::string out = fmt::format(
      "\nEvaluation on {} data ({} items):\n\n"
      "         Before pruning                   After pruning\n"
      "         ------------------------------   ------------------------------------------\n"
      "  Trial   Nodes  Leaves        Errors      Nodes  Leaves        Errors    Estimate\n\n",
      on, cases.size());
  for (std::size_t t = 0; t < training.trials.size(); ++t) {
    const Trial& trial = training.trials[t];
    const TreeFigures before = figures_of(trial.grown, schema, cases);
    const TreeFigures after = figures_of(trial.pruned, schema, cases);
    out +=
        fmt::format("  {:>5}  {:>6}  {:>6}  {}    {:>6}  {:>6}  {}    ({:4.1f}%){}\n", t,
                    before.size.nodes, before.size.leaves, errors_text(before.errors, cases.size()),
                    after.size.nodes, after.size.leaves, errors_text(after.errors, cases.size()),
                    estimate_percent(trial.pruned), t == training.best ? "  <<" : "");
  }
  return out;
}

}  // namespace

std::string report_text(const Dataset& data, const Training& training, const std::string& stem,
                        const Cases* test) {
  const Trial& best = training.trials[training.best];
  std::string out = fmt::format("Read {} cases ({} attributes) from {}.data\n", data.cases.size(),
                                data.schema.attributes.size(), stem);
  if (training.trials.size() > 1) out += fmt::format("\nTrial {} is the best:\n", training.best);
  out += fmt::format("\nDecision Tree:\n\n{}", tree_text(best.grown, data.schema));
  if (best.simplified || best.pruned.soft) {
    out += fmt::format("\nSimplified Decision Tree:\n\n{}", tree_text(best.pruned, data.schema));
  }
  out += evaluation(data.schema, training, data.cases, "training");
  if (test != nullptr && test->size() > 0) {
    out += evaluation(data.schema, training, *test, "test");
  }
  return out;
}

}  // namespace colltree::c45
