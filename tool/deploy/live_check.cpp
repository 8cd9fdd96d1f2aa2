// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/live_check.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "deploy/library_reasons.h"
#include "deploy/live_probes.h"
#include "measure/job.h"
#include "protocol/report_line.h"
#include "rules/openmpi/openmpi_han.h"
#include "rules/rule_set.h"

namespace colltree::deploy {

namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of one rank's buffer

using Answers = std::map<protocol::PlanCell, protocol::Witnessed>;

class LiveCheck {
 public:
  LiveCheck(const rules::RuleTarget& target, const rules::RuleSet& rules, std::string file,
            const LiveOptions& options)
      : target_(target),
        rules_(rules),
        file_(std::filesystem::absolute(file).string()),
        sizes_(options.communicator_sizes),
        starter_(options.launcher, options.mpi) {
    starter_.require(library_);
    std::ranges::sort(sizes_);
    result_.mpi = starter_.mpi();
  }

  LiveResult run() {
    std::erase_if(rules_.collectives, [&](const rules::CollectiveRules& collective_rules) {
      return collective_rules.rules.empty() ||
             find_algorithm(library_, collective_rules.collective, 1) == nullptr;
    });
    for (const rules::CollectiveRules& collective_rules : rules_.collectives)
      collect(collective_rules);
    compare(rules_, ask(plan(), settings_for(file_)), "");
    rules::RuleSet marked = rules_;
    for (rules::CollectiveRules& collective_rules : marked.collectives)
      collective_rules.rules =
          marked_rules(collective_rules, markers_of(collective_rules.collective), sizes_);
    const TransientFile copy(fmt::format("{}.probe-{}", file_, ::getpid()),
                             target_.write(marked, "the same thresholds, marked"));
    const Answers answers = ask(plan(), settings_for(copy.name()));
    compare(marked, answers, "marked copy: ");
    for (const rules::CollectiveRules& collective_rules : rules_.collectives)
      count(collective_rules, marked, answers);
    return result_;
  }

 private:
  // Chooses the message sizes at which a collective is called: both sides of every threshold of any
  // communicator size, and one size that is none.
  void collect(const rules::CollectiveRules& collective_rules) {
    std::set<std::uint64_t>& sizes = messages_[collective_rules.collective];
    const bool none = message_unit(collective_rules.collective) == MessageUnit::kNone;
    sizes.insert(none ? 0 : 64);
    for (const std::uint64_t ranks : sizes_) {
      for (const std::uint64_t begin : message_begins(collective_rules, ranks)) {
        for (const std::uint64_t size :
             around(*target_.size_key(collective_rules.collective), begin, ranks)) {
          if (size <= kMostBytes / ranks) {
            sizes.insert(size);
          } else {
            result_.out_of_reach.push_back(
                fmt::format("{} on {} ranks: the threshold {} needs too much memory",
                            name(collective_rules.collective), ranks, begin));
            break;
          }
        }
      }
    }
  }

  protocol::Plan plan() const {
    protocol::Plan plan;
    plan.source = "witness";
    for (const std::uint64_t ranks : sizes_) {
      for (const auto& [collective, messages] : messages_) {
        for (const std::uint64_t message : messages) {
          plan.cells.push_back({{collective, ranks, message}, {kDefaultAlgorithm, std::nullopt}});
          if (library_ == Library::kOpenmpi && !han_)
            plan.cells.push_back(
                {{collective, ranks, message}, {protocol::kBuiltinAlgorithm, std::nullopt}});
        }
      }
    }
    return plan;
  }

  std::vector<std::string> settings_for(const std::string& rules_file) const {
    return rules::settings_to_load({{&target_, rules_file}});
  }

  Answers ask(const protocol::Plan& plan, std::vector<std::string> settings) {
    Answers answers;
    const auto of_job = static_cast<std::ptrdiff_t>(settings.size());
    settings.insert(settings.end(), settings_.begin(), settings_.end());
    WitnessJob job = run_witness_job(starter_, plan, file_, settings);
    settings_.assign(settings.begin() + of_job, settings.end());
    for (protocol::Witnessed& call : job.calls) {
      layouts_[call.cell.instance.communicator_size] = call.layout;
      answers[call.cell] = std::move(call);
    }
    if (!variables_) variables_ = std::move(job.variables);
    // A component above coll/tuned may run algorithms that have no name for the witness.
    const bool seen = std::ranges::any_of(answers, [](const auto& answer) {
      return !answer.second.ids.empty() || !answer.second.component.empty();
    });
    if (!seen) throw Error("this library shows no algorithm functions to a witness; cannot check");
    return answers;
  }

  // Algorithms for the marked copy, which run everywhere.
  std::vector<Method> markers_of(Collective collective) {
    if (han_) return {{rules::kHandedToTuned, 0}, rules::han_marker(collective)};
    std::vector<Method> markers;
    for (const LibraryAlgorithm& algorithm : algorithms_of(library_)) {
      const std::uint32_t needs = algorithm.needs & ~std::uint32_t{kNotInPlace};
      if (algorithm.collective != collective || needs != 0 || algorithm.since > 41) continue;
      const rules::Expressed expressed =
          target_.express(collective, {std::string(algorithm.algorithm), std::nullopt});
      // Two names may mean the same algorithm: MPICH 4.1's dissemination is k_dissemination.
      if (expressed.method && std::ranges::count(markers, *expressed.method) == 0)
        markers.push_back(*expressed.method);
    }
    return markers;
  }

  void compare(const rules::RuleSet& rules, const Answers& answers, std::string_view which) {
    for (const auto& [cell, witnessed] : answers) {
      if (cell.method.algorithm == protocol::kBuiltinAlgorithm) continue;
      if (!is_ruled(witnessed)) {
        note_unruled(cell, witnessed);
        continue;
      }
      ++result_.calls;
      const Method expected = rules::decide(target_, rules, witnessed.instance());
      if (agrees(cell, expected, witnessed, answers)) continue;
      // A script sets the variables itself, so none can stand above it.
      for (std::string& line : overriding(library_, witnessed, *variables_)) {
        if (!target_.is_script && std::ranges::count(result_.overriding, line) == 0)
          result_.overriding.push_back(std::move(line));
      }
      std::string ran = witnessed.code == 0 ? "" : fmt::format("error {}", witnessed.code);
      for (const int id : witnessed.ids) {
        const LibraryAlgorithm* algorithm = find_algorithm(library_, cell.instance.collective, id);
        ran += fmt::format("{}{}", ran.empty() ? "" : ", ",
                           algorithm == nullptr ? "an unknown one" : algorithm->algorithm);
      }
      result_.mismatches.push_back(
          fmt::format("{}{} on {} ranks, {} B: the file says {}, the library runs {}", which,
                      name(cell.instance.collective), cell.instance.communicator_size,
                      cell.instance.message_size,
                      is_library_default(expected) ? "its own choice" : expected.label(),
                      ran.empty() ? "none that is known" : ran));
    }
  }

  // On one node coll/han stands aside, and nobody looks at its rules.
  bool is_ruled(const protocol::Witnessed& witnessed) const {
    return !han_ || witnessed.component.empty() || witnessed.component == "han";
  }

  void note_unruled(const protocol::PlanCell& cell, const protocol::Witnessed& witnessed) {
    std::string line = fmt::format(
        "{} on {} ranks: coll/{} carries it out, rules of coll/han are not looked at",
        name(cell.instance.collective), cell.instance.communicator_size, witnessed.component);
    if (std::ranges::count(result_.out_of_reach, line) == 0)
      result_.out_of_reach.push_back(std::move(line));
  }

  bool agrees(const protocol::PlanCell& cell, const Method& expected,
              const protocol::Witnessed& witnessed, const Answers& answers) {
    if (han_) return agrees_in_han(cell, expected, witnessed);
    if (is_library_default(expected)) {
      protocol::PlanCell builtin = cell;
      builtin.method.algorithm = protocol::kBuiltinAlgorithm;
      const auto found = answers.find(builtin);
      return found != answers.end() && found->second.ids == witnessed.ids;
    }
    const LibraryAlgorithm* algorithm =
        find_algorithm(library_, cell.instance.collective, expected.algorithm);
    // An algorithm that is not safe to force has no mark: it shows as the ones that it calls.
    if (algorithm != nullptr && (algorithm->needs & kConsecutiveNodes) != 0)
      return witnessed.code == 0 && !witnessed.ids.empty();
    // An algorithm whose needs are not met calls others of the same collective.
    return algorithm != nullptr && std::ranges::count(witnessed.ids, algorithm->id) > 0;
  }

  // A component that HAN hands the call to runs none of HAN's algorithms.
  static bool agrees_in_han(const protocol::PlanCell& cell, const Method& expected,
                            const protocol::Witnessed& witnessed) {
    const Method method =
        is_library_default(expected) ? rules::han_default(cell.instance.collective) : expected;
    const LibraryAlgorithm* algorithm =
        find_algorithm(Library::kOpenmpi, cell.instance.collective, method.algorithm);
    if (algorithm != nullptr && algorithm->id > kFirstOfHan)
      return std::ranges::count(witnessed.ids, algorithm->id) > 0;
    return witnessed.code == 0 &&
           std::ranges::none_of(witnessed.ids, [](int id) { return id > kFirstOfHan; });
  }

  // A threshold is shown when the marked copy names different algorithms on its two sides.
  void count(const rules::CollectiveRules& collective_rules, const rules::RuleSet& marked,
             const Answers& answers) {
    const auto chosen = [&](std::uint64_t ranks, std::uint64_t message) {
      const protocol::JobLayout& layout = layouts_[ranks];
      return rules::decide(
          target_, marked,
          {collective_rules.collective, ranks, message, layout.nodes, layout.ranks_per_node});
    };
    const auto asked = [&](std::uint64_t ranks, std::uint64_t message) {
      const auto found = answers.find(
          {{collective_rules.collective, ranks, message}, {kDefaultAlgorithm, std::nullopt}});
      return found != answers.end() && is_ruled(found->second);
    };
    for (const std::uint64_t ranks : sizes_) {
      for (const std::uint64_t begin : message_begins(collective_rules, ranks)) {
        const auto sides = around(*target_.size_key(collective_rules.collective), begin, ranks);
        if (sides.empty() || !asked(ranks, sides[0]) || !asked(ranks, sides[1])) continue;
        ++result_.message_thresholds;
        if (chosen(ranks, sides[0]) == chosen(ranks, sides[1]))
          result_.not_shown.push_back(fmt::format("{} on {} ranks: between {} and {} B",
                                                  name(collective_rules.collective), ranks,
                                                  sides[0], sides[1]));
      }
    }
    for (std::size_t i = 1; i < sizes_.size(); ++i) {
      const std::uint64_t ranks = sizes_[i];
      if (!switches_between(collective_rules, sizes_[i - 1], ranks)) continue;
      ++result_.communicator_thresholds;
      const bool shown =
          std::ranges::any_of(messages_[collective_rules.collective], [&](std::uint64_t message) {
            return chosen(sizes_[i - 1], message) != chosen(ranks, message);
          });
      if (!shown)
        result_.not_shown.push_back(fmt::format("{}: between {} and {} ranks",
                                                name(collective_rules.collective), sizes_[i - 1],
                                                ranks));
    }
  }

  const rules::RuleTarget& target_;
  const bool han_ = std::string_view(target_.name) == rules::kHanTarget;
  const Library library_ = target_.library.value_or(Library::kOpenmpi);
  // Settings of every job. MPICH's device composes collectives of other ones unless a setting
  // forbids it, and then the file would not be asked.
  std::vector<std::string> settings_ =
      library_ == Library::kMpich ? std::vector<std::string>{"MPIR_CVAR_DEVICE_COLLECTIVES=none"}
                                  : std::vector<std::string>{};
  rules::RuleSet rules_;  // without collectives that cannot be called
  std::string file_;
  std::vector<std::uint64_t> sizes_;
  measure::JobStarter starter_;
  std::map<Collective, std::set<std::uint64_t>> messages_;
  std::map<std::uint64_t, protocol::JobLayout> layouts_;  // by number of ranks
  std::optional<LibraryVariables> variables_;             // of the first job
  LiveResult result_;
};

}  // namespace

bool has_witness(const rules::RuleTarget& target) {
  if (target.library == Library::kMpich || std::string_view(target.name) == rules::kHanTarget)
    return true;
  return target.library == Library::kOpenmpi && target.version <= 50;
}

void require_witness(const rules::RuleTarget& target) {
  if (has_witness(target)) return;
  throw UsageError(
      fmt::format("--live: there is no witness for {}{}", target.name,
                  target.is_started ? "; colltree verify measures what a file gains" : ""));
}

LiveResult check_live(const rules::RuleTarget& target, const rules::RuleSet& rules,
                      const std::string& file, const LiveOptions& options) {
  require_witness(target);
  return LiveCheck(target, rules, file, options).run();
}

}  // namespace colltree::deploy
