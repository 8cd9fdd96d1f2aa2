// SPDX-License-Identifier: BSD-3-Clause
// Proves against the installed library that a rules file is loaded, and shows where each of its
// thresholds really switches. A witness job calls every collective on both sides of every
// threshold, twice: under the file itself (the right algorithm runs), and under a copy with the
// same thresholds in which neighbouring rules name different algorithms, because rules that differ
// only in a segment size run the same algorithm. Cost: two jobs, one call a probe.
#pragma once

#include <string>
#include <vector>

#include "measure/driver.h"
#include "rules/rule_target.h"

namespace colltree::deploy {

struct LiveOptions {
  std::string launcher;
  std::string mpi;  // flavour; "" = ask the launcher
  std::vector<std::uint64_t> communicator_sizes = {2, 3, 4};
};

struct LiveResult {
  std::string mpi;                     // the installed library
  std::size_t calls = 0;               // compared
  std::size_t message_thresholds = 0;  // that lie within what can be called
  std::size_t communicator_thresholds = 0;
  std::vector<std::string> not_shown;     // thresholds whose two sides look alike
  std::vector<std::string> out_of_reach;  // thresholds that were not tried, and why
  std::vector<std::string> mismatches;
  std::vector<std::string> overriding;  // settings above the file, where it is not obeyed
};

// True if a witness can see what runs under the target's rules: Open MPI up to 5.0 on x86-64, and
// MPICH.
bool has_witness(const rules::RuleTarget& target);
// Throws UsageError where it cannot.
void require_witness(const rules::RuleTarget& target);

// Throws UsageError where there is no witness, Error when the job cannot run.
LiveResult check_live(const rules::RuleTarget& target, const rules::RuleSet& rules,
                      const std::string& file, const LiveOptions& options);

}  // namespace colltree::deploy
