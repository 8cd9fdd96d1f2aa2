// SPDX-License-Identifier: BSD-3-Clause
// `verify doctor` finds out whether the deployed rules still fit a machine: probes measure default
// and deployed side by side (side_by_side.h) and are judged together (evaluate/sessions.h); changes
// of the library are listed.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "deploy/side_by_side_log.h"
#include "evaluate/sessions.h"
#include "measure/installed_library.h"
#include "measure/settings.h"
#include "profile/profile.h"

namespace colltree::deploy {

// The state of the day when it was deployed, from the files that `tune` wrote beside it.
struct Reference {
  SideBySideLog log;
  measure::LibrarySettings settings;  // empty: not known
};

struct DoctorRequest {
  MethodsArm probes;              // at most kMostProbes, with what is deployed there
  std::optional<RulesArm> rules;  // none: the methods are ours
  std::optional<Reference> reference;
  double time_limit_s = 60;  // of the calls; beside it each round starts a job or two
  std::string beside;        // a file; the plans of the jobs lie beside it
  // Each is compared with the job as it is, by the library's own choice at these instances.
  std::vector<measure::Setting> settings = {};
  std::set<Instance> instances = {};
};
inline constexpr std::size_t kMostProbes = 24;

// Takes at most `most` of the probes or instances, spread evenly.
template <typename Sorted>
Sorted fewer_probes(const Sorted& probes, std::size_t most) {
  Sorted fewer;
  std::size_t i = 0;
  for (const auto& probe : probes) {
    if (i++ * most % probes.size() < most) fewer.insert(probe);
  }
  return fewer;
}

struct Probe {
  Instance instance;
  Method method;
  bool has_reference = false;
  evaluate::Pair then, now;  // medians over the rounds
  evaluate::Drift drift;
};

struct SettingProbe {
  measure::Setting setting;
  evaluate::Gain gain;  // time of the job as it is / time under the setting
  std::string trouble;  // why it could not be measured; "": it was
};

struct Examination {
  evaluate::Standing standing = evaluate::Standing::kCannotTell;
  std::size_t rounds = 0;
  std::vector<Probe> probes;         // that were measured in most rounds
  std::size_t not_measured = 0;      // probes that were not
  std::vector<std::string> changed;  // of the library: its version, its settings
  std::vector<SettingProbe> settings;
  // The measured cells as a profile stores them: one sample per round, the median of its calls.
  std::vector<profile::Cell> cells;
};

// Uses the instances, the time limit and `beside` of the request. A setting that does not start is
// an answer, too.
SettingProbe probe_setting(const DoctorRequest& request, const measure::Setting& setting,
                           const measure::JobStarter& starter);
// What is found out about a setting in a sentence, as "The network in use is not the fastest ...".
std::string finding(const SettingProbe& probe);

// Throws Error when a job does not run.
Examination examine(const DoctorRequest& request, const measure::JobStarter& starter);

// Stores the cells as another session of the system that was tuned: a further campaign, of the
// instances that the system holds with the same placement. `source` and `mpi` name the methods and
// the library. Returns a line that says what became of it. Nothing is stored where the times cannot
// tell, the library has changed, or it is not clear which system this is. Throws Error when the
// profile cannot be written.
std::string store_session(const std::filesystem::path& profile, const Examination& examination,
                          const std::string& source, const std::string& mpi);

}  // namespace colltree::deploy
