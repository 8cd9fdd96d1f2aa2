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

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/streams.h"
#include "measure/adaptive_plan.h"
#include "measure/library_survey.h"
#include "measure/recording.h"
#include "measure/report_line.h"
#include "measure/worker.h"
#include "profile/campaign_lock.h"

namespace colltree {

namespace {

constexpr std::chrono::milliseconds kCommitEvery(500);

// One launch may not be enough: a job that dies in a cell is started again behind it.
class CampaignRun {
 public:
  CampaignRun(const CampaignRequest& request, const Driver& driver, Profile& profile)
      : request_(request), driver_(driver), profile_(profile), info_(describe()) {
    refuse_mixed_sources(profile_, info_);
    if (!request_.system) refuse_renamed_host(profile_, info_);
    campaign_ = profile_.begin_campaign(info_);
    lock_.emplace(profile_.path(), campaign_, info_.system.name);
    if (request_.retry_failed) profile_.forget_failed(campaign_);
  }

  CampaignOutcome run() {
    std::vector<PlanCell> cells = plan_cells(request_, driver_);
    CampaignOutcome outcome{info_.system.name, cells.size()};
    wanted_ranks_ = std::ranges::max(cells, {}, &PlanCell::communicator_size).communicator_size;
    if (request_.retry_disturbed) forget_disturbed({cells.begin(), cells.end()});
    refuse_unsaid_placements();
    for (const CellKey& key : profile_.finished_cells(campaign_)) finished_.insert(plan_cell(key));
    if (request_.budget.adaptive()) start_adaptive(cells);
    outcome.failed_before = failed_before({cells.begin(), cells.end()});
    std::erase_if(cells, [&](const PlanCell& cell) { return finished_.contains(cell); });
    outcome.already = outcome.wanted - cells.size();
    if (cells.empty()) return outcome;
    driver_.arrange(cells);
    Progress progress(fmt::format("measuring {}", info_.system.name), cells.size(), "cells");
    progress_ = &progress;
    const InterruptGuard guard;
    if (adaptive_) {
      run_adaptive();
      adaptive_->conclude();
      outcome.expected_penalty = adaptive_->expected_penalty();
      outcome.predicted = adaptive_->left();
      progress.set_total(done_.size());
    } else {
      while (!cells.empty()) {
        Plan plan{driver_.job_stop_rule(request_.stop), first_job(cells), source()};
        if (!request_.ranks_per_node.empty()) plan.least_ranks = wanted_ranks_;
        launch(plan);
        std::erase_if(cells, [&](const PlanCell& cell) { return done_.contains(cell); });
      }
    }
    outcome.measured = done_.size() - failed_ - not_applicable_;
    outcome.disturbed = disturbed_;
    outcome.failed = failed_;
    outcome.not_applicable = not_applicable_;
    return outcome;
  }

 private:
  CampaignInfo describe() const {
    CampaignInfo info;
    info.system = driver_.system();
    if (request_.system) info.system.name = *request_.system;
    info.source = source();
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    info.host = host;
    info.platform_file = driver_.platform_file();
    info.options = driver_.options(request_.stop);
    return info;
  }

  std::string source() const {
    return request_.library ? std::string(name(*request_.library)) : "portable";
  }

  // Without a placement of its own, a cell that was measured with any would be taken for measured.
  void refuse_unsaid_placements() const {
    if (!request_.ranks_per_node.empty()) return;
    std::map<std::tuple<Collective, std::uint64_t, std::uint64_t, Method>, std::uint64_t> placement;
    for (const CellKey& key : profile_.finished_cells(campaign_)) {
      const Instance& at = key.instance;
      if (at.ranks_per_node == 0) continue;
      const auto [known, is_new] = placement.emplace(
          std::tuple(at.collective, at.communicator_size, at.message_size, key.method),
          at.ranks_per_node);
      if (is_new || known->second == at.ranks_per_node) continue;
      throw Error(fmt::format(
          "{}: system {} was measured with several placements; say with --ranks-per-node which of "
          "them to go on with, or give another --system",
          profile_.path().string(), info_.system.name));
    }
  }

  // With the placement where the campaign asks for placements and the cell has a regular one.
  PlanCell plan_cell(const CellKey& key) const {
    const Instance& at = key.instance;
    const bool regular = at.nodes == nodes_for(at.communicator_size, at.ranks_per_node);
    return {at.collective, at.communicator_size, at.message_size, key.method,
            regular && !request_.ranks_per_node.empty() ? at.ranks_per_node : 0};
  }

  // What the first cell's job can measure.
  std::vector<PlanCell> first_job(const std::vector<PlanCell>& cells) const {
    const std::string setting = driver_.start_setting(cells.front());
    const auto end = std::ranges::find_if(
        cells, [&](const PlanCell& cell) { return driver_.start_setting(cell) != setting; });
    return {cells.begin(), end};
  }

  std::uint64_t failed_before(const std::set<PlanCell>& wanted) const {
    const std::vector<Cell> cells = profile_.cells(campaign_);
    return static_cast<std::uint64_t>(std::ranges::count_if(cells, [&](const Cell& cell) {
      return cell.status == CellStatus::kFailed && wanted.contains(plan_cell(cell.key));
    }));
  }

  // Only what will be measured again now.
  void forget_disturbed(const std::set<PlanCell>& wanted) {
    std::vector<CellKey> keys;
    for (const Cell& cell : profile_.cells(campaign_)) {
      if (is_disturbed(cell) && wanted.contains(plan_cell(cell.key))) keys.push_back(cell.key);
    }
    profile_.forget(campaign_, keys);
  }

  // What the profile holds is known, and what it does not hold is marked as wanted.
  void start_adaptive(const std::vector<PlanCell>& wanted) {
    const AdaptivePlan::Cost cost = [this](const PlanCell& cell, double time_us) {
      return driver_.cost_s(cell, time_us, request_.stop);
    };
    adaptive_.emplace(wanted, request_.budget, cost);
    const std::set<PlanCell> all(wanted.begin(), wanted.end());
    for (const StoredCampaign& campaign : profile_.campaigns()) {
      if (campaign.info.system.name != info_.system.name) continue;
      for (const Cell& cell : profile_.cells(campaign.id)) know(cell, all);
    }
    std::vector<Cell> marks;
    for (const PlanCell& cell : wanted) {
      if (finished_.contains(cell)) continue;
      marks.push_back({CellKey{cell.instance(), 0, 0, cell.method}, CellStatus::kWanted, "", {}});
    }
    profile_.record(campaign_, marks);
  }

  void know(const Cell& cell, const std::set<PlanCell>& wanted) {
    const PlanCell at = plan_cell(cell.key);
    if (!finished_.contains(at) || !wanted.contains(at)) return;
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
    plan.least_ranks = wanted_ranks_;
    return plan;
  }

  // The running job takes the next round, unless that needs another job.
  void on(const PlanDone&) {
    commit(false);
    if (!worker_) return;
    const std::optional<Plan> plan = next_round();
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
    last_error_.clear();
    job_done_ = false;
    heard_ = false;
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
    if (job_done_ && (plan.more || done_.size() > done_before)) return;
    const std::string reason =
        end == Worker::Outcome::kSilent
            ? fmt::format("no answer for {:.0f} s", request_.silence_limit_s)
            : fmt::format("the job ended with {}", trouble.empty() ? "no result" : trouble);
    bury(reason, done_.size() > done_before);
  }

  // The job died: in a cell, which is tried once more and then recorded as failed, or outside any.
  void bury(const std::string& reason, bool advanced) {
    if (!running_) end_between_cells(reason, advanced);
    if (tried_.insert(*running_).second) return;
    pending_.push_back({CellKey{running_->instance(), 0, 0, running_->method},
                        CellStatus::kFailed,
                        last_error_.empty() ? reason : fmt::format("{}: {}", reason, last_error_),
                        {}});
    stored_up_to_ = pending_.size();
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
    if (status == CellStatus::kFailed) ++failed_;
    if (status == CellStatus::kCannotRun) ++not_applicable_;
    progress_->advance();
  }

  Worker::Heard hear(std::string_view line) {
    const auto report = parse_report_line(line);
    if (!report) {
      if (!line.starts_with(kReportPrefix)) say("{}\n", line);
      return Worker::Heard::kNoise;
    }
    heard_ = true;
    std::visit([this](const auto& event) { on(event); }, *report);
    return Worker::Heard::kSign;
  }

  void hear_error(std::string_view line) {
    if (line.find_first_not_of(" \t-") == std::string_view::npos) return;
    if (last_error_.empty()) last_error_ = line;
    if (driver_.retries()) say("{}\n", line);
  }

  // Fewer ranks than asked for would be measured as more, another library's times as this one's.
  void on(const JobStarted& job) {
    if (!driver_.retries()) return;
    const std::string mpi = short_library_name(job.mpi_library);
    if (!mpi.empty() && mpi != info_.system.mpi)
      throw Error(
          fmt::format("{}: the ranks on {} run {}, here is {}, which must not be mixed; use the "
                      "same MPI library here and there",
                      profile_.path().string(), job.host, mpi, info_.system.mpi));
    if (job.ranks >= job_ranks_) return;
    throw Error(
        fmt::format("the launcher started {} ranks that see each other, {} were asked for: use "
                    "{{ranks}} in --launcher, "
                    "and --mpi if it belongs to another MPI library than {}",
                    job.ranks, job_ranks_, info_.system.mpi));
  }

  void on(const CellBegun& begun) { running_ = begun.cell; }

  void on(const CellMeasured& measured) {
    CellMeasured kept = measured;
    kept.samples_us = driver_.samples(measured.cell, measured.samples_us, request_.stop);
    Cell cell = stored_cell(kept);
    if (is_disturbed(cell)) ++disturbed_;
    if (adaptive_) adaptive_->measured(measured.cell, times_us(cell));
    pending_.push_back(std::move(cell));
    finish(measured.cell, CellStatus::kOk);
    running_.reset();
  }

  void on(const CellFailed& failed) {
    pending_.push_back(stored_cell(failed));
    finish(failed.cell, pending_.back().status);
    running_.reset();
  }

  void on(const Checkpoint&) {
    stored_up_to_ = pending_.size();
    commit(false);
  }

  void on(const JobDone&) { job_done_ = true; }

  // Stores what lies before the last checkpoint; what lies behind it is forgotten when the job has
  // ended.
  void commit(bool job_ended) {
    const auto now = std::chrono::steady_clock::now();
    if (!job_ended && now - committed_ < kCommitEvery) return;
    committed_ = now;
    if (stored_up_to_ > 0) profile_.record(campaign_, std::span(pending_).first(stored_up_to_));
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(stored_up_to_));
    stored_up_to_ = 0;
    if (job_ended) pending_.clear();
  }

  const CampaignRequest& request_;
  const Driver& driver_;
  Profile& profile_;
  CampaignInfo info_;
  CampaignId campaign_ = 0;
  std::optional<CampaignLock> lock_;
  Progress* progress_ = nullptr;
  std::vector<Cell> pending_;
  std::size_t stored_up_to_ = 0;
  std::chrono::steady_clock::time_point committed_{};
  std::set<PlanCell> done_;
  std::set<PlanCell> tried_;
  std::uint64_t failed_ = 0;
  std::uint64_t not_applicable_ = 0;
  std::uint64_t disturbed_ = 0;
  std::optional<PlanCell> running_;
  std::string last_error_;
  bool job_done_ = false;
  bool heard_ = false;              // anything of the running job
  std::uint64_t wanted_ranks_ = 0;  // by the whole campaign
  std::uint64_t job_ranks_ = 0;     // by the running job
  std::set<PlanCell> finished_;     // before
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
  if (outcome.disturbed > 0)
    text += fmt::format(
        "; {} of them while others used the machine (--retry-disturbed measures these again)",
        outcome.disturbed);
  return text;
}

CampaignOutcome run_campaign(const CampaignRequest& request, const Driver& driver,
                             Profile& profile) {
  return CampaignRun(request, driver, profile).run();
}

}  // namespace colltree
