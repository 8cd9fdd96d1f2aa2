// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/rules/rules_text.h"

// A rule set as text, line for line as c4.5rules prints it.
#include <fmt/format.h>

#include "model/c45/text.h"

namespace colltree::c45 {

namespace {

std::string condition_text(const Condition& condition, const Schema& schema) {
  const Attribute& attribute = schema.attributes[condition.attribute];
  switch (condition.kind) {
    case ConditionKind::kThreshold:
      return fmt::format("{} {} {:g}", attribute.name, condition.above ? ">" : "<=", condition.cut);
    case ConditionKind::kValue:
      return fmt::format("{} = {}", attribute.name, attribute.values[condition.value - 1]);
    case ConditionKind::kGroup:
      break;
  }
  if (condition.values.size() == 1) {
    return fmt::format("{} = {}", attribute.name, attribute.values[condition.values[0] - 1]);
  }
  std::string names;
  for (const std::uint32_t v : condition.values) {
    if (!names.empty()) names += ", ";
    names += attribute.values[v - 1];
  }
  return fmt::format("{} in {{{}}}", attribute.name, names);
}

}  // namespace

std::string rule_text(const Rule& rule, const Schema& schema) {
  std::string out = fmt::format("Rule {}:\n", rule.number);
  for (const Condition& condition : rule.conditions) {
    out += fmt::format("    \t{}\n", condition_text(condition, schema));
  }
  return out + fmt::format("\t->  class {}  [{:.1f}%]\n", schema.classes[rule.label],
                           100 * (1 - rule.error));
}

std::string rules_text(const RuleSet& set, const Schema& schema) {
  std::string out;
  for (const Rule& rule : set.rules) out += rule_text(rule, schema) + "\n";
  return out + fmt::format("Default class: {}\n", schema.classes[set.default_label]);
}

// A rule set as a C function: one if for each rule, in order.

namespace {

std::string condition_c(const Condition& condition, const Schema& schema) {
  const Attribute& attribute = schema.attributes[condition.attribute];
  const std::string name = identifier(attribute.name);
  switch (condition.kind) {
    case ConditionKind::kThreshold: {
      // The reader's mark for an unknown number meets no condition.
      const std::string test =
          fmt::format("{} {} {}", name, condition.above ? ">" : "<=", c_float(condition.cut));
      return condition.above && condition.cut >= kUnknownNumber
                 ? test
                 : fmt::format("{} != {} && {}", name, c_float(kUnknownNumber), test);
    }
    case ConditionKind::kValue:
      return fmt::format("{} == {}", name, condition.value);
    case ConditionKind::kGroup:
      break;
  }
  std::string any;
  for (const std::uint32_t v : condition.values) {
    any += fmt::format("{}{} == {}", any.empty() ? "" : " || ", name, v);
  }
  return condition.values.size() == 1 ? any : "(" + any + ")";
}

}  // namespace

std::string rules_c(const RuleSet& set, const Schema& schema, std::string_view function) {
  std::string out = c_classes_and_signature(schema, function) + " {\n";
  for (const Rule& rule : set.rules) {
    if (rule.error > kMostError) continue;
    std::string all;
    for (const Condition& condition : rule.conditions) {
      all += fmt::format("{}{}", all.empty() ? "" : " && ", condition_c(condition, schema));
    }
    out += fmt::format("  if ({}) return {};\n", all, rule.label);
  }
  return out + fmt::format("  return {};\n}}\n", set.default_label);
}

// The report of c4.5rules, line for line from "Read N cases" on.

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

}  // namespace

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
