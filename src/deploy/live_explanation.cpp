// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/live_explanation.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "coll/library_fallbacks.h"
#include "deploy/library_reasons.h"
#include "deploy/live_check.h"
#include "measure/job.h"
#include "rank/method_settings.h"
#include "rules/check_rules.h"
#include "rules/rule_target.h"

namespace colltree::deploy {

namespace {

constexpr std::uint64_t kElementBytes = 1;                         // of the calls of a witness
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
};

// What the rules file in force says of the call.
struct Ruling {
  std::string file;     // "" = none is read
  std::string trouble;  // why it says nothing
  std::string place;    // "bcast.rules:7: Binary_0K"
  Method method = library_default();
};

class Explanation {
 public:
  explicit Explanation(const LiveCall& call)
      : call_(call),
        starter_(call.launcher, call.mpi),
        target_(rules::rule_target_of(starter_.mpi())),
        library_(*target_.library) {
    require_witness(target_);
  }

  LiveExplanation explain() {
    try {
      ask();
    } catch (const WitnessDied& death) {
      return explain_death(death);
    }
    ruling_ = ruling();
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
    errors_ = std::move(job.errors);
  }

  // What the job's environment and files ask of this library, switches first: a value that dies
  // only beside its switch is the one to name. Own settings are not asked for.
  LibraryVariables suspects() const {
    const std::string_view prefix = library_ == Library::kOpenmpi ? "OMPI_MCA_" : "MPI";
    LibraryVariables asked = starter_.asked();
    std::erase_if(asked, [&](const measure::LibraryVariable& one) {
      return !one.name.starts_with(prefix) || is_own(one.name);
    });
    std::ranges::stable_partition(asked, [](const measure::LibraryVariable& one) {
      return one.name.find("_use_") != std::string::npos;
    });
    return asked;
  }

  // The settings of a job that has the first `count` of the suspects and none of the others.
  std::vector<std::string> settings_with(const LibraryVariables& suspects,
                                         const std::vector<bool>& is_kept) const {
    std::vector<std::string> settings = settings_;
    for (std::size_t i = 0; i < suspects.size(); ++i)
      settings.push_back(
          fmt::format("{}={}", suspects[i].name, is_kept[i] ? suspects[i].value : ""));
    if (library_ == Library::kOpenmpi)
      settings.emplace_back("OMPI_MCA_mca_base_param_files=/dev/null");
    return settings;
  }

  // Whether the call is made with these settings; if so, what it runs stays in `without_`.
  bool survives(std::vector<std::string> settings) {
    try {
      without_ = run({kDefaultAlgorithm}, settings).calls.front();
      return true;
    } catch (const WitnessDied&) {
      return false;
    }
  }

  LiveExplanation explain_death(const WitnessDied& death) {
    const LibraryVariables asked = suspects();
    std::vector<bool> is_kept(asked.size(), false);
    if (asked.empty() || !survives(settings_with(asked, is_kept))) throw Error(death.what());
    std::vector<std::string> causes;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      is_kept[i] = true;
      if (survives(settings_with(asked, is_kept))) continue;
      is_kept[i] = false;
      causes.push_back(text_of_cause(asked[i]));
    }
    if (causes.empty()) throw Error(death.what());
    return {starter_.mpi(),
            death.what(),
            fmt::format("{}; without {} {} would run", join(causes, "; "),
                        causes.size() == 1 ? "it" : "them", names(without_)),
            {}};
  }

  // With what is known of the value: its algorithm and what that needs, or what its file lacks.
  std::string text_of_cause(measure::LibraryVariable setting) const {
    constexpr std::string_view kPrefix = "OMPI_MCA_";
    if (setting.name.starts_with(kPrefix)) setting.name.erase(0, kPrefix.size());
    const bool names_file = std::ranges::any_of(kFileVariables, [&](const FileVariables& one) {
      return one.library == library_ && setting.name == one.file;
    });
    if (names_file) setting.trouble = trouble_of_file(setting.value);
    for (const CollectiveInfo& info : all_collectives()) {
      if (setting.name != rank::algorithm_variable(library_, info.collective)) continue;
      const auto number = parse_number<int>(setting.value);
      const LibraryAlgorithm* algorithm =
          number ? find_algorithm(library_, info.collective, *number)
                 : find_algorithm(library_, info.collective, setting.value);
      if (algorithm != nullptr && algorithm->needs != 0)
        setting.trouble = fmt::format("and {} needs {}", algorithm->algorithm,
                                      words_of(need_words(), algorithm->needs));
      return variable_text(library_, info.collective, setting);
    }
    return variable_text(library_, call_.at.collective, setting);
  }

  std::string trouble_of_file(const std::string& file) const {
    try {
      const rules::RuleFile read = rules::check_rules(target_, read_file(file, kMostModelBytes));
      for (const rules::Defect& defect : read.defects) {
        if (defect.severity == rules::Severity::kError)
          return fmt::format("whose file is wrong: line {}: {}", defect.line, defect.text);
      }
      return "";
    } catch (const Error& error) {
      return fmt::format("whose file is wrong: {}", error.what());
    }
  }

  const measure::Witnessed& as_started() const { return seen_.at(kDefaultAlgorithm); }

  // Whether the library runs something else when it is asked so.
  bool differs(const char* otherwise) const {
    const auto found = seen_.find(otherwise);
    return found != seen_.end() && (found->second.ids != as_started().ids ||
                                    found->second.component != as_started().component);
  }

  std::string name_of(int id) const {
    const LibraryAlgorithm* algorithm = find_algorithm(library_, call_.at.collective, id);
    return algorithm == nullptr ? fmt::format("algorithm {}", id)
                                : std::string(algorithm->algorithm);
  }

  // What an algorithm that was entered runs in its place, if that was entered, too.
  std::optional<Fallback> replacement(const measure::Witnessed& one, int id) const {
    for (const Fallback& step : fallbacks_of(library_, target_.version, call_.at,
                                             {name_of(id), std::nullopt}, kElementBytes)) {
      const bool ran = step.algorithm == name_of(id) && step.runs &&
                       std::ranges::any_of(one.ids, [&](int other) {
                         return name_of(other) == step.runs->algorithm;
                       });
      if (ran) return step;
    }
    return std::nullopt;
  }

  std::string names(const measure::Witnessed& one) const {
    std::vector<std::string> words;
    for (const int id : one.ids) {
      if (!replacement(one, id)) words.push_back(name_of(id));
    }
    return words.empty() ? "nothing that a witness knows" : join(words, " and ");
  }

  std::string in_place_of(const measure::Witnessed& one) const {
    std::string text;
    for (const int id : one.ids) {
      if (const auto step = replacement(one, id))
        text += fmt::format(", in place of {}, which needs {}", step->algorithm, step->need);
    }
    return text;
  }

  std::string ran() const {
    const measure::Witnessed& one = as_started();
    if (one.code != 0) return fmt::format("the call ends with MPI error class {}", one.code);
    const std::string who =
        one.component.empty() ? std::string(name(library_)) : "coll/" + one.component;
    return fmt::format("{} runs {}{}", who, names(one), in_place_of(one));
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
      if (!one.trouble.empty() && !is_own(one.name)) {
        result.also.push_back(text(one) + refusal(one));
      } else if (!one.set_by.empty() && concerns(one.name) &&
                 result.why.find(one.name) == std::string::npos) {
        result.also.push_back(text(one) + effect(one));
      }
    }
  }

  // The library's own words, which the launcher may lose.
  std::string refusal(const measure::LibraryVariable& variable) const {
    if (!variable.trouble.starts_with(kRefused)) return "";
    const auto said = std::ranges::find_if(
        errors_, [](const std::string& line) { return line.find("invalid value") < line.size(); });
    return said == errors_.end() ? "" : fmt::format(" (\"{}\")", *said);
  }

  // Open MPI reads these only together with rules; it does not say so. Neither library says that a
  // forced algorithm cannot run here.
  std::string effect(const measure::LibraryVariable& variable) const {
    if (library_ == Library::kMpich && &variable == forced()) {
      const LibraryAlgorithm* asked = find_algorithm(library_, call_.at.collective, variable.value);
      const std::uint32_t unmet =
          asked == nullptr || std::ranges::count(as_started().ids, asked->id) > 0
              ? 0
              : rank::unmet_needs(asked->needs, as_started().cell,
                                  call_.at.message_size / kElementBytes);
      return unmet == 0 ? "" : "; not taken here: it needs " + words_of(need_words(), unmet);
    }
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
                                           "MPIR_CVAR_ENABLE_SMP_COLLECTIVES"};
    if (std::ranges::count(kOfAll, variable) > 0 || variable.ends_with("_priority")) return true;
    const std::string own(name(call_.at.collective));
    const std::string_view component = as_started().component;
    return variable.starts_with(fmt::format("coll_{}_{}_", component, own)) ||
           variable.starts_with(fmt::format("coll_tuned_{}_", own)) ||
           variable.starts_with(fmt::format("MPIR_CVAR_{}_", upper(own))) ||
           variable.starts_with(fmt::format("MPIR_CVAR_I{}_", upper(own)));
  }

  const LiveCall& call_;
  measure::JobStarter starter_;
  const rules::RuleTarget& target_;
  Library library_;
  std::map<std::string, measure::Witnessed> seen_;  // by the method of the witness plan
  std::vector<std::string> settings_;               // what this command sets itself
  LibraryVariables variables_;
  std::vector<std::string> errors_;  // what the job said on standard error
  measure::Witnessed without_;       // the call as it runs without what ended the job
  Ruling ruling_;
};

}  // namespace

LiveExplanation explain_live(const LiveCall& call) {
  if (call.at.message_size > kMostCallBytes / std::max<std::uint64_t>(1, call.at.communicator_size))
    throw UsageError("explain --live: the call would need more than 64 MiB on a rank");
  return Explanation(call).explain();
}

}  // namespace colltree::deploy
