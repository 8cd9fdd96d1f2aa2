// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/live_explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "coll/library_methods.h"
#include "deploy/library_reasons.h"
#include "deploy/live_check.h"
#include "measure/job.h"
#include "rules/check_rules.h"
#include "rules/rule_target.h"

namespace colltree::deploy {

namespace {

constexpr std::uint64_t kMostCallBytes = std::uint64_t{64} << 20;  // of one rank's buffer

// The variables that say which file of rules a library reads, and whether it does.
struct FileVariables {
  Library library;
  std::string_view file;
  std::string_view on;  // "" = the file alone
};

constexpr FileVariables kFileVariables[] = {
    {Library::kOpenmpi, "coll_tuned_dynamic_rules_filename", "coll_tuned_use_dynamic_rules"},
    {Library::kMpich, "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", ""},
    {Library::kIntel, "I_MPI_TUNING", ""},
};

// What the rules file in force says of the call.
struct Ruling {
  std::string file;     // "" = none is read
  std::string trouble;  // why it says nothing
  std::string place;    // "bcast.rules:7: Binary_0K"
  Method method = library_default();
};

// Two forms of rules are for Intel MPI: which one, a file tells.
const rules::RuleTarget& target_of(const LiveCall& call, const std::string& mpi) {
  const rules::RuleTarget& target = rules::rule_target_of(mpi);
  if (target.library != Library::kIntel || call.rules.empty()) return target;
  const std::string text = read_file(call.rules, kMostModelBytes);
  const rules::RuleTarget& own = rules::find_or_detect_target("", text, call.rules);
  return own.library == Library::kIntel ? own : target;
}

class Explanation {
 public:
  explicit Explanation(const LiveCall& call)
      : call_(call),
        starter_(call.launcher, call.mpi),
        target_(target_of(call, starter_.mpi())),
        library_(*target_.library) {
    require_witness(target_);
  }

  LiveExplanation explain() {
    ask();
    if (library_ == Library::kIntel) ask_without();
    ruling_ = ruling();
    if (library_ == Library::kIntel) recognise();
    LiveExplanation result{starter_.mpi(), ran(), why(), {}};
    also(result);
    return result;
  }

 private:
  WitnessJob run(std::initializer_list<const char*> methods, std::vector<std::string>& settings) {
    measure::Plan plan;
    plan.source = "witness";
    for (const char* method : methods)
      plan.cells.push_back({measure::placed(call_.at, 0), {method, std::nullopt}});
    const std::string beside =
        std::filesystem::absolute(call_.rules.empty() ? std::string("explain") : call_.rules);
    WitnessJob job = run_witness_job(starter_, plan, beside, settings);
    if (job.calls.empty()) throw Error("the witness job made no call");
    return job;
  }

  void ask() {
    if (!call_.rules.empty()) settings_ = rules::settings_to_load({{&target_, call_.rules}});
    WitnessJob job = run({kDefaultAlgorithm, measure::kBuiltinAlgorithm,
                          measure::kUnforcedAlgorithm, measure::kHostAlgorithm},
                         settings_);
    for (measure::Witnessed& call : job.calls) seen_[call.cell.method.algorithm] = std::move(call);
    variables_ = std::move(job.variables);
  }

  // Intel MPI does nothing otherwise in one job: without all that makes rules it is asked in
  // another one.
  void ask_without() {
    std::vector<std::string> settings;
    for (const measure::LibraryVariable& one : variables_)
      if (one.name.starts_with("I_MPI_")) settings.push_back(one.name + "=");
    const WitnessJob job = run({kDefaultAlgorithm}, settings);
    for (const char* otherwise : {measure::kBuiltinAlgorithm, measure::kUnforcedAlgorithm})
      seen_[otherwise] = job.calls.front();
  }

  // The rule's algorithm ran where the same functions are entered as when it is set for all calls.
  void recognise() {
    if (ruling_.place.empty() || is_library_default(ruling_.method)) return;
    std::vector<std::string> settings = settings_;
    settings.push_back(start_setting(library_, call_.at.collective, ruling_.method));
    const WitnessJob job = run({kDefaultAlgorithm}, settings);
    rule_ran_ = job.calls.front().function == as_started().function;
  }

  const measure::Witnessed& as_started() const { return seen_.at(kDefaultAlgorithm); }

  // Whether the library runs something else when it is asked so.
  bool differs(const char* otherwise) const {
    const auto found = seen_.find(otherwise);
    return found != seen_.end() &&
           (found->second.ids != as_started().ids ||
            found->second.component != as_started().component ||
            (library_ == Library::kIntel && found->second.function != as_started().function));
  }

  std::string names(const measure::Witnessed& one) const {
    std::vector<std::string> words;
    for (const int id : one.ids) {
      const LibraryAlgorithm* algorithm = find_algorithm(library_, call_.at.collective, id);
      words.emplace_back(algorithm == nullptr ? fmt::format("algorithm {}", id)
                                              : std::string(algorithm->algorithm));
    }
    if (words.empty()) return one.function.empty() ? "nothing that a witness knows" : one.function;
    return join(words, " and ");
  }

  std::string ran() const {
    const measure::Witnessed& one = as_started();
    if (one.code != 0) return fmt::format("the call ends with MPI error class {}", one.code);
    if (one.component.empty()) return fmt::format("{} runs {}", name(library_), names(one));
    return fmt::format("coll/{} runs {}", one.component, names(one));
  }

  Ruling ruling() const {
    const auto* names = std::ranges::find(kFileVariables, library_, &FileVariables::library);
    const measure::LibraryVariable* file = find_variable(variables_, names->file);
    const bool is_named = file != nullptr && !file->value.empty();
    if (!is_named && !(target_.is_script && !call_.rules.empty())) return {};
    Ruling ruling{call_.rules.empty() ? file->value : call_.rules, "", "", library_default()};
    if (!names->on.empty()) {
      const measure::LibraryVariable* on = find_variable(variables_, names->on);
      if (on == nullptr || on->value == "0") {
        ruling.trouble = fmt::format("is not read: {} is not set", names->on);
        return ruling;
      }
    }
    try {
      look_up(ruling);
    } catch (const Error& error) {
      ruling.trouble = fmt::format("cannot be read here: {}", error.what());
    }
    return ruling;
  }

  void look_up(Ruling& ruling) const {
    const rules::RuleFile file =
        rules::check_rules(target_, read_file(ruling.file, kMostModelBytes));
    for (const rules::Defect& defect : file.defects) {
      if (defect.severity != rules::Severity::kError) continue;
      ruling.trouble =
          fmt::format("is not taken: line {}: {}; see colltree check", defect.line, defect.text);
      return;
    }
    const rules::Rule* rule = rules::find_rule(target_, file.rules, as_started().instance());
    if (rule == nullptr) {
      ruling.trouble = fmt::format("has no rule for {} here", name(call_.at.collective));
      return;
    }
    ruling.method = rule->method;
    ruling.place = fmt::format(
        "{}:{}: {}", ruling.file, rule->line,
        is_library_default(rule->method) ? "the library's own choice" : rule->method.label());
  }

  bool rule_is_what_ran() const {
    if (library_ == Library::kIntel) return rule_ran_;
    if (ruling_.place.empty() || is_library_default(ruling_.method)) return false;
    const LibraryAlgorithm* said =
        find_algorithm(library_, call_.at.collective, ruling_.method.algorithm);
    return said != nullptr && std::ranges::count(as_started().ids, said->id) > 0;
  }

  const measure::LibraryVariable* forced() const {
    const measure::LibraryVariable* one =
        forced_algorithm(library_, call_.at.collective, variables_);
    return one == nullptr || is_own(one->name) ? nullptr : one;
  }

  std::string text(const measure::LibraryVariable& variable) const {
    return variable_text(library_, call_.at.collective, variable);
  }

  std::string why() const {
    if (const std::string other = other_component(as_started(), variables_); !other.empty())
      return other;
    if (forced() != nullptr && differs(measure::kUnforcedAlgorithm)) {
      return fmt::format("{}; without it {} would run", text(*forced()),
                         names(seen_.at(measure::kUnforcedAlgorithm)));
    }
    if (rule_is_what_ran()) {
      const std::string without = differs(measure::kBuiltinAlgorithm)
                                      ? fmt::format("; without rules {} would run",
                                                    names(seen_.at(measure::kBuiltinAlgorithm)))
                                      : "";
      return "the rule " + ruling_.place + without;
    }
    if (differs(measure::kHostAlgorithm)) {
      return fmt::format(
          "the device's own collective (MPIR_CVAR_DEVICE_COLLECTIVES); without it {} would run",
          names(seen_.at(measure::kHostAlgorithm)));
    }
    if (differs(measure::kBuiltinAlgorithm)) {
      return fmt::format("no rule and no variable that colltree knows; without rules {} would run",
                         names(seen_.at(measure::kBuiltinAlgorithm)));
    }
    return "the library's own decision";
  }

  void also(LiveExplanation& result) const {
    if (!as_started().component.empty() && !as_started().function.empty())
      result.also.push_back("the call enters " + as_started().function);
    if (!ruling_.trouble.empty())
      result.also.push_back(fmt::format("{} {}", ruling_.file, ruling_.trouble));
    if (!ruling_.place.empty() && result.why.find(ruling_.place) == std::string::npos)
      result.also.push_back("not decided by the rule " + ruling_.place);
    for (const measure::LibraryVariable& one : variables_) {
      if (!one.set_by.empty() && concerns(one.name) &&
          result.why.find(one.name) == std::string::npos)
        result.also.push_back(text(one) + effect(one));
    }
  }

  // Open MPI reads these only together with rules; it does not say so.
  std::string effect(const measure::LibraryVariable& variable) const {
    constexpr std::string_view kOn = "coll_tuned_use_dynamic_rules";
    const measure::LibraryVariable* on = find_variable(variables_, kOn);
    const bool needs = variable.name.starts_with("coll_tuned_") && variable.name != kOn &&
                       !variable.name.ends_with("_priority");
    if (!needs || (on != nullptr && on->value != "0")) return "";
    return fmt::format("; without effect, because {} is not set", kOn);
  }

  // This command sets it.
  bool is_own(std::string_view variable) const {
    return std::ranges::any_of(settings_, [&](std::string_view own) {  // NAME=VALUE
      return own.substr(0, own.find('=')).ends_with(variable);
    });
  }

  // Of this collective, or of all.
  bool concerns(std::string_view variable) const {
    if (is_own(variable)) return false;
    constexpr std::string_view kOfAll[] = {"coll_tuned_use_dynamic_rules",
                                           "coll_tuned_dynamic_rules_filename",
                                           "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                           "MPIR_CVAR_DEVICE_COLLECTIVES",
                                           "MPIR_CVAR_COLLECTIVE_FALLBACK",
                                           "MPIR_CVAR_ENABLE_SMP_COLLECTIVES",
                                           "I_MPI_TUNING",
                                           "I_MPI_TUNING_BIN"};
    if (std::ranges::count(kOfAll, variable) > 0 || variable.ends_with("_priority")) return true;
    const std::string own(name(call_.at.collective));
    const std::string_view component = as_started().component;
    return variable.starts_with(fmt::format("coll_{}_{}_", component, own)) ||
           variable.starts_with(fmt::format("coll_tuned_{}_", own)) ||
           variable.starts_with(fmt::format("MPIR_CVAR_{}_", upper(own))) ||
           variable.starts_with(fmt::format("MPIR_CVAR_I{}_", upper(own))) ||
           variable == fmt::format("I_MPI_ADJUST_{}", upper(own));
  }

  const LiveCall& call_;
  measure::JobStarter starter_;
  const rules::RuleTarget& target_;
  Library library_;
  std::map<std::string, measure::Witnessed> seen_;  // by the method of the witness plan
  std::vector<std::string> settings_;               // what this command sets itself
  LibraryVariables variables_;
  Ruling ruling_;
  bool rule_ran_ = false;  // Intel MPI
};

}  // namespace

LiveExplanation explain_live(const LiveCall& call) {
  if (call.at.message_size > kMostCallBytes / std::max<std::uint64_t>(1, call.at.communicator_size))
    throw UsageError("explain --live: the call would need more than 64 MiB on a rank");
  return Explanation(call).explain();
}

}  // namespace colltree::deploy
