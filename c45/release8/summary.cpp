// SPDX-License-Identifier: BSD-3-Clause
#include "release8/summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "model/c45/tree.h"
#include "release8/source.h"

namespace colltree::c45 {

TreeFigures figures_of(const Tree& tree, const Schema& schema, const Cases& cases) {
  TreeFigures figures;
  figures.size = size_of(tree);
  Classifier classifier(tree, schema.classes.size());
  for (std::uint32_t id = 0; id < cases.size(); ++id) {
    figures.answers.push_back(classifier.classify(cases, id));
    figures.errors += figures.answers.back() != cases.label[id];
  }
  return figures;
}

float estimate_percent(const Tree& pruned) {
  return 100 * pruned.nodes[0].errors / pruned.nodes[0].items;
}

namespace {

// As printf("%.1f"): release 8's percentages.
double one_decimal(double value) { return std::stod(fmt::format("{:.1f}", value)); }

double percent(std::size_t errors, std::size_t cases) {
  return one_decimal(100.0 * static_cast<double>(errors) / static_cast<double>(cases));
}

Json before_and_after(const TreeFigures& before, const TreeFigures& after, std::size_t cases) {
  return {{"nodes_before", before.size.nodes}, {"leaves_before", before.size.leaves},
          {"errors_before", before.errors},    {"pct_before", percent(before.errors, cases)},
          {"nodes_after", after.size.nodes},   {"leaves_after", after.size.leaves},
          {"errors_after", after.errors},      {"pct_after", percent(after.errors, cases)}};
}

Json trial_json(const Dataset& data, const Training& training, std::size_t t) {
  const Trial& trial = training.trials[t];
  Json row = before_and_after(figures_of(trial.grown, data.schema, data.cases),
                              figures_of(trial.pruned, data.schema, data.cases), data.cases.size());
  row.erase("leaves_before");
  row.erase("leaves_after");
  row["trial"] = t;
  row["estimate_pct"] = one_decimal(estimate_percent(trial.pruned));
  row["saved"] = t == training.best;
  return row;
}

Json value_names(const Schema& schema) {
  Json names = Json::array();
  for (const Attribute& attribute : schema.attributes) {
    names.push_back(attribute.kind == AttributeKind::kDiscrete ? Json(attribute.values) : Json());
  }
  return names;
}

Json attribute_names(const Schema& schema) {
  Json names = Json::array();
  for (const Attribute& attribute : schema.attributes) names.push_back(attribute.name);
  return names;
}

void add_test(Json& object, const Schema& schema, const Trial& trial, const Cases& test) {
  const TreeFigures before = figures_of(trial.grown, schema, test);
  const TreeFigures after = figures_of(trial.pruned, schema, test);
  object["test"] = {{"errors_before", before.errors},
                    {"pct_before", percent(before.errors, test.size())},
                    {"errors_after", after.errors},
                    {"pct_after", percent(after.errors, test.size())},
                    {"cases", test.size()}};
  object["pred"]["test_before"] = before.answers;
  object["pred"]["test_after"] = after.answers;
}

}  // namespace

std::string summary_json(const Dataset& data, const Training& training, const Cases* test) {
  const Trial& best = training.trials[training.best];
  const TreeFigures before = figures_of(best.grown, data.schema, data.cases);
  const TreeFigures after = figures_of(best.pruned, data.schema, data.cases);
  Json object = before_and_after(before, after, data.cases.size());
  object["estimate_pct"] = one_decimal(estimate_percent(best.pruned));
  object["estimated_errors_f32"] = best.pruned.nodes[0].errors;
  object["depth_before"] = before.size.max_depth;
  object["depth_after"] = after.size.max_depth;
  object["empty_leaves_before"] = before.size.empty_leaves;
  object["empty_leaves_after"] = after.size.empty_leaves;
  object["simplified_printed"] = std::ranges::any_of(training.trials, &Trial::simplified);
  object["cases"] = data.cases.size();
  if (training.trials.size() > 1) {
    object["trials"] = Json::array();
    for (std::size_t t = 0; t < training.trials.size(); ++t) {
      object["trials"].push_back(trial_json(data, training, t));
    }
    object["best_trial"] = training.best;
  }
  object["classes"] = data.schema.classes;
  object["attributes"] = attribute_names(data.schema);
  object["values"] = value_names(data.schema);
  object["pred"] = {{"train_before", before.answers}, {"train_after", after.answers}};
  if (test != nullptr) add_test(object, data.schema, best, *test);
  // The trees are written by hand: the library's writer recurses, and trees can be deep.
  std::string text = object.dump_in_order();
  text.pop_back();
  return text + ",\"raw\":" + tree_json(best.grown) + ",\"pruned\":" + tree_json(best.pruned) + "}";
}

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
