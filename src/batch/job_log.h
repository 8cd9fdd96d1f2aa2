// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a campaign, in FOLDER/batch/log: a line when one is submitted, one when it has ended.
// So a watcher that was killed finds its job again, and what was used is known.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "batch/job_sequence.h"

namespace colltree {

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

}  // namespace colltree
