// SPDX-License-Identifier: BSD-3-Clause
#include "measure/campaign_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/progress.h"
#include "base/streams.h"
#include "measure/adaptive_plan.h"
#include "measure/library_survey.h"
#include "measure/recording.h"
#include "measure/report_line.h"
#include "measure/stored_part.h"

namespace colltree {

namespace {

constexpr std::chrono::milliseconds kCommitEvery(500);

// The running job, as far as its lines and its launcher's tell; made anew for each.
struct RunningJob {
  std::string start_setting;
  std::uint64_t ranks = 0;          // as asked for
  ChildProcess* process = nullptr;  // that takes further rounds; nullptr: the job has one plan
  std::optional<PlanCell> running;
  bool several_run = false;  // cells at once, of which no line says which is running
  bool is_done = false;      // it said so
  bool is_heard = false;     // anything of it
  std::string first_error;   // of its launcher; "": none
  // Who the ranks are says the first line alone. Where lines are missing nothing is heard, or
  // nothing up to the next checkpoint.
  enum class Hearing : std::uint8_t { kWell, kNextCheckpoint, kNothing };
  Hearing hearing = Hearing::kWell;
  std::uint64_t last_line = 0;
  bool started_well = false;  // its first line was heard
  bool is_damaged = false;    // a line of it is missing

  // Whether lines are missing before this one.
  bool misses_before(std::uint64_t line) {
    started_well = started_well || line == 1;
    if (std::exchange(last_line, line) + 1 == line) return false;
    is_damaged = true;
    hearing = started_well ? Hearing::kNextCheckpoint : Hearing::kNothing;
    running.reset();
    return true;
  }
};

// One launch may not be enough: a job that dies in a cell is started again behind it.
class CampaignRun {
 public:
  // `part` starts the jobs. Both parts outlive this.
  CampaignRun(const CampaignPart& part, StoredPart& stored, StoredPart* beside, Profile& profile)
      : request_(part.request),
        driver_(part.driver),
        profile_(profile),
        stored_(stored),
        beside_(beside) {}

  void run() {
    std::vector<PlanCell> cells = stored_.missing_cells();
    if (beside_ != nullptr) {
      const std::vector<PlanCell> others = beside_->missing_cells();
      cells.insert(cells.end(), others.begin(), others.end());
      take_turns(cells);
    }
    for (const PlanCell& cell : stored_.wanted())
      wanted_ranks_ = std::max(wanted_ranks_, cell.communicator_size);
    if (request_.budget.adaptive()) start_adaptive();
    if (cells.empty()) return;
    driver_.arrange(cells);
    Progress progress(fmt::format("measuring {}", stored_.system().name), cells.size(), "cells");
    progress_ = &progress;
    const InterruptGuard guard;
    if (adaptive_) {
      run_adaptive();
      adaptive_->conclude();
      stored_.outcome().expected_penalty = adaptive_->expected_penalty();
      stored_.outcome().predicted = adaptive_->left();
      if (const std::string why = adaptive_->why_stopped(used_s()); !why.empty())
        stored_.outcome().stopped = fmt::format("{}: {}", adaptive_->status(used_s()), why);
      progress.set_total(done_.size());
    } else {
      while (!cells.empty()) {
        Plan plan{driver_.job_stop_rule(request_.stop), first_job(cells), source()};
        plan.at_once = at_once_;
        if (!request_.ranks_per_node.empty() || at_once_ > 0) plan.least_ranks = wanted_ranks_;
        launch(plan);
        std::erase_if(cells, [&](const PlanCell& cell) { return done_.contains(cell); });
      }
    }
  }

 private:
  std::string source() const { return source_of(request_); }

  StoredPart& part_of(const PlanCell& cell) const {
    return beside_ != nullptr && cell.portable ? *beside_ : stored_;
  }

  // The methods of one instance follow each other, whosever they are.
  static void take_turns(std::vector<PlanCell>& cells) {
    std::ranges::stable_sort(cells, {}, &PlanCell::instance);
  }

  // What the first cell's job can measure.
  std::vector<PlanCell> first_job(const std::vector<PlanCell>& cells) const {
    const std::string setting = driver_.start_setting(cells.front());
    const auto end = std::ranges::find_if(
        cells, [&](const PlanCell& cell) { return driver_.start_setting(cell) != setting; });
    return {cells.begin(), end};
  }

  // What the profile holds is known, and what it does not hold is marked as wanted.
  void start_adaptive() {
    const AdaptivePlan::Cost cost = [this](const PlanCell& cell, double time_us) {
      return driver_.cost_s(cell, time_us, request_.stop);
    };
    const std::set<PlanCell>& wanted = stored_.wanted();
    adaptive_.emplace(plan_cells(request_, driver_), request_.budget, cost);
    for (const StoredCampaign& campaign : profile_.campaigns()) {
      if (campaign.info.system.name != stored_.system().name) continue;
      for (const Cell& cell : profile_.cells(campaign.id)) know(cell);
    }
    std::vector<Cell> marks;
    for (const PlanCell& cell : wanted) {
      if (stored_.finished().contains(cell)) continue;
      marks.push_back({CellKey{cell.instance(), 0, 0, cell.method}, CellStatus::kWanted, "", {}});
    }
    profile_.record(stored_.campaign(), marks);
  }

  void know(const Cell& cell) {
    const PlanCell at = stored_.plan_cell(cell.key);
    if (!stored_.finished().contains(at) || !stored_.wanted().contains(at)) return;
    if (cell.status == CellStatus::kFailed || cell.status == CellStatus::kCannotRun)
      adaptive_->cannot_run(at);
    if (cell.status != CellStatus::kOk || cell.samples.empty()) return;
    adaptive_->measured(at, times_us(cell));
  }

  // Jobs one after the other: the first takes one round after another, until it dies or a round
  // needs another start setting.
  void run_adaptive() {
    began_ = std::chrono::steady_clock::now();
    while (const std::optional<Plan> plan = next_round()) launch(*plan);
  }

  double used_s() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }

  // What of the round is left, or the next one.
  std::optional<Plan> next_round() {
    std::erase_if(round_.cells, [&](const PlanCell& cell) { return done_.contains(cell); });
    if (round_.cells.empty()) round_ = adaptive_->next(used_s());
    if (round_.cells.empty()) return std::nullopt;
    driver_.arrange(round_.cells);
    progress_->set_note(adaptive_->status(used_s()));
    if (const double used = adaptive_->used(used_s()); used > 0.01)
      progress_->set_total(
          static_cast<std::uint64_t>(static_cast<double>(done_.size()) / std::min(1.0, used)));
    StopRule stop = request_.stop;
    if (!round_.contested) stop.max_samples = stop.min_samples;
    Plan plan{driver_.job_stop_rule(stop), first_job(round_.cells), source()};
    plan.more = true;
    plan.at_once = at_once_;
    plan.least_ranks = wanted_ranks_;
    return plan;
  }

  // The running job takes the next round, unless that needs another job.
  void on(const PlanDone&) {
    commit(false);
    if (!job_.process) return;
    const std::optional<Plan> plan = job_.is_damaged ? std::nullopt : next_round();
    const bool same = plan && driver_.start_setting(plan->cells.front()) == job_.start_setting;
    job_.process->write(
        write_plan(same ? *plan : Plan{driver_.job_stop_rule(request_.stop), {}, source()}));
  }

  void launch(const Plan& plan) {
    // Beside the profile: a file system that the job's nodes see too.
    const TransientFile plan_file(fmt::format("{}.plan-{}", profile_.path().string(), ::getpid()),
                                  write_plan(plan));
    const std::size_t done_before = done_.size();
    ChildProcess child(driver_.command(plan, plan_file.name()),
                       plan.more ? ChildProcess::Input::kPiped : ChildProcess::Input::kInherited);
    job_ = {driver_.start_setting(plan.cells.front()), plan.ranks(), plan.more ? &child : nullptr};
    const ChildProcess::Outcome end = child.read(
        request_.silence_limit_s, interrupted, [this](std::string_view line) { return hear(line); },
        [this](std::string_view line) { hear_error(line); });
    const std::string trouble = child.wait();
    job_.process = nullptr;
    commit(true);
    if (end == ChildProcess::Outcome::kInterrupted) {
      throw Error(fmt::format("interrupted; {} cells are in {}, the same command continues",
                              done_.size(), profile_.path().string()));
    }
    const bool advanced = done_.size() > done_before;
    if (job_.is_done && (advanced || (plan.more && !job_.is_damaged))) return;
    bury(end_of_job(end, trouble), advanced);
  }

  std::string end_of_job(ChildProcess::Outcome end, const std::string& trouble) const {
    if (end == ChildProcess::Outcome::kSilent)
      return fmt::format("no answer for {:.0f} s", request_.silence_limit_s);
    if (job_.is_damaged && trouble.empty()) return "a piece of the job's output is missing";
    return fmt::format("the job ended with {}", trouble.empty() ? "no result" : trouble);
  }

  // The job died: in a cell, which is tried once more and then recorded as failed, or outside any.
  void bury(const std::string& reason, bool advanced) {
    // Which of several cells it was is not known: they are measured one at a time.
    if (job_.several_run) {
      at_once_ = 0;
      say("{} while several cells were measured at once; the others are measured one at a "
          "time\n",
          job_.first_error.empty() ? reason : job_.first_error);
      return;
    }
    if (!job_.running) end_between_cells(reason, advanced);
    if (tried_.insert(*job_.running).second) return;
    part_of(*job_.running)
        .keep(*job_.running,
              {CellKey{job_.running->instance(), 0, 0, job_.running->method},
               CellStatus::kFailed,
               job_.first_error.empty() ? reason : fmt::format("{}: {}", reason, job_.first_error),
               {}});
    checkpoint();
    finish(*job_.running, CellStatus::kFailed);
    commit(true);
  }

  // What a launcher says that starts nothing has its own remedy.
  [[noreturn]] void end_between_cells(const std::string& reason, bool advanced) const {
    const std::string detail = job_.first_error.empty() ? reason : job_.first_error;
    if (advanced)
      throw Error(fmt::format("{} between two cells; the same command continues", detail));
    if (job_.is_heard || job_.first_error.empty())
      throw Error(fmt::format("{} before its first cell; the same command continues", detail));
    // A simulator that refuses says how to mend it, one that breaks down does not.
    if (driver_.retries() || !reason.ends_with("exit code 1"))
      throw Error(fmt::format(
          "{}: the job did not start; if that passes, the same command continues", detail));
    throw Error(detail);
  }

  void finish(const PlanCell& cell, CellStatus status) {
    done_.insert(cell);
    if (adaptive_ && status != CellStatus::kOk) adaptive_->cannot_run(cell);
    part_of(cell).count(status);
    progress_->advance();
  }

  ChildProcess::LineKind hear(std::string_view line) {
    const auto numbered = parse_numbered_line(line);
    if (!numbered) {
      if (!line.starts_with(kReportPrefix)) say("{}\n", line);
      return ChildProcess::LineKind::kOther;
    }
    job_.is_heard = true;
    // What no checkpoint followed may have lost its neighbours, who are measured together.
    if (numbered->number > 0 && job_.misses_before(numbered->number)) forget_unstored();
    if (job_.hearing == RunningJob::Hearing::kWell) {
      std::visit([this](const auto& event) { on(event); }, numbered->report);
    } else {
      hear_badly(numbered->report);
    }
    return ChildProcess::LineKind::kProgress;
  }

  void hear_badly(const Report& report) {
    if (std::holds_alternative<JobDone>(report)) job_.is_done = true;
    if (std::holds_alternative<PlanDone>(report)) on(PlanDone{});
    if (std::holds_alternative<Checkpoint>(report) &&
        job_.hearing == RunningJob::Hearing::kNextCheckpoint)
      job_.hearing = RunningJob::Hearing::kWell;
  }

  void hear_error(std::string_view line) {
    if (line.find_first_not_of(" \t-") == std::string_view::npos) return;
    // What the launcher could not be started for ends the campaign in one line.
    const bool is_the_end = job_.first_error.empty() && line.starts_with(kCannotStartText);
    if (job_.first_error.empty()) job_.first_error = line;
    if (driver_.retries() && !is_the_end) say("{}\n", line);
  }

  // Fewer ranks than asked for would be measured as more, another library's times as this one's.
  void on(const JobStarted& job) {
    if (!driver_.retries()) return;
    const std::string mpi = short_library_name(job.mpi_library);
    if (!mpi.empty() && mpi != here())
      throw Error(
          fmt::format("{}: the ranks on {} run {}, here is {}, which must not be mixed; use the "
                      "same MPI library here and there",
                      profile_.path().string(), job.host, mpi, here()));
    if (job.ranks >= job_.ranks) return;
    throw Error(
        fmt::format("the launcher started {} ranks that see each other, {} were asked for: use "
                    "{{ranks}} in --launcher, "
                    "and --mpi if it belongs to another MPI library than {}",
                    job.ranks, job_.ranks, here()));
  }

  void on(const CellBegun& begun) { job_.running = begun.cell; }
  void on(const CellsBegun&) { job_.several_run = true; }

  void on(const CellMeasured& measured) {
    CellMeasured kept = measured;
    kept.samples_us = driver_.samples(measured.cell, measured.samples_us, request_.stop);
    Cell cell = stored_cell(kept);
    if (adaptive_) adaptive_->measured(measured.cell, times_us(cell));
    part_of(measured.cell).keep(measured.cell, std::move(cell));
    finish(measured.cell, CellStatus::kOk);
    job_.running.reset();
  }

  void on(const CellFailed& failed) {
    Cell cell = stored_cell(failed);
    const CellStatus status = cell.status;
    part_of(failed.cell).keep(failed.cell, std::move(cell));
    finish(failed.cell, status);
    job_.running.reset();
  }

  void on(const Checkpoint&) {
    checkpoint();
    job_.several_run = false;
    commit(false);
  }

  void on(const JobDone&) { job_.is_done = true; }

  void checkpoint() {
    stored_.checkpoint();
    if (beside_ != nullptr) beside_->checkpoint();
  }

  void commit(bool job_ended) {
    const auto now = std::chrono::steady_clock::now();
    if (!job_ended && now - committed_ < kCommitEvery) return;
    committed_ = now;
    stored_.commit();
    if (beside_ != nullptr) beside_->commit();
    if (job_ended) forget_unstored();
  }

  // Cells that no checkpoint followed are measured again.
  void forget_unstored() {
    for (StoredPart* part : {&stored_, beside_}) {
      if (part == nullptr) continue;
      const std::vector<PlanCell> forgotten = part->forget_unstored();
      for (const PlanCell& cell : forgotten) done_.erase(cell);
      progress_->take_back(forgotten.size());
    }
  }

  const std::string& here() const { return stored_.system().mpi; }

  const CampaignRequest& request_;
  const Driver& driver_;
  Profile& profile_;
  StoredPart& stored_;
  StoredPart* beside_;  // nullptr: one campaign
  Progress* progress_ = nullptr;
  std::chrono::steady_clock::time_point committed_{};
  std::set<PlanCell> done_;
  std::set<PlanCell> tried_;
  double at_once_ = request_.at_once;  // 0 after a job died in several cells
  std::uint64_t wanted_ranks_ = 0;     // by the whole campaign
  RunningJob job_;
  std::optional<AdaptivePlan> adaptive_;
  AdaptivePlan::Round round_;
  std::chrono::steady_clock::time_point began_{};
};

}  // namespace

std::string outcome_text(const CampaignOutcome& outcome) {
  std::string text = fmt::format("{} cells measured, {} there before, {} failed", outcome.measured,
                                 outcome.already, outcome.failed);
  if (outcome.failed_before > 0)
    text += fmt::format(", {} of those there before", outcome.failed_before);
  if (outcome.failed + outcome.failed_before > 0) text += " (--retry-failed tries these again)";
  if (outcome.not_applicable > 0)
    text += fmt::format(", {} not applicable", outcome.not_applicable);
  if (outcome.predicted > 0) text += fmt::format(", {} left to be predicted", outcome.predicted);
  if (outcome.expected_penalty)
    text += fmt::format("; expected penalty of the best known {:.2g} %",
                        100 * *outcome.expected_penalty);
  if (!outcome.stopped.empty()) text += fmt::format("; it ended early, at {}", outcome.stopped);
  if (outcome.disturbed > 0)
    text += fmt::format(
        "; {} of them while others used the machine or ranks shared cores (--retry-disturbed "
        "measures these again)",
        outcome.disturbed);
  return text;
}

CampaignOutcome run_campaign(const CampaignRequest& request, const Driver& driver,
                             Profile& profile) {
  StoredPart stored({request, driver}, profile, false);
  CampaignRun({request, driver}, stored, nullptr, profile).run();
  return stored.outcome();
}

BothOutcomes run_campaigns(const CampaignPart& library, const CampaignPart& portable,
                           Profile& profile) {
  StoredPart own(library, profile, false);
  StoredPart ours(portable, profile, true);
  CampaignRun(library, own, &ours, profile).run();
  return {own.outcome(), ours.outcome()};
}

}  // namespace colltree
