// SPDX-License-Identifier: BSD-3-Clause
// `colltree explain`: why this method is chosen for a call: the path or the rule, the times
// measured nearby and the library's own choice. Without a model or rules it prints only that
// choice; --json prints only the method.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/bounds.h"
#include "base/error.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/decision_file.h"
#include "cli/measure_options.h"
#include "cli/profile_options.h"
#include "coll/catalogue.h"
#include "coll/library_fallbacks.h"
#include "deploy/live_explanation.h"
#include "emit/simplify.h"
#include "model/model.h"
#include "model/openmpi/library_rules.h"
#include "rules/check_rules.h"
#include "rules/rule_penalty.h"

namespace colltree::cli {

namespace {

constexpr const char* kOpenmpi41 = "openmpi-4.1";
constexpr const char* kMpich40 = "mpich-4.0";

struct ExplainOptions {
  std::string collective;
  std::string model;
  std::string rules;
  std::string target;
  std::string profile;
  std::optional<std::string> system;
  Instance instance;
  bool json = false;
  bool live = false;
  std::string launcher;
  std::string mpi;
};

std::string spans(const rules::Rule& rule) {
  return rules::text(rule.communicator_size, "ranks") + ", " + rules::text(rule.message, "bytes");
}

// The conditions of a rule besides its two sizes; "" if there are none.
std::string also_asked(const rules::Rule& rule) {
  std::vector<std::string> asked = rule.conditions;
  for (const auto& [span, unit] :
       {std::pair(rule.nodes, "nodes"), std::pair(rule.ranks_per_node, "ranks per node")}) {
    if (span == rules::Span{}) continue;
    asked.push_back(span.least == span.most ? fmt::format("{} {}", span.least, unit)
                    : span.most == UINT64_MAX
                        ? fmt::format("{} or more {}", span.least, unit)
                        : fmt::format("{} to {} {}", span.least, span.most, unit));
  }
  return join(asked, ", ");
}

// The answer holds for an ordinary call; rules may give other calls other methods.
void print_other_calls(const std::string& file, const rules::CollectiveRules& rules,
                       const rules::RuleQuery& query) {
  for (const rules::Rule* rule : rules::rules_of_other_calls(rules, query)) {
    fmt::print("  with {}: {} ({}:{})\n", also_asked(*rule), rule->method.label(), file,
               rule->line);
  }
}

std::vector<Fallback> fallbacks_here(const rules::RuleTarget& target, const Instance& instance,
                                     const Method& method, std::uint64_t element_bytes) {
  if (!target.library) return {};
  return fallbacks_of(*target.library, target.version, instance, method, element_bytes);
}

std::string text(const Fallback& step) {
  return fmt::format("{} needs {}: {}", step.algorithm, step.need,
                     step.runs ? step.runs->label() + " runs in its place" : "the call fails");
}

// Another method runs if the call does not meet the needs of the model's method.
void print_in_its_place(const model::ModelOrigin& origin, const Instance& instance,
                        const Method& method) {
  const Method effective = effective_method(method, instance);
  if (origin.algorithms == "portable" && effective.algorithm != method.algorithm)
    fmt::print("  {} runs in its place\n", effective.label());
  if (origin.algorithms != name(Library::kOpenmpi)) return;
  const int version = origin.mpi.starts_with("openmpi-4") ? 41 : 50;
  for (const Fallback& step : fallbacks_of(Library::kOpenmpi, version, instance, method, 1))
    fmt::print("  {}\n", text(step));
}

// The tests on the way, each as it answers here.
Method print_path(const model::Model& model, const Instance& instance) {
  const model::RuleTree tree = emit::simplify(model.rules);
  std::uint32_t node = model::root_of(tree, instance.collective);
  std::size_t step = 0;
  while (!tree.nodes[node].is_leaf()) {
    const model::RuleNode& test = tree.nodes[node];
    const std::uint64_t value = attribute_value(test.attribute, instance);
    const bool low = value <= test.threshold;
    fmt::print("  {}. {} {} {} {}\n", ++step, name(test.attribute), value, low ? "<=" : ">",
               test.threshold);
    node = low ? test.low : test.high;
  }
  const Method method = tree.methods[tree.nodes[node].method];
  fmt::print("method: {} (by {}, {} tests)\n", method.label(), model.kind, step);
  print_in_its_place(model.origin, instance, method);
  return method;
}

// Returns the method that runs if the library is asked for `method`. Prints first why it is
// another.
std::string print_fallbacks(const rules::RuleTarget& target, const Instance& instance,
                            const Method& method) {
  constexpr std::uint64_t kLargestElement = 16;  // of MPI's own types
  const std::vector<Fallback> steps = fallbacks_here(target, instance, method, 1);
  for (const Fallback& step : steps) fmt::print("  {}\n", text(step));
  for (std::uint64_t bytes = 2; bytes <= std::min(kLargestElement, instance.message_size);
       bytes *= 2) {
    const std::vector<Fallback> larger = fallbacks_here(target, instance, method, bytes);
    if (larger.size() == steps.size()) continue;
    for (std::size_t i = steps.size(); i < larger.size(); ++i)
      fmt::print("  with elements of {} bytes and more: {}\n", bytes, text(larger[i]));
    break;
  }
  if (steps.empty()) return method.label();
  return steps.back().runs ? steps.back().runs->label() : "none, the call fails";
}

// A script may decide by a setting that is not known here, so its defects are printed even if no
// rule matches.
Method print_answer(const ExplainOptions& options, const rules::RuleTarget& target,
                    const rules::RuleFile& file, const rules::RuleSet& rules) {
  const rules::Rule* rule = rules::find_rule(target, rules, options.instance);
  const Method method = rule == nullptr ? library_default() : rule->method;
  if (rule != nullptr) {
    const std::string asked = also_asked(*rule);
    fmt::print("  {}:{}: {}{}\n", options.rules, rule->line, spans(*rule),
               asked.empty() ? "" : "; " + asked);
  }
  for (const rules::Defect& defect : file.defects) {
    const bool here = rule != nullptr ? defect.line == rule->line : !target.family.empty();
    if (here && defect.severity != rules::Severity::kError)
      fmt::print("  {}{}: {}\n",
                 rule != nullptr ? "" : fmt::format("{}:{}: ", options.rules, defect.line),
                 rules::name(defect.severity), defect.text);
  }
  if (const rules::CollectiveRules* collective_rules = rules.find(options.instance.collective))
    print_other_calls(options.rules, *collective_rules, rules::query_of(target, options.instance));
  fmt::print("method: {}\n", is_library_default(method)
                                 ? "the library's own choice"
                                 : print_fallbacks(target, options.instance, method));
  return method;
}

Method print_rule(const ExplainOptions& options, const rules::RuleTarget& target,
                  const rules::RuleFile& file) {
  for (const rules::Defect& defect : file.defects) {
    if (defect.severity != rules::Severity::kError) continue;
    if (target.goes_on) {
      fmt::print("  {}:{}: error: {}\n", options.rules, defect.line, defect.text);
      continue;
    }
    throw Error(fmt::format("{}:{}: {}; {} does not take such a file: see colltree check",
                            options.rules, defect.line, defect.text, target.name));
  }
  const auto key = target.size_key(options.instance.collective);
  if (!key) throw Error(fmt::format("{} has no rules for {}", target.name, options.collective));
  fmt::print("  looked up as {} bytes ({})\n", rules::message_key(*key, options.instance),
             *key == rules::SizeKey::kMessage      ? "the message size"
             : *key == rules::SizeKey::kTimesRanks ? "message size x ranks"
                                                   : "the size is not looked at");
  if (file.runs.empty()) return print_answer(options, target, file, file.rules);
  Method method;
  for (const rules::RunRules& run : file.runs) {
    fmt::print("{}:\n", rules::run_text(run));
    method = print_answer(options, target, file, run.rules);
  }
  return method;
}

// Measured sizes next to the value: the nearest not above and the nearest above.
std::set<std::uint64_t> around(const Timings& timings, const Instance& call,
                               std::uint64_t Instance::*size) {
  const std::uint64_t value = call.*size;
  std::set<std::uint64_t> values;
  for (const Instance& measured : timings.instances) values.insert(measured.*size);
  std::set<std::uint64_t> near;
  const auto above = values.upper_bound(value);
  if (above != values.begin()) near.insert(*std::prev(above));
  if (above != values.end() && !near.contains(value)) near.insert(*above);
  return near;
}

std::string time_text(const Time& time) {
  if (time.is_impossible()) return "no time";
  return fmt::format("{:.2f} us{}", time.known_us(), time.is_predicted() ? " predicted" : "");
}

std::string versus(const Time& chosen, const Time& reference) {
  if (chosen.is_impossible() || reference.is_impossible()) return "";
  return fmt::format(" ({:+.1f} %)",
                     (chosen.known_us() - reference.known_us()) / reference.known_us() * 100);
}

void print_instance(const Timings& timings, std::size_t i, const Method& chosen) {
  std::vector<std::size_t> order;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    if (!timings.time_at(i, m).is_impossible()) order.push_back(m);
  }
  if (order.empty()) return;
  std::ranges::stable_sort(order, {},
                           [&](std::size_t m) { return timings.time_at(i, m).known_us(); });
  const Time chosen_time = timings.time_of(i, chosen);
  const Instance& instance = timings.instances[i];
  const Time best = timings.time_at(i, order[0]);
  fmt::print("  {} ranks, {} bytes: chosen {}; best {} {}{}", instance.communicator_size,
             instance.message_size, time_text(chosen_time), timings.methods[order[0]].label(),
             time_text(best), versus(chosen_time, best));
  if (order.size() > 1 && !is_library_default(timings.methods[order[1]])) {
    fmt::print("; then {} {}", timings.methods[order[1]].label(),
               time_text(timings.time_at(i, order[1])));
  }
  fmt::print("; default {}{}\n", time_text(timings.default_us[i]),
             versus(chosen_time, timings.default_us[i]));
}

void print_neighbours(const Timings& timings, const Instance& instance, const Method& chosen) {
  const auto near_ranks = around(timings, instance, &Instance::communicator_size);
  const auto near_bytes = around(timings, instance, &Instance::message_size);
  fmt::print(
      "measured on {} (chosen against the best and against the default, below 0 is faster):\n",
      timings.system);
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Instance& measured = timings.instances[i];
    if (!near_ranks.contains(measured.communicator_size) ||
        !near_bytes.contains(measured.message_size))
      continue;
    if (instance.ranks_per_node != 0 && measured.ranks_per_node != instance.ranks_per_node)
      continue;
    print_instance(timings, i, chosen);
  }
}

// The library's own choice without a file; nothing if this version's rules are not known here.
std::optional<Method> own_choice(const rules::RuleTarget& target, const Instance& instance) {
  if (std::string_view(target.name) == kOpenmpi41 &&
      model::has_openmpi_fixed_rules(instance.collective))
    return model::decide(model::openmpi_fixed_rules(instance.collective), instance);
  if (target.library != Library::kMpich) return std::nullopt;
  const rules::RuleFile stock = target.read(target.write({}, ""));
  if (stock.rules.find(instance.collective) == nullptr) return std::nullopt;
  return rules::decide(target, stock.rules, instance);
}

// Returns false if the choice is not known.
bool print_own_choice(const rules::RuleTarget& target, const Instance& instance) {
  const std::optional<Method> method = own_choice(target, instance);
  if (!method || is_library_default(*method)) return false;
  fmt::print("{} {} without rules: {}\n", target.versions.library, target.versions.first,
             print_fallbacks(target, instance, *method));
  return true;
}

// Prints the choice of the library that --for names, or of every library whose rules are known
// here.
void print_own_choices(const ExplainOptions& options) {
  std::vector<std::string> targets = {options.target};
  if (options.target.empty()) targets = {kOpenmpi41, kMpich40};
  bool any = false;
  for (const std::string& target : targets)
    any = print_own_choice(rules::find_rule_target(target), options.instance) || any;
  if (!any)
    fmt::print("what {} chooses for {} is not known here\n",
               options.target.empty() ? "Open MPI or MPICH" : options.target, options.collective);
  if (!options.target.empty() && !rules::find_rule_target(options.target).is_started) return;
  fmt::print(
      "Which one runs on this machine: colltree explain {} {} {} --live --launcher "
      "'mpirun -np {{ranks}}'\n",
      options.collective, options.instance.communicator_size, options.instance.message_size);
}

void print_live(const ExplainOptions& options) {
  if (!options.model.empty())
    throw UsageError("explain: --live asks the library; it takes --rules, not --model");
  deploy::LiveCall call{options.instance, options.launcher, options.mpi, options.rules};
  if (!limits::kMeasuredRanks.holds(call.instance.communicator_size))
    refuse("communicator_size", expected_text(limits::kMeasuredRanks),
           fmt::to_string(call.instance.communicator_size));
  const deploy::LiveExplanation live = deploy::explain_live(call);
  fmt::print("{} on {} ranks, {} bytes, live in {}\n  {}\n  why: {}\n", options.collective,
             call.instance.communicator_size, call.instance.message_size, live.mpi, live.ran,
             live.why);
  for (const std::string& line : live.also) fmt::print("  also: {}\n", line);
}

// The method of a model or a compact decision file, alone.
void print_method(const ExplainOptions& options) {
  if (options.model.empty()) throw UsageError("--json: needs --model FILE");
  if (!options.profile.empty()) throw UsageError("--json: prints the method alone, without --on");
  const Method method = load_decisions(options.model).decide(options.instance);
  Json answer = {{"method", method.label()}, {"algorithm", method.name()}};
  if (method.segment_size) answer["segment_size"] = *method.segment_size;
  print_results("colltree/explain/1", answer, -1);
}

// How a model or a compact decision file decides.
Method print_decision(const std::string& path, const Instance& instance) {
  if (!is_compact(path)) return print_path(model::load_model(path), instance);
  const Method method = load_decisions(path).decide(instance);
  fmt::print("method: {} (by {}, a compact decision file)\n", method.label(), path);
  return method;
}

void explain(ExplainOptions& options) {
  Instance& instance = options.instance;
  instance.collective = parse_collective(options.collective);
  if (options.live && options.json) throw UsageError("explain: --live prints text, without --json");
  if (options.live) return print_live(options);
  if (!options.model.empty() && !options.rules.empty())
    throw UsageError("explain: give --model FILE or --rules FILE, not both");
  if (!options.model.empty() && !options.target.empty())
    throw UsageError("explain: --for names the library of --rules, not of --model");
  if (options.json) return print_method(options);
  const std::string content =
      options.rules.empty() ? "" : read_file(options.rules, kMostModelBytes);
  const rules::RuleTarget* target =
      options.rules.empty() ? nullptr
                            : &rules::find_or_detect_target(options.target, content, options.rules);
  fmt::print("{} on {} ranks, {} bytes\n", name(instance.collective), instance.communicator_size,
             instance.message_size);
  Method method = library_default();
  if (target != nullptr)
    method = print_rule(options, *target, rules::check_rules(*target, content));
  if (!options.model.empty()) method = print_decision(options.model, instance);
  if (!options.profile.empty()) {
    const ProfileOptions input{.profile = options.profile,
                               .system = options.system,
                               .collectives = std::string(name(instance.collective))};
    for (const Timings& timings : load_system_timings(input).timings) {
      print_neighbours(timings, instance,
                       target == nullptr ? method : name_in(*target, timings, method));
    }
  }
  if (target != nullptr) print_own_choice(*target, instance);
  if (target == nullptr && options.model.empty()) print_own_choices(options);
}

}  // namespace

void declare_explain(CLI::App& app) {
  auto options = std::make_shared<ExplainOptions>();
  app.add_option("collective", options->collective, "the collective")->required();
  app.add_option("communicator_size", options->instance.communicator_size, "number of ranks")
      ->transform(size_number(limits::kAskedRanks))
      ->required();
  app.add_option("message_size", options->instance.message_size,
                 "message size in bytes; suffixes K, M, G")
      ->transform(size_number(limits::kAskedBytes))
      ->required();
  app.add_option("--model", options->model, "a model (M.json) or a compact decision file (F.cdt)");
  app.add_option("--rules", options->rules, "a rules file of a library");
  app.add_option(
      "--for", options->target,
      "the target of the rules file, or the library whose own choice is asked for; colltree "
      "check --help lists them (default: recognised by the file)");
  app.add_option("--on", options->profile, "also print what was measured around the call (P.db)");
  app.add_flag("--json", options->json, "print only the method, as JSON");
  app.option_defaults()->group("More about the call");
  app.add_option("--system", options->system, "the system, if the profile holds several");
  app.add_option("--nodes", options->instance.nodes, "number of nodes, if known")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option("--ranks-per-node", options->instance.ranks_per_node, "ranks per node, if known")
      ->transform(whole_number(limits::kAskedRanks));
  app.option_defaults()->group("Asking the installed library");
  app.add_flag("--live", options->live,
               "make the call in the installed library and print what ran and why; with --rules "
               "under that file");
  add_launcher_options(app, options->launcher, options->mpi);
  app.callback([options] { explain(*options); });
}

}  // namespace colltree::cli
