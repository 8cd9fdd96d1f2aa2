// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a campaign in a batch system: how one ended, what follows from it (pure, of numbers
// and words only), and the log of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace colltree::batch {

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

// The jobs of a campaign, in FOLDER/batch/log: a line when one is submitted, one when it has ended.
// So a watcher that was killed finds its job again, and what was used is known.
struct JobRecord {
  std::size_t number = 0;  // of the campaign, from 1
  std::string id;          // as the batch system calls it
  std::optional<JobState> end;
  double seconds = 0;       // that it ran
  std::uint64_t nodes = 0;  // 0 = not known
  std::uint64_t cells = 0;  // that the profile gained
};

class JobLog {
 public:
  // Reads what is there. Throws ParseError.
  explicit JobLog(std::filesystem::path file);

  const std::vector<JobRecord>& jobs() const { return jobs_; }
  const JobRecord* unfinished() const;  // nullptr: none
  double used_s() const;
  double node_hours() const;

  // Both throw Error when it cannot be written.
  const JobRecord& submitted(const std::string& id);
  void ended(const JobRecord& job);

 private:
  void take(std::string_view line, std::size_t number);
  void append(const std::string& line) const;

  std::filesystem::path file_;
  std::vector<JobRecord> jobs_;
};

// While it lives, no other process watches the jobs of this log: two would submit two jobs for each
// that ended. Throws Error when another does; one that was killed holds it no longer.
class WatchLock {
 public:
  explicit WatchLock(const std::filesystem::path& log);

 private:
  Descriptor file_;
};

}  // namespace colltree::batch
