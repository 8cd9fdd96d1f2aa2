// SPDX-License-Identifier: BSD-3-Clause
// One job of a campaign: its process, the lines that it reports, and how it ends.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "measure/driver.h"
#include "measure/plan.h"
#include "measure/report_line.h"

namespace colltree {

// The campaign, as a running job sees it. What these functions throw ends the job.
class JobObserver {
 public:
  virtual ~JobObserver() = default;

  // `asked_ranks`: what the launcher was asked for.
  virtual void started(const JobStarted& job, std::uint64_t asked_ranks) = 0;
  virtual void measured(const CellMeasured& cell) = 0;
  virtual void failed(const CellFailed& cell) = 0;
  // All results up to here may be stored.
  virtual void checkpoint() = 0;
  // Lines of the output are missing: results behind the last checkpoint are incomplete.
  virtual void output_lost() = 0;
  // The job has measured its plan and can take another one; nothing: there is none.
  virtual std::optional<Plan> next_plan() = 0;
};

struct JobEnd {
  bool is_interrupted = false;   // by a signal to this program
  bool is_done = false;          // the job reported its end
  bool has_reported = false;     // at least one line
  bool is_damaged = false;       // a line of its output is missing
  bool several_cells = false;    // it died while it measured several cells at once
  std::optional<PlanCell> cell;  // in which it died
  std::string first_error;       // the first line of its standard error; "": none
  std::string reason;            // "the job ended with exit code 3", "no answer for 60 s"
};

// Runs a job of the plan, whose text lies in `plan_file`, and of the next plans where the plan has
// `more` and the job's start setting is theirs too. Other output goes to standard error.
JobEnd run_job(const Plan& plan, const std::string& plan_file, const Driver& driver,
               double silence_limit_s, JobObserver& observer);

}  // namespace colltree
