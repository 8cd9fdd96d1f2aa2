// SPDX-License-Identifier: BSD-3-Clause
// The library's own choice and what would be deployed, measured in turn. Our own methods and Open
// MPI under a rules file take turns call by call in one job a round; under rules each side has a
// communicator of its own. MPICH reads its file at the start, and a setting is of a whole job, so a
// round is two jobs then, in changing order.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "evaluate/sessions.h"
#include "measure/job.h"
#include "protocol/report_line.h"
#include "rules/rule_target.h"

namespace colltree::deploy {

// Methods of a library are deployed by files; those of one entry are loaded together. Where a file
// is for one placement there are several entries, by the ranks per node of the instances that they
// are for; 0: for all.
using RulesArm = std::map<std::uint64_t, std::vector<rules::RulesFile>>;
// Portable methods are deployed by instance.
using MethodsArm = std::map<Instance, Method>;
// The library's own choice in a job under a setting, NAME=VALUE.
using SettingArm = std::vector<std::string>;

using RoundsOfPairs = std::map<Instance, std::vector<evaluate::Pair>>;

struct SideBySideRequest {
  std::vector<Instance> instances;
  std::variant<RulesArm, MethodsArm, SettingArm> deployed;
  std::size_t rounds = 10;
  std::size_t first_round = 0;  // the rounds before it are measured already
  std::size_t session = 0;      // the mark of its rounds
  std::uint32_t samples = 30;   // an arm takes per instance and round; fewer if the time ends first
  double cell_budget_s = 1;
  // No round begins that would pass this, if it takes as long as the longest before.
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::string beside;  // a file; the plans of the jobs lie beside it
  // Called after each round with its medians. May be empty.
  std::function<void(const std::map<Instance, evaluate::Pair>&)> on_round;
  // Called after each cell with the job's report, and whether it ran what is deployed. May be
  // empty.
  std::function<void(const protocol::CellResult&, bool deployed)> on_cell;
};

// The rounds that one session of several measures: those up to `end` that are not there yet.
struct SessionRounds {
  std::size_t session = 0;
  std::size_t end = 0;  // the first round of the next session
};
// The session that the first missing round belongs to, when `rounds` are divided evenly.
SessionRounds next_session(std::size_t measured, std::size_t rounds, std::size_t sessions);

// Returns the pairs by instance and round; a line says so where the time limit ended the rounds.
// Throws Error when a job does not run.
RoundsOfPairs measure_side_by_side(const SideBySideRequest& request,
                                   const measure::JobStarter& starter);

// The instances that were measured in at least three of four of the rounds, each with as many as
// the one that has fewest.
RoundsOfPairs in_most_rounds(RoundsOfPairs rounds, std::size_t count);

}  // namespace colltree::deploy
