// SPDX-License-Identifier: BSD-3-Clause
// Which setting of the job a job should run under: one for all its calls, because a setting cannot
// change from call to call. Under each the best method is taken at every instance.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/table.h"
#include "evaluate/sessions.h"
#include "timings/call_mix.h"
#include "timings/timings.h"

namespace colltree::evaluate {

struct SettingTimes {
  std::string name;              // "": the plain job
  std::vector<Timings> timings;  // loaded with LoadOptions::default_alone, one a collective
  std::string failure = "";      // what the library said where nothing could be measured
};

struct SettingRow {
  std::string name;
  std::string failure;
  std::size_t missing = 0;  // instances of the plain job where it has no time: it cannot be chosen
  double loss = 0;          // beside the best setting at each instance: mean, or of the calls' time
  Gain gain;                // time of the plain job / time under it; 95 % for all settings together
  std::size_t slower = 0;   // instances where it is slower than the plain job by over kNoticeable
  std::optional<Instance> worst;  // of these the one that loses most
  double worst_factor = 1;        // its time there / time of the plain job
};

struct SettingContest {
  std::size_t instances = 0;
  bool weighted = false;         // by the calls of a program
  std::vector<SettingRow> rows;  // the first is the plain job
  std::size_t chosen = 0;        // of them
  Table gains;                   // of each setting, by collective and size class

  const SettingRow& best() const { return rows[chosen]; }
};

// Among the settings that are faster than the plain job with 95 % confidence it chooses the one
// that loses least; without any, the plain job. `settings`: the first is the plain job. `calls`:
// how often a program makes them; empty: every instance counts the same. The intervals hold the
// noise of the times and the choice of instances. Cost: 2000 x instances x settings.
SettingContest compare_settings(std::span<const SettingTimes> settings,
                                std::span<const CallCount> calls);

// A table, and what its columns say.
std::string settings_text(const SettingContest& contest);
Json settings_json(const SettingContest& contest);

// "tcp", "plain"
std::string shown_name(const SettingRow& row);

}  // namespace colltree::evaluate
