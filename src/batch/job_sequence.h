// SPDX-License-Identifier: BSD-3-Clause
// What to do when a job has ended: pure, of numbers and words only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace colltree {

enum class JobState : std::uint8_t {
  kPending,  // also requeued
  kRunning,
  kDone,  // the rest: it has ended, and how
  kTimedOut,
  kCancelled,
  kNodeFailed,
  kPreempted,
  kOutOfMemory,
  kFailed,
  kGone,  // the batch system does not know the job any more
};

std::string_view name(JobState state);  // "timed_out", as templates and the log have it
std::optional<JobState> find_job_state(std::string_view name);
constexpr bool has_ended(JobState state) {
  return state != JobState::kPending && state != JobState::kRunning;
}

struct JobEnd {
  JobState state = JobState::kGone;
  std::optional<int> code;  // of the job's command, where it came to its end
  std::uint64_t cells = 0;  // that the profile gained meanwhile
};

// Whether another job shall go on. What is measured stays, so every job that gains cells leads on;
// those that gain none are given a few more tries, where the machine may have been the reason.
class JobSequence {
 public:
  enum class Step : std::uint8_t { kSubmit, kFinished, kStop };
  struct Next {
    Step step = Step::kStop;
    std::string why;  // of kStop: what it was and the remedy
  };
  Next after(const JobEnd& end);

 private:
  int fruitless_ = 0;  // jobs in a row that gained nothing
};

}  // namespace colltree
