// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/doctor.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <map>

#include "base/input.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "coll/catalogue.h"
#include "deploy/setting_choice.h"
#include "evaluate/policy.h"
#include "measure/stored_part.h"

namespace colltree::deploy {

namespace {

using CellsByKey = std::map<profile::CellKey, profile::Cell>;

// Keeps the samples of one round. `method` is what is deployed, because a job that runs it under
// rules reports the library's own choice.
void keep(CellsByKey& cells, const protocol::CellResult& measured, const Method& method) {
  profile::Cell round = measure::stored_cell(measured);
  round.key.method = effective_method(method, round.key.instance);
  profile::Cell& cell = cells.try_emplace(round.key, profile::Cell{.key = round.key}).first->second;
  if (cell.reason.empty()) cell.reason = round.reason;
  const auto rep = static_cast<std::int64_t>(cell.samples.size());
  cell.samples.push_back({rep, median(measured.samples_us)});
}

RoundsOfPairs measure(const DoctorRequest& request, std::size_t rounds,
                      const measure::JobStarter& starter, CellsByKey& cells) {
  SideBySideRequest side;
  for (const auto& [instance, method] : request.probes) side.instances.push_back(instance);
  if (request.rules) {
    side.deployed = *request.rules;
  } else {
    side.deployed = request.probes;
  }
  side.rounds = rounds;
  const auto calls = static_cast<double>(2 * rounds * request.probes.size());
  side.cell_budget_s = request.time_limit_s / calls;
  side.beside = request.beside;
  side.on_cell = [&](const protocol::CellResult& measured, bool deployed) {
    keep(cells, measured, deployed ? request.probes.at(measured.cell.instance) : library_default());
  };
  return in_most_rounds(measure_side_by_side(side, starter), rounds);
}

// Returns the stored rounds of the same method at the same instance; empty: there are none.
std::vector<evaluate::Pair> rounds_then(const DoctorRequest& request, const Instance& instance,
                                        const Method& method) {
  if (!request.reference) return {};
  const SideBySideLog& log = request.reference->log;
  const auto deployed = log.deployed.find(instance);
  return deployed != log.deployed.end() && deployed->second == method
             ? log.pairs_of(instance)
             : std::vector<evaluate::Pair>{};
}

std::vector<std::string> changes(const Reference& reference, const measure::JobStarter& starter) {
  std::vector<std::string> changes;
  if (reference.log.mpi != starter.mpi())
    changes.push_back(fmt::format("the library was {}, is {}", reference.log.mpi, starter.mpi()));
  if (reference.settings.empty()) return changes;
  std::ranges::move(measure::changed_settings(reference.settings, starter.settings()),
                    std::back_inserter(changes));
  return changes;
}

// The variables of the deployed setting that do not reach this job's library.
std::vector<std::string> not_loaded(const std::filesystem::path& folder,
                                    const measure::JobStarter& starter) {
  const std::filesystem::path file = folder / kSettingScript;
  if (!std::filesystem::exists(file)) return {};
  const std::vector<protocol::LibraryVariable> asked = starter.asked();
  std::vector<std::string> missing;
  const std::string script = read_file(file, kMostModelBytes);
  for (const std::string_view line : split(script, '\n')) {
    if (line.empty()) continue;
    const std::vector<std::string> words = measure::split_command(std::string(line), file.string());
    if (words.size() < 2) continue;  // "export", NAME=VALUE
    const bool is_loaded = std::ranges::any_of(asked, [&](const auto& variable) {
      return concat(variable.name, "=", variable.value) == words[1];
    });
    if (!is_loaded)
      missing.push_back(fmt::format("{} of the deployed setting is not loaded in this job: see {}",
                                    words[1], file.string()));
  }
  return missing;
}

// Finds the system with methods of this source that was measured under this library, and the
// instances that it holds; none: it is not there, or there are several.
std::optional<std::pair<profile::SystemInfo, std::set<Instance>>> tuned_system(
    const profile::Profile& profile, const std::string& source, const std::string& mpi) {
  std::map<profile::SystemInfo, std::set<Instance>> found;
  for (const auto& [id, info] : profile.campaigns()) {
    if (info.system.provenance != profile::kProvenanceMeasured || info.system.mpi != mpi ||
        info.source != source)
      continue;
    std::set<Instance>& held = found[info.system];
    for (const profile::Cell& cell : profile.cells(id)) {
      if (cell.status == profile::CellStatus::kOk) held.insert(cell.key.instance);
    }
  }
  if (found.size() != 1) return std::nullopt;
  return *found.begin();
}

// The options contain the time, so that no campaign continues this one.
profile::CampaignInfo session_of(const profile::SystemInfo& system, const std::string& source,
                                 std::size_t rounds) {
  profile::CampaignInfo info{.system = system, .source = source, .host = measure::host_name()};
  info.started_utc = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  info.options = Json{{"by", "verify doctor"}, {"rounds", rounds}, {"at", info.started_utc}}.dump();
  return info;
}

}  // namespace

SettingProbe probe_setting(const DoctorRequest& request, const measure::Setting& setting,
                           const measure::JobStarter& starter) {
  constexpr std::size_t kRounds = 8;
  SettingProbe probe{setting, {}, ""};
  SideBySideRequest side;
  side.instances.assign(request.instances.begin(), request.instances.end());
  side.deployed = setting.variables;
  side.rounds = kRounds;
  const auto calls =
      static_cast<double>(2 * kRounds * request.instances.size() * request.settings.size());
  side.cell_budget_s = request.time_limit_s / calls;
  side.beside = request.beside;
  try {
    std::vector<std::vector<evaluate::Pair>> pairs;
    for (auto& [instance, rounds] : in_most_rounds(measure_side_by_side(side, starter), kRounds))
      pairs.push_back(std::move(rounds));
    if (pairs.empty()) throw Error("no call could be measured");
    probe.gain = evaluate::gain_of(pairs, 1);
  } catch (const Error& error) {
    probe.trouble = error.what();
  }
  return probe;
}

std::string finding(const SettingProbe& probe) {
  const std::string& name = probe.setting.name;
  if (!probe.trouble.empty()) return fmt::format("setting {}: {}", name, probe.trouble);
  const std::string gain =
      fmt::format("setting {}: {:.3f} times as fast as the job as it is (95 %: {:.3f} to {:.3f})",
                  name, probe.gain.factor, probe.gain.interval.low, probe.gain.interval.high);
  if (!evaluate::is_proven(probe.gain) || !measure::is_transport(probe.setting)) return gain;
  return fmt::format("{} {}; {}", kSlowNetwork, name, gain);
}

Examination examine(const DoctorRequest& request, const measure::JobStarter& starter) {
  Examination examination;
  if (request.reference) examination.changed = changes(*request.reference, starter);
  std::ranges::move(not_loaded(std::filesystem::path(request.beside).parent_path(), starter),
                    std::back_inserter(examination.changed));
  for (const measure::Setting& setting : request.settings)
    examination.settings.push_back(probe_setting(request, setting, starter));
  if (request.probes.empty()) {
    examination.standing = evaluate::Standing::kHolds;
    return examination;
  }
  examination.rounds = evaluate::rounds_for(request.probes.size());
  CellsByKey cells;
  const RoundsOfPairs now = measure(request, examination.rounds, starter, cells);
  for (auto& [key, cell] : cells) examination.cells.push_back(std::move(cell));
  std::vector<evaluate::Drift> drifts;
  for (const auto& [instance, rounds] : now) {
    const Method& method = request.probes.at(instance);
    const std::vector<evaluate::Pair> then = rounds_then(request, instance, method);
    const evaluate::Drift drift = evaluate::judge_drift(then, rounds, request.probes.size());
    drifts.push_back(drift);
    examination.probes.push_back({instance, method, !then.empty(), evaluate::medians(then),
                                  evaluate::medians(rounds), drift});
  }
  examination.not_measured = request.probes.size() - now.size();
  examination.standing = evaluate::judge_all(drifts);
  if (examination.standing == evaluate::Standing::kHolds && examination.not_measured > 0)
    examination.standing = evaluate::Standing::kCannotTell;
  return examination;
}

std::string store_session(const std::filesystem::path& file, const Examination& examination,
                          const std::string& source, const std::string& mpi) {
  const auto not_stored = [&](const std::string& why) {
    return fmt::format("{}: these times are not stored: {}", file.string(), why);
  };
  if (!examination.changed.empty())
    return not_stored("the library or its settings have changed since it was tuned");
  if (examination.standing == evaluate::Standing::kCannotTell)
    return not_stored("they vary too much to tell whether it still fits");
  profile::Profile profile(file, profile::OpenMode::kWrite);
  const auto tuned = tuned_system(profile, source, mpi);
  if (!tuned)
    return not_stored(
        fmt::format("not one system with {} methods was measured under {}", source, mpi));
  const auto& [system, held] = *tuned;
  // At an instance that the system does not hold, the methods that were not measured there would
  // count as unable to run.
  std::vector<profile::Cell> cells;
  for (const profile::Cell& cell : examination.cells) {
    if (held.contains(cell.key.instance)) cells.push_back(cell);
  }
  if (cells.empty())
    return not_stored(fmt::format("{} has none of these instances, placed alike", system.name));
  const profile::CampaignInfo session = session_of(system, source, examination.rounds);
  profile.in_transaction([&] { profile.record(profile.begin_campaign(session), cells); });
  return fmt::format(
      "{}: {} of {} cells are stored as another session of {}; 'tune' and 'fit' use it",
      file.string(), cells.size(), examination.cells.size(), system.name);
}

}  // namespace colltree::deploy
