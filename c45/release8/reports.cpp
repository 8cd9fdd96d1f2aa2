// SPDX-License-Identifier: BSD-3-Clause
#include "release8/reports.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"

namespace colltree::c45 {

namespace {

// In float32, as release 8 except in the table of trials: it decides the last printed digit.
float percent(float part, float whole) { return 100 * part / whole; }

std::string table_text(const RuleSet& set, const RuleEvaluation& evaluation, const Schema& schema) {
  std::string out =
      "Rule  Size  Error  Used  Wrong\t          Advantage\n"
      "----  ----  -----  ----  -----\t          ---------\n";
  for (std::size_t r = 0; r < set.rules.size(); ++r) {
    const Rule& rule = set.rules[r];
    const RuleUse& use = evaluation.rules[r];
    if (use.used == 0) continue;
    out += fmt::format("{:4}  {:4} {:5.1f}%  {:4} {:6} ({:.1f}%)\t{:6} ({}|{}) \t{}\n", rule.number,
                       rule.conditions.size(), 100 * rule.error, use.used, use.wrong,
                       percent(static_cast<float>(use.wrong), static_cast<float>(use.used)),
                       static_cast<int>(use.better) - static_cast<int>(use.worse), use.better,
                       use.worse, schema.classes[rule.label]);
  }
  return out + "\n";
}

std::string letter(std::size_t c) { return fmt::format("({})", static_cast<char>('a' + c)); }

std::string confusion_text(const RuleEvaluation& evaluation, const Schema& schema,
                           const Cases& cases) {
  const std::size_t classes = schema.classes.size();
  std::vector<std::size_t> count(classes * classes, 0);
  for (std::size_t id = 0; id < cases.size(); ++id) {
    ++count[cases.label[id] * classes + evaluation.answers[id]];
  }
  std::string out = "\n\n\t";
  for (std::size_t c = 0; c < classes; ++c) out += fmt::format("{:>5}", letter(c));
  out += "\t<-classified as\n\t";
  for (std::size_t c = 0; c < classes; ++c) out += " ----";
  out += "\n";
  for (std::size_t c = 0; c < classes; ++c) {
    out += "\t";
    for (std::size_t answer = 0; answer < classes; ++answer) {
      const std::size_t n = count[c * classes + answer];
      out += n > 0 ? fmt::format("{:5}", n) : std::string(5, ' ');
    }
    out += fmt::format("\t{}: class {}\n", letter(c), schema.classes[c]);
  }
  return out + "\n";
}

struct Score {
  std::size_t size = 0;
  std::size_t errors = 0;
};

std::string scores_text(const std::vector<Score>& scores, std::size_t cases) {
  std::string out = "\nTrial   Size      Errors\n-----   ----      ------\n";
  float sizes = 0;
  float errors = 0;
  for (std::size_t t = 0; t < scores.size(); ++t) {
    const Score& score = scores[t];
    out +=
        fmt::format("{:>4}    {:4}  {:3}({:4.1f}%)\n",
                    t + 1 == scores.size() ? "**" : fmt::format("{}", t), score.size, score.errors,
                    100.0 * static_cast<double>(score.errors) / static_cast<double>(cases));
    sizes += static_cast<float>(score.size);
    errors += static_cast<float>(score.errors);
  }
  const auto trials = static_cast<float>(scores.size());
  return out + fmt::format("\t\t\t\tAv size = {:.1f},  av errors = {:.1f} ({:.1f}%)\n",
                           sizes / trials, errors / trials,
                           percent(errors / trials, static_cast<float>(cases)));
}

class Evaluation {
 public:
  Evaluation(const Schema& schema, const Cases& cases, bool training)
      : schema_(schema), cases_(cases), training_(training) {}

  // One table, and with training cases one more after each harmful rule that goes from `set`.
  void add(RuleSet& set, const std::string& title, bool final_set) {
    text_ += title;
    RuleEvaluation evaluation = evaluate_rules(set, cases_);
    text_ += table_text(set, evaluation, schema_);
    const std::size_t size_before = set.rules.size();
    while (const auto harmful = training_ ? harmful_rule(evaluation) : std::nullopt) {
      text_ += fmt::format("Drop rule {}\n\n", set.rules[*harmful].number);
      set.rules.erase(set.rules.begin() + static_cast<std::ptrdiff_t>(*harmful));
      evaluation = evaluate_rules(set, cases_);
      text_ += table_text(set, evaluation, schema_);
    }
    text_ += fmt::format(
        "Tested {}, errors {} ({:.1f}%){}\n", cases_.size(), evaluation.errors,
        percent(static_cast<float>(evaluation.errors), static_cast<float>(cases_.size())),
        final_set ? "   <<" : "");
    scores_.push_back({set.rules.size(), evaluation.errors});
    constexpr std::size_t kMostClasses = 21;
    const bool shown = final_set || set.rules.size() < size_before;
    if (shown && schema_.classes.size() <= kMostClasses) {
      text_ += confusion_text(evaluation, schema_, cases_);
    }
  }

  std::string text() const {
    return scores_.size() > 1 ? text_ + scores_text(scores_, cases_.size()) : text_;
  }

 private:
  const Schema& schema_;
  const Cases& cases_;
  bool training_;
  std::string text_;
  std::vector<Score> scores_;
};

std::string evaluation_text(RulesOfTrees& rules, Evaluation evaluation) {
  const bool several = rules.sets.size() > 1;
  for (std::size_t t = 0; several && t < rules.sets.size(); ++t) {
    evaluation.add(rules.sets[t], fmt::format("\nRuleset {}:\n\n", t), false);
  }
  evaluation.add(rules.final_set, several ? "\nComposite ruleset:\n\n" : "\n", true);
  return evaluation.text();
}

// A tree on some cases.
struct TreeFigures {
  TreeSize size;
  std::size_t errors = 0;
  std::vector<std::uint32_t> answers;  // by case: class index
};

TreeFigures figures_of(const Tree& tree, const Schema& schema, const Cases& cases) {
  TreeFigures figures{.size = size_of(tree), .answers = classify(tree, schema, cases)};
  figures.errors = count_errors(figures.answers, cases);
  return figures;
}

// 100 x pessimistic errors / cases at the root of a pruned tree, in float32 as release 8.
float estimate_percent(const Tree& pruned) {
  return 100 * pruned.nodes[0].errors / pruned.nodes[0].items;
}

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

std::string summary_json(const Dataset& data, const Training& training, const Cases* test) {
  const Trial& best = training.trials[training.best];
  const TreeFigures before = figures_of(best.grown, data.schema, data.cases);
  const TreeFigures after = figures_of(best.pruned, data.schema, data.cases);
  Json object = before_and_after(before, after, data.cases.size());
  object["schema"] = "colltree/c45/1";  // docs/reference/formats/schemas/c45.json
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

std::string rules_report(RulesOfTrees rules, const Schema& schema, const Cases& cases,
                         const Cases* test) {
  std::string out;
  for (std::size_t t = 0; t < rules.sets.size(); ++t) {
    out += fmt::format(
        "\n------------------\nProcessing tree {0}\n\nFinal rules from tree {0}:\n\n{1}", t,
        rules_text(rules.sets[t], schema));
  }
  if (rules.sets.size() > 1) {
    out += fmt::format("\nComposite ruleset:\n\n{}", rules_text(rules.final_set, schema));
  }
  const bool tested = test != nullptr && test->size() > 0;
  out += fmt::format("\n\nEvaluation on training data ({} items):\n", cases.size());
  out += evaluation_text(rules, Evaluation(schema, cases, true));
  if (!tested) return out;
  out += fmt::format("\nEvaluation on test data ({} items):\n", test->size());
  return out + evaluation_text(rules, Evaluation(schema, *test, false));
}

}  // namespace colltree::c45
