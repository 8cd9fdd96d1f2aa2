// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/session_pair.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"

namespace colltree {

namespace {

// The instances where some method has a time, among `allowed` where that is given.
Timings with_times(const Timings& timings, const std::set<Instance>* allowed) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    if (!timings.best_at(i)) continue;
    if (allowed == nullptr || allowed->contains(timings.instances[i])) kept.push_back(i);
  }
  return select_instances(timings, kept);
}

bool is_simulated(const SystemInfo& system) { return system.provenance == kProvenanceSimulated; }

}  // namespace

bool SessionPair::mixes_simulated() const {
  return is_simulated(here_system) != is_simulated(there_system);
}

SessionPair make_session_pair(SessionPair whole) {
  const std::string_view collective = name(whole.here.collective);
  if (hash_of({whole.here}) == hash_of({whole.there})) {
    throw Error(fmt::format("{}: holds the same times of {} as {}: name another session",
                            whole.there_name, collective, whole.here_name));
  }
  const std::vector<Method> common = common_methods(whole.here, whole.there);
  if (common.empty()) {
    throw Error(fmt::format("{}: has no method of {} in common with {}", whole.there_name,
                            collective, whole.here_name));
  }
  SessionPair pair = whole;
  pair.other_methods = whole.here.methods.size() + whole.there.methods.size() - 2 * common.size();
  pair.here = with_times(select_methods(whole.here, common), nullptr);
  const std::set<Instance> known(pair.here.instances.begin(), pair.here.instances.end());
  pair.there = with_times(select_methods(whole.there, common), &known);
  if (pair.there.instances.empty()) {
    throw Error(fmt::format(
        "{}: has no instance of {} in common with {}: sizes and placement must be the same",
        whole.there_name, collective, whole.here_name));
  }
  pair.other_instances = whole.there.instances.size() - pair.there.instances.size();
  return pair;
}

SystemInfo system_beside(const Profile& other, const std::string& here,
                         const std::optional<std::string>& wanted, std::string_view option) {
  if (wanted) return other.require_system(wanted);
  const std::vector<SystemInfo> systems = other.systems();
  const auto same = std::ranges::find(systems, here, &SystemInfo::name);
  if (same != systems.end()) return *same;
  return other.require_system(std::nullopt, option);
}

std::string session_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

}  // namespace colltree
