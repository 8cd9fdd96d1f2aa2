// SPDX-License-Identifier: BSD-3-Clause
// The jobs of a campaign run in sequence and write into FOLDER/batch/progress how long they ran and
// whether the campaign is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace colltree::batch {

enum class JobEvent : std::uint8_t {
  kStarted,
  kEnded,     // unfinished: an error, or a signal before the time limit
  kSession,   // ended with one of several sessions of the verification
  kFinished,  // ended, and so did the campaign
  kReopened,  // further jobs were submitted for a finished campaign
};

// Times are seconds since 1970.
class JobLog {
 public:
  // Reads what is there. Throws ParseError.
  explicit JobLog(std::filesystem::path file);

  std::size_t jobs() const { return jobs_; }  // that have started
  bool is_finished() const { return is_finished_; }
  double used_s() const { return used_s_; }                           // by the jobs that have ended
  std::optional<double> session_end_s() const { return session_s_; }  // of the last session
  // The start of a job that left no end: it runs, or it was killed.
  std::optional<double> open_start_s() const { return started_s_; }

  // Throws Error where it cannot be written.
  void add(JobEvent event, double time_s);
  // Logs the start of a job. If the job before left no end, it was killed: then its end is logged
  // at the time when it last stored something.
  void start(double time_s, double last_stored_s);

 private:
  void take(JobEvent event, double time_s);

  std::filesystem::path file_;
  std::size_t jobs_ = 0;
  bool is_finished_ = false;
  double used_s_ = 0;
  std::optional<double> session_s_;
  std::optional<double> started_s_;
};

}  // namespace colltree::batch
