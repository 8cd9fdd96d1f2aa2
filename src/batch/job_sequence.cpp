// SPDX-License-Identifier: BSD-3-Clause
#include "batch/job_sequence.h"

#include <array>

namespace colltree {

namespace {

struct StateRow {
  JobState state;
  std::string_view name;
  int most_fruitless;  // jobs in a row that end so and gain nothing; 0: none follows
  const char* remedy;
};

constexpr const char* kSameCommand = "the same command continues";

constexpr std::array<StateRow, 10> kStates = {{
    {JobState::kPending, "pending", 0, ""},
    {JobState::kRunning, "running", 0, ""},
    {JobState::kDone, "done", 0, ""},
    {JobState::kTimedOut, "timed_out", 2,
     "no cell was measured within its time limit; ask for a longer one"},
    {JobState::kCancelled, "cancelled", 0, kSameCommand},
    {JobState::kNodeFailed, "node_failed", 3,
     "nodes fail again and again; leave them out (sbatch --exclude)"},
    {JobState::kPreempted, "preempted", 3,
     "other jobs take its nodes before a cell is measured; ask for another partition or quality of "
     "service"},
    {JobState::kOutOfMemory, "out_of_memory", 2,
     "ask for more memory (sbatch --mem) or smaller --message-sizes"},
    {JobState::kFailed, "failed", 3, "its output says why"},
    {JobState::kGone, "gone", 3,
     "the batch system forgets its jobs before they have measured a cell; see its output"},
}};

const StateRow& row_of(JobState state) {
  for (const StateRow& row : kStates) {
    if (row.state == state) return row;
  }
  return kStates.back();
}

}  // namespace

std::string_view name(JobState state) { return row_of(state).name; }

std::optional<JobState> find_job_state(std::string_view name) {
  for (const StateRow& row : kStates) {
    if (row.name == name) return row.state;
  }
  return std::nullopt;
}

JobSequence::Next JobSequence::after(const JobEnd& end) {
  constexpr int kWrongUsage = 2;
  if (end.code == 0 || (end.state == JobState::kDone && !end.code)) return {Step::kFinished, ""};
  const StateRow& row = row_of(end.state == JobState::kDone ? JobState::kFailed : end.state);
  fruitless_ = end.cells > 0 ? 0 : fruitless_ + 1;
  const bool hopeless = row.most_fruitless == 0 || end.code == kWrongUsage;
  if (!hopeless && fruitless_ < row.most_fruitless) return {Step::kSubmit, ""};
  return {Step::kStop, std::string(row.remedy)};
}

}  // namespace colltree
