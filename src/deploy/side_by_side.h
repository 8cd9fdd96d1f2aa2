// SPDX-License-Identifier: BSD-3-Clause
// The library's own choice and what would be deployed, measured in turn. Our own methods, and Open
// MPI under a rules file: both in one job a round, call by call; under rules on two communicators.
// MPICH reads its file at the start: two jobs a round, in changing order.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "evaluate/sessions.h"
#include "measure/job.h"
#include "measure/report_line.h"
#include "rules/rule_target.h"

namespace colltree::deploy {

// Of a library, by the files that make it choose them; those of one entry are loaded together.
// Where a file is for one placement there are several entries, by the ranks per node of the
// instances that they are for; 0: for all.
using RulesArm = std::map<std::uint64_t, std::vector<rules::RulesFile>>;
// Our own method at each instance.
using MethodsArm = std::map<Instance, Method>;

using RoundsOfPairs = std::map<Instance, std::vector<evaluate::Pair>>;

struct SideBySideRequest {
  std::vector<Instance> instances;
  std::variant<RulesArm, MethodsArm> deployed;
  std::size_t rounds = 10;
  std::size_t first_round = 0;  // those before were measured
  std::size_t session = 0;      // what its rounds are marked with
  std::uint32_t samples = 30;   // of an instance, arm and round; fewer where the time ends first
  double cell_budget_s = 1;
  // No round begins that would pass this, if it takes as long as the longest before.
  double time_limit_s = std::numeric_limits<double>::infinity();
  std::string beside;  // a file; the plans of the jobs lie beside it
  // After each round: what it measured. May be empty.
  std::function<void(const std::map<Instance, evaluate::Pair>&)> on_round;
  // After each cell: what the job reported, and whether of what is deployed. May be empty.
  std::function<void(const measure::CellResult&, bool deployed)> on_cell;
};

// What one session of several measures of the rounds.
struct SessionRounds {
  std::size_t session = 0;
  std::size_t end = 0;  // the first round of the next session
};
// The session that the first missing round belongs to, when `rounds` are divided evenly.
SessionRounds next_session(std::size_t measured, std::size_t rounds, std::size_t sessions);

// What was measured, by round; one sentence is said where the time limit ended it. Throws Error
// when a job does not run.
RoundsOfPairs measure_side_by_side(const SideBySideRequest& request,
                                   const measure::JobStarter& starter);

// The instances that were measured in at least three of four of the rounds, each with as many as
// the one that has fewest.
RoundsOfPairs in_most_rounds(RoundsOfPairs rounds, std::size_t count);

}  // namespace colltree::deploy
