// SPDX-License-Identifier: BSD-3-Clause
#include "rules/adapt.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "evaluate/comparison.h"
#include "evaluate/policy.h"
#include "rules/keyed_rules.h"
#include "rules/rule_penalty.h"
#include "rules/rule_set.h"
#include "rules/safety.h"

namespace colltree::rules {

namespace {

using Reasons = std::map<std::string, std::size_t>;  // and how many rules each changed

std::string percent(double fraction) {
  return fmt::format("{} %", format_double(std::round(fraction * 10000) / 100));
}

class Adapter {
 public:
  Adapter(const model::RuleTree& tree, const RuleTarget& target, const AdaptOptions& options)
      : tree_(tree), target_(target), options_(options) {}

  Adapted run() {
    take_collectives();
    if (adapted_.rules.collectives.empty()) refuse(adapted_.notes.front());
    begin_costs();
    express_methods();
    if (target_.one_radix) one_radix();
    make_safe();
    one_size();
    if (!target_.has_communicator_size) one_row();
    if (is_all_or_none(&target_)) all_or_none();
    adapted_.keyed = keyed_rules(target_, adapted_.rules, options_.timings, adapted_.notes);
    if (std::ranges::all_of(adapted_.keyed.collectives, leaves_all))
      note("the file leaves every call to the library: it changes nothing");
    end_costs();
    return std::move(adapted_);
  }

 private:
  void note(std::string text) { adapted_.notes.push_back(std::move(text)); }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(
        fmt::format("{}: the file would change nothing in the library; name another target "
                    "(colltree emit --help lists them)",
                    why));
  }

  // Returns the cost of the step that was just taken, as it ends a note.
  std::string cost() {
    if (options_.timings == nullptr) return "";
    return cost(rule_penalty(adapted_.rules, *options_.timings, &target_).mean);
  }
  std::string cost(double now) {
    const double change = now - penalty_;
    penalty_ = now;
    return fmt::format("; mean penalty {}{}", change < 0 ? "-" : "+", percent(std::fabs(change)));
  }

  void begin_costs() {
    std::string lost;
    if (options_.timings != nullptr) {
      penalty_ = model_ = model_penalty(tree_, adapted_.rules, *options_.timings).mean;
      lost = cost(rule_penalty(adapted_.rules, *options_.timings).mean);
    }
    if (!placements_.empty()) placements_.back() += lost;
    for (const std::string& placement : placements_) note(placement);
  }

  void end_costs() {
    if (options_.timings == nullptr) return;
    const RulePenalty file =
        rule_penalty(adapted_.keyed, *options_.timings, &target_, RuleUnit::kKey);
    std::string text = fmt::format("mean penalty on the profile: model {}, file {} ({} instances",
                                   percent(model_), percent(file.mean), file.instances);
    text += evaluate::of_them_predicted(file.predicted);
    if (file.without_time > 0) text += fmt::format(", {} without a time", file.without_time);
    note(text + ")");
  }

  std::uint64_t chosen_placement(const model::RuleTree::Root& root) {
    const std::vector<std::uint64_t> placements = placements_of(tree_, root);
    if (options_.ranks_per_node != 0) return options_.ranks_per_node;
    if (placements.size() == 1) return placements[0];
    std::uint64_t best = placements.back();
    if (options_.timings != nullptr) {
      double least = INFINITY;
      for (const std::uint64_t placement : placements) {
        const double mean =
            rule_penalty(RuleSet{{rules_of(tree_, root, placement)}}, *options_.timings).mean;
        if (mean >= least) continue;
        least = mean;
        best = placement;
      }
    }
    const char* const asks =
        target_.placement == PlacementAxis::kDistribution
            ? "asks only for one rank on each node or a single node; the other rules"
            : "cannot ask for ranks per node; the rules";
    placements_.push_back(fmt::format("{}: {} {} are those for {} (--ranks-per-node chooses)",
                                      name(root.collective), target_.name, asks, best));
    return best;
  }

  void take_collectives() {
    for (const model::RuleTree::Root& root : tree_.roots) {
      if (!target_.size_key(root.collective)) {
        note(fmt::format("{}: {} has no rules for it; left out", name(root.collective),
                         target_.name));
        continue;
      }
      adapted_.rules.collectives.push_back(placed_rules(root));
    }
  }

  CollectiveRules placed_rules(const model::RuleTree::Root& root) {
    if (target_.placement == PlacementAxis::kRanksPerNode) return rules_by_placement(tree_, root);
    const std::uint64_t chosen = chosen_placement(root);
    return target_.placement == PlacementAxis::kDistribution
               ? rules_by_distribution(tree_, root, chosen)
               : rules_of(tree_, root, chosen);
  }

  const Timings* timings_of(Collective collective) const {
    if (options_.timings == nullptr) return nullptr;
    const auto found = std::ranges::find(*options_.timings, collective, &Timings::collective);
    return found == options_.timings->end() ? nullptr : &*found;
  }

  Allowed allowed(Collective collective) const {
    return [this, collective](const Rule& rule) {
      // A single rule that leaves its calls to the library would leave the whole collective to it.
      if (is_all_or_none(&target_) && is_library_default(rule.method)) return false;
      return options_.allow_unsafe || hazard_of(target_, collective, rule).empty();
    };
  }

  Method replaced(const Rule& rule, Collective collective) const {
    return replacement(target_, rule, timings_of(collective), collective, allowed(collective));
  }

  void express_methods() {
    Reasons reasons;
    bool any = false;
    for (CollectiveRules& collective_rules : adapted_.rules.collectives) {
      any = any || can_say_a_time(collective_rules.collective);
      for (Rule& rule : collective_rules.rules) {
        Expressed expressed = target_.express(collective_rules.collective, rule.method);
        any = any || expressed.method;
        if (!expressed.reason.empty()) ++reasons[expressed.reason];
        rule.method =
            expressed.method ? *expressed.method : replaced(rule, collective_rules.collective);
      }
      merge_rules(collective_rules);
    }
    if (!any && !reasons.empty()) {
      const std::size_t more = reasons.size() - 1;
      refuse(fmt::format("{} has none of the model's methods ({}{})", target_.name,
                         reasons.begin()->first, more == 0 ? "" : fmt::format(", {} more", more)));
    }
    say(reasons);
  }

  // Each algorithm gets the radix that most of its rules have.
  void one_radix() {
    Reasons reasons;
    for (CollectiveRules& collective_rules : adapted_.rules.collectives) {
      std::map<std::string, std::map<std::uint64_t, std::size_t>> used;
      for (const Rule& rule : collective_rules.rules)
        ++used[rule.method.algorithm][rule.method.parameters.radix];
      for (Rule& rule : collective_rules.rules) {
        std::uint64_t& radix = rule.method.parameters.radix;
        const auto most = std::ranges::max_element(used[rule.method.algorithm], {},
                                                   [](const auto& entry) { return entry.second; });
        if (radix == most->first) continue;
        ++reasons[fmt::format("{} {}: {} has one radix for the whole job",
                              name(collective_rules.collective), rule.method.algorithm,
                              target_.name)];
        radix = most->first;
      }
      merge_rules(collective_rules);
    }
    say(reasons);
  }

  // True if there is a measured method that the target has: what it lacks is replaced by the best.
  bool can_say_a_time(Collective collective) const {
    const Timings* timings = timings_of(collective);
    return timings != nullptr && std::ranges::any_of(timings->methods, [&](const Method& method) {
             return target_.express(collective, method).method.has_value();
           });
  }

  // Unsafe rules are replaced, or only listed where they are allowed.
  void make_safe() {
    Reasons reasons;
    for (CollectiveRules& collective_rules : adapted_.rules.collectives) {
      if (!options_.allow_unsafe) split_where_safe(target_, collective_rules);
      for (Rule& rule : collective_rules.rules) {
        const std::string hazard = hazard_of(target_, collective_rules.collective, rule);
        if (hazard.empty()) continue;
        ++reasons[hazard];
        if (!options_.allow_unsafe) rule.method = replaced(rule, collective_rules.collective);
      }
      if (!options_.allow_unsafe) merge_rules(collective_rules);
    }
    options_.allow_unsafe ? say(reasons, "allowed although unsafe: ", false)
                          : say(reasons, "replaced: ");
  }

  // Notes each reason; what all of them cost, if they cost anything, ends the last note.
  void say(const Reasons& reasons, const char* prefix = "", bool costs = true) {
    std::size_t left = reasons.size();
    for (const auto& [reason, count] : reasons) {
      note(fmt::format("{}{} ({} {}{})", prefix, reason, count, count == 1 ? "rule" : "rules",
                       --left == 0 && costs ? cost() : ""));
    }
  }

  // A row becomes one rule where rules cannot ask for the message size or must not.
  void one_size() {
    for (CollectiveRules& collective_rules : adapted_.rules.collectives) {
      const bool cannot = target_.size_key(collective_rules.collective) == SizeKey::kNone;
      const bool must_not = needs_one_size(target_, collective_rules.collective);
      if (!cannot && (!must_not || options_.allow_unsafe)) {
        if (must_not && has_several_sizes(collective_rules)) {
          note(
              fmt::format("allowed although unsafe: {} with more than one message size, which "
                          "not all ranks know",
                          name(collective_rules.collective)));
        }
        continue;
      }
      if (!has_several_sizes(collective_rules)) continue;
      const std::string left = what_stays(collective_rules);
      join_sizes(target_, collective_rules,
                 {options_.replace_default, timings_of(collective_rules.collective),
                  allowed(collective_rules.collective)});
      note(fmt::format("{}: {}; one method for all sizes{}{}", name(collective_rules.collective),
                       cannot ? fmt::format("rules of {} cannot depend on the size", target_.name)
                              : std::string("not all ranks know the size that rules are looked up "
                                            "with"),
                       left, cost()));
    }
  }

  // Says in words what becomes of calls that the model leaves to the library when rules are joined.
  std::string what_stays(const CollectiveRules& rules) const {
    if (!leaves_some(rules)) return "";
    return options_.replace_default
               ? "; it replaces the library's own choice, which the model has for a part of them"
               : "; the library's own choice, which the model has for a part of them "
                 "(--replace-default takes the best method for all)";
  }

  // An instance where the choice has no time counts as a penalty of 100 %.
  double charged_penalty(const RuleSet& rules) const {
    const RulePenalty penalty = rule_penalty(rules, *options_.timings, &target_);
    return penalty.mean + static_cast<double>(penalty.without_time);
  }

  // A target that cannot ask for the communicator size gets the row that is best for all sizes, or
  // without timings the row of the largest communicators.
  void one_row() {
    for (CollectiveRules& collective_rules : adapted_.rules.collectives) {
      const std::vector<RuleRow> rows = rows_of(collective_rules);
      if (rows.size() < 2) continue;
      RuleSet best;
      double least = INFINITY;
      for (std::size_t i = rows.size(); i-- > 0;) {
        RuleSet candidate{
            {{.collective = collective_rules.collective,
              .rules = options_.replace_default ? rows[i] : with_defaults_of(rows, rows[i])}}};
        for (Rule& rule : candidate.collectives[0].rules) rule.communicator_size = {};
        merge_rules(candidate.collectives[0]);
        const double mean = options_.timings == nullptr ? 0 : charged_penalty(candidate);
        if (mean >= least) continue;
        least = mean;
        best = candidate;
      }
      const std::string left = what_stays(collective_rules);
      collective_rules = best.collectives[0];
      note(fmt::format("{}: rules of {} cannot depend on the communicator size{}{}",
                       name(collective_rules.collective), target_.name, left, cost()));
    }
  }

  // A target whose rules hold for every call of a collective gets rules for all of them or none.
  void all_or_none() {
    for (CollectiveRules& collective_rules : adapted_.rules.collectives) {
      if (leaves_all(collective_rules)) continue;
      const bool some = leaves_some(collective_rules);
      if (!some && !is_no_gain(collective_rules)) continue;
      const std::string left = some ? what_stays(collective_rules)
                                    : "; the library's own choice, which is at least as fast";
      for (std::size_t i = 0; i < collective_rules.rules.size(); ++i) {
        Method& method = collective_rules.rules[i].method;
        if (!options_.replace_default) {
          method = library_default();
        } else if (is_library_default(method)) {
          method = instead_of_default(collective_rules, i);
        }
      }
      merge_rules(collective_rules);
      note(fmt::format("{}: rules of {} hold for every size{}{}", name(collective_rules.collective),
                       target_.name, left, cost()));
    }
  }

  // Methods that stand in for others can lose as much as the library's own choice, where that was
  // measured.
  bool is_no_gain(const CollectiveRules& rules) const {
    if (timings_of(rules.collective) == nullptr || options_.replace_default) return false;
    const Rule library_choice{.method = library_default()};
    return evaluate::is_default_as_good(
        charged_penalty({{{.collective = rules.collective, .rules = {library_choice}}}}),
        charged_penalty({{rules}}));
  }

  // Returns the best measured method. Without one it is the method of the next smaller sizes, and
  // for the smallest sizes that of the first rule that has a method.
  Method instead_of_default(const CollectiveRules& rules, std::size_t i) const {
    const Method best = replaced(rules.rules[i], rules.collective);
    if (!is_library_default(best)) return best;
    if (i > 0) return rules.rules[i - 1].method;
    return std::ranges::find_if_not(rules.rules, is_library_default, &Rule::method)->method;
  }

  const model::RuleTree& tree_;
  const RuleTarget& target_;
  const AdaptOptions& options_;
  Adapted adapted_;
  std::vector<std::string> placements_;  // what is lost where the target cannot ask for them
  double model_ = 0;
  double penalty_ = 0;
};

}  // namespace

Adapted adapt_rules(const model::RuleTree& tree, const RuleTarget& target,
                    const AdaptOptions& options) {
  return Adapter(tree, target, options).run();
}

}  // namespace colltree::rules
