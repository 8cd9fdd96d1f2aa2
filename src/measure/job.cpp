// SPDX-License-Identifier: BSD-3-Clause
#include "measure/job.h"

#include <fmt/core.h>

#include <utility>
#include <variant>

#include "base/process.h"
#include "base/streams.h"

namespace colltree {

namespace {

class RunningJob {
 public:
  RunningJob(const Plan& plan, const std::string& plan_file, const Driver& driver,
             JobObserver& observer)
      : plan_(plan),
        driver_(driver),
        observer_(observer),
        process_(driver.command(plan, plan_file),
                 plan.more ? ChildProcess::Input::kPiped : ChildProcess::Input::kInherited) {}

  JobEnd run(double silence_limit_s) {
    const ChildProcess::Outcome outcome = process_.read(
        silence_limit_s, interrupted, [this](std::string_view line) { return read_line(line); },
        [this](std::string_view line) { read_error_line(line); });
    const std::string failure = process_.wait();
    end_.is_interrupted = outcome == ChildProcess::Outcome::kInterrupted;
    if (outcome == ChildProcess::Outcome::kSilent) {
      end_.reason = fmt::format("no answer for {:.0f} s", silence_limit_s);
    } else if (end_.is_damaged && failure.empty()) {
      end_.reason = "a piece of the job's output is missing";
    } else {
      end_.reason = fmt::format("the job ended with {}", failure.empty() ? "no result" : failure);
    }
    return end_;
  }

 private:
  // The first line alone says who the ranks are. Where lines are missing, no report is used: up to
  // the next checkpoint, or to the end where the first line is among them.
  enum class Reading : std::uint8_t { kAll, kFromNextCheckpoint, kNothing };

  ChildProcess::LineKind read_line(std::string_view line) {
    const auto numbered = parse_numbered_line(line);
    if (!numbered) {
      if (!line.starts_with(kReportPrefix)) say("{}\n", line);
      return ChildProcess::LineKind::kOther;
    }
    end_.has_reported = true;
    if (numbered->number > 0) check_number(numbered->number);
    if (reading_ == Reading::kAll) {
      std::visit([this](const auto& event) { on(event); }, numbered->report);
    } else {
      read_damaged(numbered->report);
    }
    return ChildProcess::LineKind::kProgress;
  }

  void check_number(std::uint64_t number) {
    started_well_ = started_well_ || number == 1;
    if (std::exchange(last_number_, number) + 1 == number) return;
    end_.is_damaged = true;
    end_.cell.reset();
    reading_ = started_well_ ? Reading::kFromNextCheckpoint : Reading::kNothing;
    observer_.output_lost();
  }

  void read_damaged(const Report& report) {
    if (std::holds_alternative<JobDone>(report)) on(JobDone{});
    if (std::holds_alternative<PlanDone>(report)) on(PlanDone{});
    if (std::holds_alternative<Checkpoint>(report) && reading_ == Reading::kFromNextCheckpoint)
      reading_ = Reading::kAll;
  }

  void read_error_line(std::string_view line) {
    if (line.find_first_not_of(" \t-") == std::string_view::npos) return;
    // Why the launcher cannot be started ends the campaign, in one line.
    const bool is_the_end = end_.first_error.empty() && line.starts_with(kCannotStartText);
    if (end_.first_error.empty()) end_.first_error = line;
    if (driver_.retries() && !is_the_end) say("{}\n", line);
  }

  void on(const JobStarted& job) { observer_.started(job, plan_.ranks()); }
  void on(const CellBegun& begun) { end_.cell = begun.cell; }
  void on(const CellsBegun&) { end_.several_cells = true; }
  void on(const CellMeasured& measured) {
    observer_.measured(measured);
    end_.cell.reset();
  }
  void on(const CellFailed& failed) {
    observer_.failed(failed);
    end_.cell.reset();
  }
  void on(const Checkpoint&) {
    end_.several_cells = false;
    observer_.checkpoint();
  }
  void on(const JobDone&) { end_.is_done = true; }

  // An empty plan ends the job: also where the next one needs another job.
  void on(const PlanDone&) {
    if (!plan_.more) return;
    const std::optional<Plan> next = end_.is_damaged ? std::nullopt : observer_.next_plan();
    const bool fits = next && driver_.start_setting(next->cells.front()) ==
                                  driver_.start_setting(plan_.cells.front());
    process_.write(write_plan(fits ? *next : Plan{plan_.stop, {}, plan_.source}));
  }

  const Plan& plan_;
  const Driver& driver_;
  JobObserver& observer_;
  ChildProcess process_;
  JobEnd end_;
  Reading reading_ = Reading::kAll;
  std::uint64_t last_number_ = 0;
  bool started_well_ = false;  // its first line was read
};

}  // namespace

JobEnd run_job(const Plan& plan, const std::string& plan_file, const Driver& driver,
               double silence_limit_s, JobObserver& observer) {
  return RunningJob(plan, plan_file, driver, observer).run(silence_limit_s);
}

}  // namespace colltree
