// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/library_reasons.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "base/streams.h"
#include "base/text.h"
#include "coll/library_algorithms.h"
#include "protocol/method_settings.h"

namespace colltree::deploy {

namespace {

constexpr std::string_view kTuned = "tuned";

std::string set_text(const protocol::LibraryVariable& variable) {
  return variable.set_by.empty() ? "by default" : "set by " + variable.set_by;
}

const protocol::LibraryVariable* priority_of(std::string_view component,
                                             const LibraryVariables& variables) {
  return find_variable(variables, fmt::format("coll_{}_priority", component));
}

// What a library says of a value that it refuses stands behind the first line of its errors.
std::string refusal_in(const std::vector<std::string>& errors) {
  const auto found = std::ranges::find_if(
      std::views::drop(errors, errors.empty() ? 0 : 1),
      [](std::string_view line) { return line.find("nvalid MPIR_CVAR") != line.npos; });
  return found == errors.end() ? "" : fmt::format(" (\"{}\")", trim(*found));
}

WitnessJob ask_witness(const measure::JobStarter& starter, const protocol::Plan& plan,
                       const std::string& beside, const std::vector<std::string>& settings) {
  WitnessJob job;
  const auto read_line = [&job](std::string_view line) {
    if (auto call = protocol::parse_witness_line(line)) {
      job.calls.push_back(std::move(*call));
    } else if (auto variable = protocol::parse_variable_line(line)) {
      job.variables.push_back(std::move(*variable));
    } else {
      job.said.emplace_back(line);
      return ChildProcess::LineKind::kOther;
    }
    return ChildProcess::LineKind::kProgress;
  };
  const std::string trouble =
      starter.run(plan, beside, settings, read_line,
                  [&job](std::string_view line) { job.errors.emplace_back(line); });
  if (!trouble.empty())
    throw WitnessDied("the witness job ended with " + trouble + refusal_in(job.errors));
  return job;
}

constexpr const char* kNoLocal = "MPIR_CVAR_NOLOCAL=1";

}  // namespace

WitnessJob run_witness_job(const measure::JobStarter& starter, const protocol::Plan& plan,
                           const std::string& beside, std::vector<std::string>& settings) {
  WitnessJob job = ask_witness(starter, plan, beside, settings);
  const bool asked = std::ranges::count(settings, kNoLocal) > 0;
  const bool saw_nothing = std::ranges::all_of(job.calls, [](const protocol::Witnessed& call) {
    return call.ids.empty() && call.component.empty();
  });
  if (asked || !starter.mpi().starts_with(name(Library::kMpich)) || !saw_nothing) return job;
  say(fmt::format(
      "{} hides messages inside a node in shared memory: asked with {}, each rank as if it had a "
      "node of its own\n",
      starter.mpi(), kNoLocal));
  settings.emplace_back(kNoLocal);
  return ask_witness(starter, plan, beside, settings);
}

const protocol::LibraryVariable* find_variable(const LibraryVariables& variables,
                                               std::string_view name) {
  const auto found = std::ranges::find(variables, name, &protocol::LibraryVariable::name);
  return found == variables.end() ? nullptr : &*found;
}

std::string variable_text(Library library, Collective collective,
                          const protocol::LibraryVariable& variable) {
  std::string value = variable.value;
  // Open MPI's values for algorithms are numbers, MPICH's are names already.
  const auto number = parse_number<int>(value);
  if (library == Library::kOpenmpi && number && !variable.trouble.starts_with(kRefused) &&
      variable.name == protocol::algorithm_variable(library, collective)) {
    if (const LibraryAlgorithm* algorithm = find_algorithm(library, collective, *number))
      value += fmt::format(" ({})", algorithm->algorithm);
  }
  return fmt::format("{} = {}, {}{}{}", variable.name, value, set_text(variable),
                     variable.trouble.empty() ? "" : ", ", variable.trouble);
}

const protocol::LibraryVariable* forced_algorithm(Library library, Collective collective,
                                                  const LibraryVariables& variables) {
  const protocol::LibraryVariable* found =
      find_variable(variables, protocol::algorithm_variable(library, collective));
  const bool none = found == nullptr || found->set_by.empty() || !found->trouble.empty() ||
                    found->value == "0" || found->value == "auto" || found->value == "ignore";
  return none ? nullptr : found;
}

std::string other_component(const protocol::Witnessed& call, const LibraryVariables& variables) {
  if (call.component.empty() || call.component == kTuned) return "";
  const std::string text =
      fmt::format("coll/{} carries out {}", call.component, name(call.cell.instance.collective));
  const protocol::LibraryVariable* priority = priority_of(call.component, variables);
  const protocol::LibraryVariable* tuned = priority_of(kTuned, variables);
  if (tuned == nullptr) return text + ": the job has no coll/tuned";
  if (priority == nullptr) return text;
  const bool above =
      parse_number<int>(priority->value).value_or(0) > parse_number<int>(tuned->value).value_or(0);
  if (!above) return text + ": coll/tuned leaves it to others where nothing is said for it";
  return fmt::format("{}: its priority {} ({}, {}) is above coll/tuned's {} ({}, {})", text,
                     priority->value, priority->name, set_text(*priority), tuned->value,
                     tuned->name, set_text(*tuned));
}

bool concerns(const protocol::Witnessed& call, std::string_view variable) {
  constexpr std::string_view kOfAll[] = {"coll_tuned_use_dynamic_rules",
                                         "coll_tuned_dynamic_rules_filename",
                                         "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
                                         "MPIR_CVAR_DEVICE_COLLECTIVES",
                                         "MPIR_CVAR_COLLECTIVE_FALLBACK",
                                         "MPIR_CVAR_ENABLE_SMP_COLLECTIVES"};
  if (std::ranges::count(kOfAll, variable) > 0 || variable.ends_with("_priority")) return true;
  const std::string collective(name(call.cell.instance.collective));
  const std::string begins[] = {fmt::format("coll_{}_{}_", call.component, collective),
                                fmt::format("coll_tuned_{}_", collective),
                                fmt::format("MPIR_CVAR_{}_", upper(collective)),
                                fmt::format("MPIR_CVAR_I{}_", upper(collective))};
  return std::ranges::any_of(begins,
                             [&](const std::string& begin) { return variable.starts_with(begin); });
}

std::string han_levels(Collective collective, const std::map<std::string, int>& settings) {
  struct Level {
    std::string_view name, where;
    std::string_view components[2];  // by the value of the variable
  };
  constexpr Level kLevels[] = {{"up", "between nodes", {"libnbc", "adapt"}},
                               {"low", "inside a node", {"tuned", "sm"}}};
  std::vector<std::string> parts;
  for (const Level& level : kLevels) {
    const auto found =
        settings.find(fmt::format("coll_han_{}_{}_module", name(collective), level.name));
    if (found == settings.end()) continue;
    const auto& [variable, value] = *found;
    const bool is_known = value == 0 || value == 1;
    parts.push_back(fmt::format(
        "{} {} ({} = {})", level.where,
        is_known ? fmt::format("coll/{}", level.components[value]) : "another component", variable,
        value));
  }
  return parts.empty() ? "" : fmt::format("coll/han's levels: {}", fmt::join(parts, ", "));
}

std::vector<std::string> overriding(Library library, const protocol::Witnessed& call,
                                    const LibraryVariables& variables) {
  std::vector<std::string> lines;
  if (std::string text = other_component(call, variables); !text.empty())
    lines.push_back(std::move(text));
  const Collective collective = call.cell.instance.collective;
  if (const auto* forced = forced_algorithm(library, collective, variables); forced != nullptr)
    lines.push_back(variable_text(library, collective, *forced));
  return lines;
}

namespace {

// HAN's methods have times where HAN is asked; elsewhere they cannot run.
bool is_by_han(const Timings& timings, std::size_t instance) {
  for (std::size_t column = 0; column < timings.methods.size(); ++column) {
    const LibraryAlgorithm* algorithm =
        find_algorithm(Library::kOpenmpi, timings.collective, timings.methods[column].algorithm);
    if (algorithm != nullptr && is_of_han(*algorithm) &&
        !timings.time_at(instance, column).is_impossible())
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> who_decides(const std::vector<Timings>& timings) {
  std::vector<std::string> lines;
  for (const Timings& table : timings) {
    std::set<std::uint64_t> han;
    std::set<std::uint64_t> tuned;
    for (std::size_t i = 0; i < table.instances.size(); ++i)
      (is_by_han(table, i) ? han : tuned).insert(table.instances[i].communicator_size);
    for (const std::uint64_t ranks : han) tuned.erase(ranks);
    if (han.empty()) continue;
    std::string line =
        fmt::format("{}: coll/han on {} ranks", name(table.collective), fmt::join(han, ", "));
    if (!tuned.empty()) line += fmt::format(", coll/tuned on {}", fmt::join(tuned, ", "));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace colltree::deploy
