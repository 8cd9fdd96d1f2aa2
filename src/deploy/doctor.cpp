// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/doctor.h"

#include <fmt/core.h>

#include <algorithm>

namespace colltree::deploy {

namespace {

RoundsOfPairs measure(const DoctorRequest& request, std::size_t rounds,
                      const measure::JobStarter& starter) {
  SideBySideRequest side;
  for (const auto& [at, method] : request.probes) side.instances.push_back(at);
  if (request.rules) {
    side.deployed = *request.rules;
  } else {
    side.deployed = request.probes;
  }
  side.rounds = rounds;
  const auto calls = static_cast<double>(2 * rounds * request.probes.size());
  side.cell_budget_s = request.time_limit_s / calls;
  side.beside = request.beside;
  return in_most_rounds(measure_side_by_side(side, starter), rounds);
}

// Rounds of the same method at the same instance; empty: there are none.
std::vector<evaluate::Pair> rounds_then(const DoctorRequest& request, const Instance& at,
                                        const Method& method) {
  if (!request.reference) return {};
  const SideBySideLog& log = request.reference->log;
  const auto deployed = log.deployed.find(at);
  return deployed != log.deployed.end() && deployed->second == method
             ? log.pairs_of(at)
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

}  // namespace

MethodsArm fewer_probes(const MethodsArm& probes, std::size_t most) {
  if (probes.size() <= most) return probes;
  MethodsArm fewer;
  std::size_t i = 0;
  for (const auto& probe : probes) {
    if (i++ * most % probes.size() < most) fewer.insert(probe);
  }
  return fewer;
}

Examination examine(const DoctorRequest& request, const measure::JobStarter& starter) {
  Examination examination;
  if (request.reference) examination.changed = changes(*request.reference, starter);
  if (request.probes.empty()) {
    examination.standing = evaluate::Standing::kHolds;
    return examination;
  }
  examination.rounds = evaluate::rounds_for(request.probes.size());
  const RoundsOfPairs now = measure(request, examination.rounds, starter);
  std::vector<evaluate::Drift> drifts;
  for (const auto& [at, rounds] : now) {
    const Method& method = request.probes.at(at);
    const std::vector<evaluate::Pair> then = rounds_then(request, at, method);
    const evaluate::Drift drift = evaluate::judge_drift(then, rounds, request.probes.size());
    drifts.push_back(drift);
    examination.probes.push_back(
        {at, method, !then.empty(), evaluate::medians(then), evaluate::medians(rounds), drift});
  }
  examination.not_measured = request.probes.size() - now.size();
  examination.standing = evaluate::judge_all(drifts);
  if (examination.standing == evaluate::Standing::kHolds && examination.not_measured > 0)
    examination.standing = evaluate::Standing::kCannotTell;
  return examination;
}

}  // namespace colltree::deploy
