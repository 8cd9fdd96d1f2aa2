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
#include "base/progress.h"
#include "base/streams.h"
#include "measure/adaptive_plan.h"
#include "measure/library_survey.h"
#include "measure/recording.h"
#include "measure/report_line.h"
#include "measure/stored_part.h"
#include "measure/worker.h"

namespace colltree {

namespace {

constexpr std::chrono::milliseconds kCommitEvery(500);

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
    if (!worker_) return;
    const std::optional<Plan> plan = is_damaged_ ? std::nullopt : next_round();
    const bool same = plan && driver_.start_setting(plan->cells.front()) == start_setting_;
    worker_->tell(
        write_plan(same ? *plan : Plan{driver_.job_stop_rule(request_.stop), {}, source()}));
  }

  void launch(const Plan& plan) {
    const std::vector<PlanCell>& cells = plan.cells;
    // Beside the profile: a file system that the job's nodes see too.
    const TransientFile plan_file(fmt::format("{}.plan-{}", profile_.path().string(), ::getpid()),
                                  write_plan(plan));
    running_.reset();
    several_run_ = false;
    last_error_.clear();
    job_done_ = false;
    heard_ = false;
    last_line_ = 0;
    hearing_ = Hearing::kWell;
    started_well_ = false;
    is_damaged_ = false;
    const std::size_t done_before = done_.size();
    start_setting_ = driver_.start_setting(cells.front());
    job_ranks_ = plan.ranks();
    Worker worker(driver_.command(plan, plan_file.name()),
                  plan.more ? Worker::Input::kTold : Worker::Input::kOurs);
    worker_ = plan.more ? &worker : nullptr;
    const Worker::Outcome end = worker.read(
        request_.silence_limit_s, interrupted, [this](std::string_view line) { return hear(line); },
        [this](std::string_view line) { hear_error(line); });
    const std::string trouble = worker.wait();
    worker_ = nullptr;
    commit(true);
    if (end == Worker::Outcome::kInterrupted) {
      throw Error(fmt::format("interrupted; {} cells are in {}, the same command continues",
                              done_.size(), profile_.path().string()));
    }
    const bool advanced = done_.size() > done_before;
    if (job_done_ && (advanced || (plan.more && !is_damaged_))) return;
    bury(end_of_job(end, trouble), advanced);
  }

  std::string end_of_job(Worker::Outcome end, const std::string& trouble) const {
    if (end == Worker::Outcome::kSilent)
      return fmt::format("no answer for {:.0f} s", request_.silence_limit_s);
    if (is_damaged_ && trouble.empty()) return "a piece of the job's output is missing";
    return fmt::format("the job ended with {}", trouble.empty() ? "no result" : trouble);
  }

  // The job died: in a cell, which is tried once more and then recorded as failed, or outside any.
  void bury(const std::string& reason, bool advanced) {
    // Which of several cells it was is not known: they are measured one at a time.
    if (std::exchange(several_run_, false)) {
      at_once_ = 0;
      say("{} while several cells were measured at once; the others are measured one at a "
          "time\n",
          last_error_.empty() ? reason : last_error_);
      return;
    }
    if (!running_) end_between_cells(reason, advanced);
    if (tried_.insert(*running_).second) return;
    part_of(*running_).keep(
        *running_, {CellKey{running_->instance(), 0, 0, running_->method},
                    CellStatus::kFailed,
                    last_error_.empty() ? reason : fmt::format("{}: {}", reason, last_error_),
                    {}});
    checkpoint();
    finish(*running_, CellStatus::kFailed);
    commit(true);
  }

  // What a launcher says that starts nothing has its own remedy.
  [[noreturn]] void end_between_cells(const std::string& reason, bool advanced) const {
    const std::string detail = last_error_.empty() ? reason : last_error_;
    if (advanced)
      throw Error(fmt::format("{} between two cells; the same command continues", detail));
    if (heard_ || last_error_.empty())
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

  Worker::Heard hear(std::string_view line) {
    const auto numbered = parse_numbered_line(line);
    if (!numbered) {
      if (!line.starts_with(kReportPrefix)) say("{}\n", line);
      return Worker::Heard::kNoise;
    }
    heard_ = true;
    if (numbered->number > 0) count_line(numbered->number);
    if (hearing_ == Hearing::kWell) {
      std::visit([this](const auto& event) { on(event); }, numbered->report);
    } else {
      hear_badly(numbered->report);
    }
    return Worker::Heard::kSign;
  }

  // Lines are missing: what no checkpoint followed may have lost its neighbours, who are measured
  // together, and so may what comes up to the next checkpoint. Who the ranks are says the first
  // line alone.
  void count_line(std::uint64_t number) {
    started_well_ = started_well_ || number == 1;
    if (std::exchange(last_line_, number) + 1 == number) return;
    is_damaged_ = true;
    hearing_ = started_well_ ? Hearing::kNextCheckpoint : Hearing::kNothing;
    forget_unstored();
    running_.reset();
  }

  void hear_badly(const Report& report) {
    if (std::holds_alternative<JobDone>(report)) job_done_ = true;
    if (std::holds_alternative<PlanDone>(report)) on(PlanDone{});
    if (std::holds_alternative<Checkpoint>(report) && hearing_ == Hearing::kNextCheckpoint)
      hearing_ = Hearing::kWell;
  }

  void hear_error(std::string_view line) {
    if (line.find_first_not_of(" \t-") == std::string_view::npos) return;
    // What the launcher could not be started for ends the campaign in one line.
    const bool is_the_end = last_error_.empty() && line.starts_with(kCannotStartText);
    if (last_error_.empty()) last_error_ = line;
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
    if (job.ranks >= job_ranks_) return;
    throw Error(
        fmt::format("the launcher started {} ranks that see each other, {} were asked for: use "
                    "{{ranks}} in --launcher, "
                    "and --mpi if it belongs to another MPI library than {}",
                    job.ranks, job_ranks_, here()));
  }

  void on(const CellBegun& begun) { running_ = begun.cell; }
  void on(const CellsBegun&) { several_run_ = true; }

  void on(const CellMeasured& measured) {
    CellMeasured kept = measured;
    kept.samples_us = driver_.samples(measured.cell, measured.samples_us, request_.stop);
    Cell cell = stored_cell(kept);
    if (adaptive_) adaptive_->measured(measured.cell, times_us(cell));
    part_of(measured.cell).keep(measured.cell, std::move(cell));
    finish(measured.cell, CellStatus::kOk);
    running_.reset();
  }

  void on(const CellFailed& failed) {
    Cell cell = stored_cell(failed);
    const CellStatus status = cell.status;
    part_of(failed.cell).keep(failed.cell, std::move(cell));
    finish(failed.cell, status);
    running_.reset();
  }

  void on(const Checkpoint&) {
    checkpoint();
    several_run_ = false;
    commit(false);
  }

  void on(const JobDone&) { job_done_ = true; }

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
  std::optional<PlanCell> running_;
  double at_once_ = request_.at_once;  // 0 after a job died in several cells
  bool several_run_ = false;
  std::string last_error_;
  bool job_done_ = false;
  bool heard_ = false;  // anything of the running job
  enum class Hearing : std::uint8_t { kWell, kNextCheckpoint, kNothing };
  Hearing hearing_ = Hearing::kWell;
  std::uint64_t last_line_ = 0;     // of the running job
  bool started_well_ = false;       // its first line was heard
  bool is_damaged_ = false;         // a line of it is missing
  std::uint64_t wanted_ranks_ = 0;  // by the whole campaign
  std::uint64_t job_ranks_ = 0;     // by the running job
  std::optional<AdaptivePlan> adaptive_;
  AdaptivePlan::Round round_;
  std::chrono::steady_clock::time_point began_{};
  Worker* worker_ = nullptr;  // that takes further rounds
  std::string start_setting_;
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
        "; {} of them while others used the machine (--retry-disturbed measures these again)",
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
