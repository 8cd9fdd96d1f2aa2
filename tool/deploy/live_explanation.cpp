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
#include "protocol/method_settings.h"
#include "rules/check_rules.h"
#include "rules/rule_target.h"
#include "rules/ucc/ucc_scores.h"

namespace colltree::deploy {

namespace {

constexpr std::uint64_t kElementBytes = 1;  // of the calls of a witness

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

// The rule for the call in the rules file that is in force.
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
  WitnessJob run(std::initializer_list<const char*> methods,
                 std::vector<std::string>& settings) const {
    protocol::Plan plan;
    plan.source = "witness";
    for (const char* method : methods)
      plan.cells.push_back({protocol::placed(call_.instance, 0), {method, std::nullopt}});
    const std::string beside =
        std::filesystem::absolute(call_.rules.empty() ? std::string("explain") : call_.rules);
    WitnessJob job = run_witness_job(starter_, plan, beside, settings);
    if (job.calls.empty()) throw Error("the witness job made no call");
    return job;
  }

  void ask() {
    if (!call_.rules.empty()) settings_ = rules::settings_to_load({{&target_, call_.rules}});
    WitnessJob job = run({kDefaultAlgorithm, protocol::kBuiltinAlgorithm,
                          protocol::kUnforcedAlgorithm, protocol::kHostAlgorithm},
                         settings_);
    for (protocol::Witnessed& call : job.calls) seen_[call.cell.method.algorithm] = std::move(call);
    variables_ = std::move(job.variables);
    errors_ = std::move(job.errors);
  }

  // The settings that the job's environment and files ask for, without those of this command.
  // Switches come first, because a value that is fatal only beside its switch is the one to name.
  LibraryVariables suspects() const {
    const std::string_view prefix = library_ == Library::kOpenmpi ? "OMPI_MCA_" : "MPI";
    LibraryVariables asked = starter_.asked();
    std::erase_if(asked, [&](const protocol::LibraryVariable& variable) {
      return !variable.name.starts_with(prefix) || is_set_here(variable.name);
    });
    std::ranges::stable_partition(asked, [](const protocol::LibraryVariable& variable) {
      return variable.name.find("_use_") != std::string::npos;
    });
    return asked;
  }

  // Makes the call with some of the suspects. Returns what it runs; nothing where the job dies.
  std::optional<protocol::Witnessed> run_with(const LibraryVariables& suspects,
                                              const std::vector<bool>& is_kept) const {
    std::vector<std::string> settings = settings_;
    for (std::size_t i = 0; i < suspects.size(); ++i)
      settings.push_back(
          fmt::format("{}={}", suspects[i].name, is_kept[i] ? suspects[i].value : ""));
    if (library_ == Library::kOpenmpi)
      settings.emplace_back("OMPI_MCA_mca_base_param_files=/dev/null");
    try {
      return run({kDefaultAlgorithm}, settings).calls.front();
    } catch (const WitnessDied&) {
      return std::nullopt;
    }
  }

  LiveExplanation explain_death(const WitnessDied& death) const {
    const LibraryVariables asked = suspects();
    std::vector<bool> is_kept(asked.size(), false);
    std::optional<protocol::Witnessed> survived;
    if (!asked.empty()) survived = run_with(asked, is_kept);
    if (!survived) throw Error(death.what());
    std::vector<std::string> causes;
    for (std::size_t i = 0; i < asked.size(); ++i) {
      is_kept[i] = true;
      if (auto call = run_with(asked, is_kept)) {
        survived = std::move(call);
      } else {
        is_kept[i] = false;
        causes.push_back(text_of_cause(asked[i]));
      }
    }
    if (causes.empty()) throw Error(death.what());
    return {starter_.mpi(),
            death.what(),
            fmt::format("{}; without {} {} would run", join(causes, "; "),
                        causes.size() == 1 ? "it" : "them", names(*survived)),
            {}};
  }

  // Names a fatal setting, its algorithm and what that needs, or the error in its file.
  std::string text_of_cause(protocol::LibraryVariable setting) const {
    constexpr std::string_view kPrefix = "OMPI_MCA_";
    if (setting.name.starts_with(kPrefix)) setting.name.erase(0, kPrefix.size());
    const bool names_file = std::ranges::any_of(kFileVariables, [&](const FileVariables& known) {
      return known.library == library_ && setting.name == known.file;
    });
    if (names_file) setting.trouble = trouble_of_file(setting.value);
    for (const CollectiveInfo& info : all_collectives()) {
      if (setting.name != protocol::algorithm_variable(library_, info.collective)) continue;
      const auto number = parse_number<int>(setting.value);
      const LibraryAlgorithm* algorithm =
          number ? find_algorithm(library_, info.collective, *number)
                 : find_algorithm(library_, info.collective, setting.value);
      if (algorithm != nullptr && algorithm->needs != 0)
        setting.trouble = fmt::format("and {} needs {}", algorithm->algorithm,
                                      words_of(need_words(), algorithm->needs));
      return variable_text(library_, info.collective, setting);
    }
    return variable_text(library_, call_.instance.collective, setting);
  }

  rules::RuleFile checked(const std::string& file) const {
    return rules::check_rules(target_, read_file(file, kMostModelBytes));
  }

  // "line 7: ..."; "" where the library takes the file.
  static std::string first_error(const rules::RuleFile& file) {
    const rules::Defect* wrong = file.first_error();
    return wrong == nullptr ? "" : fmt::format("line {}: {}", wrong->line, wrong->text);
  }

  std::string trouble_of_file(const std::string& file) const {
    try {
      const std::string error = first_error(checked(file));
      return error.empty() ? "" : "whose file is wrong: " + error;
    } catch (const Error& error) {
      return fmt::format("whose file is wrong: {}", error.what());
    }
  }

  const protocol::Witnessed& as_started() const { return seen_.at(kDefaultAlgorithm); }

  // True if the library runs something else when it is asked with this method.
  bool differs(const char* otherwise) const {
    const auto found = seen_.find(otherwise);
    return found != seen_.end() && (found->second.ids != as_started().ids ||
                                    found->second.component != as_started().component);
  }

  std::string name_of(int id) const {
    const LibraryAlgorithm* algorithm = find_algorithm(library_, call_.instance.collective, id);
    return algorithm == nullptr ? fmt::format("algorithm {}", id)
                                : std::string(algorithm->algorithm);
  }

  // The algorithm that runs in place of one that was entered, if it was entered too.
  std::optional<Fallback> replacement(const protocol::Witnessed& call, int id) const {
    for (const Fallback& step : fallbacks_of(library_, target_.version, call_.instance,
                                             {name_of(id), std::nullopt}, kElementBytes)) {
      const bool ran = step.algorithm == name_of(id) && step.runs &&
                       std::ranges::any_of(call.ids, [&](int entered) {
                         return name_of(entered) == step.runs->algorithm;
                       });
      if (ran) return step;
    }
    return std::nullopt;
  }

  std::string names(const protocol::Witnessed& call) const {
    std::vector<std::string> words;
    for (const int id : call.ids) {
      if (!replacement(call, id)) words.push_back(name_of(id));
    }
    return words.empty() ? "nothing that a witness knows" : join(words, " and ");
  }

  std::string ran() const {
    const protocol::Witnessed& call = as_started();
    if (call.code != 0) return fmt::format("the call ends with MPI error class {}", call.code);
    std::string text =
        fmt::format("{} runs {}",
                    call.component.empty() ? std::string(name(library_)) : "coll/" + call.component,
                    names(call));
    for (const int id : call.ids) {
      if (const auto step = replacement(call, id))
        text += fmt::format(", in place of {}, which needs {}", step->algorithm, step->need);
    }
    return text;
  }

  Ruling ruling() const {
    const auto* names = std::ranges::find(kFileVariables, library_, &FileVariables::library);
    const protocol::LibraryVariable* file = find_variable(variables_, names->file);
    const bool is_named = file != nullptr && !file->value.empty();
    if (!is_named && !(target_.is_script && !call_.rules.empty())) return {};
    Ruling ruling{call_.rules.empty() ? file->value : call_.rules, "", "", library_default()};
    if (!names->on.empty()) {
      const protocol::LibraryVariable* on = find_variable(variables_, names->on);
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
    const rules::RuleFile file = checked(ruling.file);
    if (const std::string error = first_error(file); !error.empty()) {
      ruling.trouble = fmt::format("is not taken: {}; see colltree check", error);
      return;
    }
    const rules::Rule* rule = rules::find_rule(target_, file.rules, as_started().instance());
    if (rule == nullptr) {
      ruling.trouble = fmt::format("has no rule for {} here", name(call_.instance.collective));
      return;
    }
    ruling.method = rule->method;
    ruling.place = fmt::format(
        "{}:{}: {}", ruling.file, rule->line,
        is_library_default(rule->method) ? "the library's own choice" : rule->method.label());
  }

  const protocol::LibraryVariable* forced() const {
    const auto* variable = forced_algorithm(library_, call_.instance.collective, variables_);
    return variable == nullptr || is_set_here(variable->name) ? nullptr : variable;
  }

  std::string text(const protocol::LibraryVariable& variable) const {
    return variable_text(library_, call_.instance.collective, variable);
  }

  std::string why() const {
    if (std::string text = other_component(as_started(), variables_); !text.empty()) return text;
    const auto without = [&](const char* cause, const char* otherwise) {
      return fmt::format("; without {} {} would run", cause, names(seen_.at(otherwise)));
    };
    const bool differs_without_rules = differs(protocol::kBuiltinAlgorithm);
    if (forced() != nullptr && differs(protocol::kUnforcedAlgorithm))
      return text(*forced()) + without("it", protocol::kUnforcedAlgorithm);
    const LibraryAlgorithm* ruled =
        ruling_.place.empty()
            ? nullptr
            : find_algorithm(library_, call_.instance.collective, ruling_.method.algorithm);
    if (ruled != nullptr && std::ranges::count(as_started().ids, ruled->id) > 0)
      return "the rule " + ruling_.place +
             (differs_without_rules ? without("rules", protocol::kBuiltinAlgorithm) : "");
    if (differs(protocol::kHostAlgorithm))
      return "the device's own collective (MPIR_CVAR_DEVICE_COLLECTIVES)" +
             without("it", protocol::kHostAlgorithm);
    if (differs_without_rules)
      return "no rule and no variable that colltree knows" +
             without("rules", protocol::kBuiltinAlgorithm);
    return "the library's own decision";
  }

  void also(LiveExplanation& result) const {
    if (!as_started().component.empty() && !as_started().function.empty())
      result.also.push_back("the call enters " + as_started().function);
    const std::string& component = as_started().component;
    std::string inside = component == "ucc" ? score_in_ucc() : "";
    if (component == "han") inside = han_levels(call_.instance.collective, starter_.settings());
    if (!inside.empty()) result.also.push_back(inside);
    if (!ruling_.trouble.empty())
      result.also.push_back(fmt::format("{} {}", ruling_.file, ruling_.trouble));
    if (!ruling_.place.empty() && result.why.find(ruling_.place) == std::string::npos)
      result.also.push_back("not decided by the rule " + ruling_.place);
    for (const protocol::LibraryVariable& variable : variables_) {
      if (!variable.trouble.empty() && !is_set_here(variable.name)) {
        result.also.push_back(text(variable) + refusal(variable));
      } else if (!variable.set_by.empty() && !is_set_here(variable.name) &&
                 concerns(as_started(), variable.name) &&
                 result.why.find(variable.name) == std::string::npos) {
        result.also.push_back(text(variable) + effect(variable));
      }
    }
  }

  // UCC prints its table to either stream when it makes a team.
  std::string score_in_ucc() const {
    std::vector<std::string> settings = settings_;
    settings.emplace_back("UCC_LOG_LEVEL=info");
    WitnessJob job = run({kDefaultAlgorithm}, settings);
    std::ranges::move(job.errors, std::back_inserter(job.said));
    const Instance& instance = call_.instance;
    const auto key = rules::find_rule_target("ucc").size_key(instance.collective);
    return rules::ucc_score(instance.collective,
                            rules::message_key(key.value_or(rules::SizeKey::kMessage), instance),
                            job.said);
  }

  // Quotes the library on a refused value, because the launcher may lose its message.
  std::string refusal(const protocol::LibraryVariable& variable) const {
    if (!variable.trouble.starts_with(kRefused)) return "";
    for (const std::string& line : errors_)
      if (line.find("invalid value") < line.size()) return fmt::format(" (\"{}\")", line);
    return "";
  }

  // Says why a variable has no effect, which the libraries do not. Open MPI reads most of them only
  // together with rules, and in either library a forced algorithm may be unable to run here.
  std::string effect(const protocol::LibraryVariable& variable) const {
    if (library_ == Library::kMpich && &variable == forced()) {
      const LibraryAlgorithm* asked =
          find_algorithm(library_, call_.instance.collective, variable.value);
      const std::uint32_t unmet =
          asked == nullptr || std::ranges::count(as_started().ids, asked->id) > 0
              ? 0
              : protocol::unmet_needs(asked->needs, as_started().cell,
                                      call_.instance.message_size / kElementBytes);
      return unmet == 0 ? "" : "; not taken here: it needs " + words_of(need_words(), unmet);
    }
    constexpr std::string_view kOn = "coll_tuned_use_dynamic_rules";
    const protocol::LibraryVariable* on = find_variable(variables_, kOn);
    const bool needs = variable.name.starts_with("coll_tuned_") && variable.name != kOn &&
                       !variable.name.ends_with("_priority");
    if (!needs || (on != nullptr && on->value != "0")) return "";
    return fmt::format("; without effect, because {} is not set", kOn);
  }

  bool is_set_here(std::string_view variable) const {
    return std::ranges::any_of(settings_, [&](std::string_view setting) {  // NAME=VALUE
      return setting.substr(0, setting.find('=')).ends_with(variable);
    });
  }

  const LiveCall& call_;
  measure::JobStarter starter_;
  const rules::RuleTarget& target_;
  Library library_;
  std::map<std::string, protocol::Witnessed> seen_;  // by the method of the witness plan
  std::vector<std::string> settings_;                // set by this command
  LibraryVariables variables_;
  std::vector<std::string> errors_;  // lines of the job on standard error
  Ruling ruling_;
};

}  // namespace

LiveExplanation explain_live(const LiveCall& call) {
  if (call.instance.message_size >
      (std::uint64_t{64} << 20) / std::max<std::uint64_t>(1, call.instance.communicator_size))
    throw UsageError("explain --live: the call would need more than 64 MiB on a rank");
  return Explanation(call).explain();
}

}  // namespace colltree::deploy
