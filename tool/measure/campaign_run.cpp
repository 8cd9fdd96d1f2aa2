// SPDX-License-Identifier: BSD-3-Clause
#include "measure/campaign_run.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/streams.h"
#include "base/text.h"
#include "base/work.h"
#include "measure/adaptive_plan.h"
#include "measure/installed_library.h"
#include "measure/job.h"
#include "measure/stored_part.h"

namespace colltree::measure {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

// The cells that are left, in a sequence of plans that hold all of them or what the budget allows,
// and those that are stored while jobs run. A job that dies in a cell is followed by another job.
class Campaign final : JobObserver {
 public:
  // The first of `parts` is that of `part`, which starts the jobs.
  Campaign(const CampaignPart& part, const std::vector<StoredPart*>& parts,
           profile::Profile& profile, std::vector<protocol::PlanCell> cells)
      : request_(part.request),
        driver_(part.driver),
        profile_(profile),
        parts_(parts),
        cells_(std::move(cells)),
        at_once_(request_.at_once) {
    for (const protocol::PlanCell& cell : first().wanted())
      wanted_ranks_ = std::max(wanted_ranks_, cell.instance.communicator_size);
    if (request_.budget.adaptive()) start_adaptive();
  }

  void run() {
    progress_.emplace(fmt::format("measuring {}", first().system().name), cells_.size(), "cells");
    if (adaptive_) cells_.clear();  // each round chooses its own
    const InterruptGuard guard;
    while (const std::optional<protocol::Plan> plan = next(start_s_ + end_s())) launch(*plan);
    if (!adaptive_) return;
    adaptive_->conclude();
    CampaignOutcome& outcome = first().outcome();
    outcome.expected_penalty = adaptive_->expected_penalty();
    outcome.predicted = adaptive_->left();
    outcome.job_s = start_s_ + end_s();
    if (const std::string why = adaptive_->why_stopped(used_s()); !why.empty())
      outcome.stopped = fmt::format("{}: {}", adaptive_->status(used_s()), why);
    progress_->set_total(done_.size());
  }

 private:
  StoredPart& first() const { return *parts_.front(); }
  // Not yet seen, as long as the start.
  double end_s() const { return end_s_.value_or(start_s_); }
  double used_s() const { return seconds_since(request_.began); }

  // Takes in what the profile holds, and marks the other cells as wanted.
  void start_adaptive() {
    adaptive_.emplace(
        plan_cells(request_, driver_), request_.budget,
        [&driver = driver_, &stop = request_.stop](const protocol::PlanCell& cell, double us) {
          return driver.cost_s(cell, us, stop);
        });
    for (const profile::StoredCampaign& campaign : profile_.campaigns()) {
      if (campaign.info.system.name != first().system().name) continue;
      for (const profile::Cell& cell : profile_.cells(campaign.id)) {
        const protocol::PlanCell planned = first().plan_cell(cell.key);
        if (first().finished().contains(planned) && first().wanted().contains(planned))
          teach(planned, cell);
      }
    }
    std::vector<profile::Cell> marks;
    for (const protocol::PlanCell& cell : first().wanted()) {
      if (first().finished().contains(cell)) continue;
      marks.push_back({profile::CellKey{cell.instance, 0, 0, cell.method},
                       profile::CellStatus::kWanted,
                       "",
                       {}});
    }
    profile_.record(first().campaign(), marks);
  }

  void teach(const protocol::PlanCell& planned, const profile::Cell& cell) {
    if (cell.status == profile::CellStatus::kFailed ||
        cell.status == profile::CellStatus::kCannotRun)
      adaptive_->cannot_run(planned);
    if (cell.status == profile::CellStatus::kOk && !cell.samples.empty())
      adaptive_->measured(planned, profile::times_us(cell));
  }

  // The cells of the next job, or of the running job's next round; nothing: the campaign ends.
  // `job_s`: what the job takes besides its cells, which a budget of time must hold, too.
  std::optional<protocol::Plan> next(double job_s) {
    std::erase_if(cells_, [&](const protocol::PlanCell& cell) { return done_.contains(cell); });
    if (cells_.empty() && adaptive_) {
      AdaptivePlan::Round round = adaptive_->next(used_s(), job_s);
      cells_ = std::move(round.cells);
      contested_ = round.contested;
    }
    const double left_s = request_.budget.seconds.value_or(INFINITY) - used_s() - job_s;
    if (left_s <= 0) cells_.clear();  // they wait for another job
    if (cells_.empty()) return std::nullopt;
    if (adaptive_) show_progress();
    driver_.arrange(cells_);
    protocol::Plan plan{driver_.job_stop_rule(stop_rule(left_s)), first_job(), source_of(request_)};
    plan.more = adaptive_.has_value();
    plan.at_once = at_once_;
    if (plan.more || !request_.ranks_per_node.empty() || at_once_ > 0)
      plan.least_ranks = wanted_ranks_;
    return plan;
  }

  protocol::StopRule stop_rule(double left_s) const {
    protocol::StopRule stop = request_.stop;
    if (!contested_) stop.max_samples = stop.min_samples;
    // A cell is measured up to three times. A cell fails where ten times its limit is not enough
    // for a common start, so the limit does not become arbitrarily short.
    constexpr double kMostTimes = 3;
    constexpr double kShareOfBudget = 0.02;
    constexpr double kLeastLimit_s = 0.1;
    const double share_s = std::min(kShareOfBudget * request_.budget.seconds.value_or(INFINITY),
                                    left_s / (kMostTimes * static_cast<double>(cells_.size())));
    stop.cell_budget_s = std::min(stop.cell_budget_s, std::max(kLeastLimit_s, share_s));
    return stop;
  }

  // The cells that the first cell's job can measure.
  std::vector<protocol::PlanCell> first_job() const {
    const std::string setting = driver_.start_setting(cells_.front());
    const auto end = std::ranges::find_if(cells_, [&](const protocol::PlanCell& cell) {
      return driver_.start_setting(cell) != setting;
    });
    return {cells_.begin(), end};
  }

  void show_progress() {
    progress_->set_note(adaptive_->status(used_s()));
    if (const double used = adaptive_->used(used_s()); used > 0.01)
      progress_->set_total(
          static_cast<std::uint64_t>(static_cast<double>(done_.size()) / std::min(1.0, used)));
  }

  void launch(const protocol::Plan& plan) {
    // Beside the profile: a file system that the job's nodes see too.
    const TransientFile plan_file(fmt::format("{}.plan-{}", profile_.path().string(), ::getpid()),
                                  job_text(plan));
    const std::size_t done_before = done_.size();
    launched_ = Clock::now();
    ending_.reset();
    const JobOutcome end =
        run_job(plan, plan_file.name(), driver_, request_.silence_limit_s, *this);
    if (ending_) end_s_ = std::max(end_s_.value_or(0), seconds_since(*ending_));
    commit(true);
    if (end.is_interrupted) {
      throw Error(fmt::format("interrupted; {} cells are in {}, the same command continues",
                              done_.size(), profile_.path().string()));
    }
    const bool advanced = done_.size() > done_before;
    const std::string setting(setting_of(plan.cells.front().method));
    if (end.is_done && (advanced || (plan.more && !end.is_damaged))) return;
    if (!setting.empty() && is_hopeless(setting, end, advanced)) return give_up(setting, end);
    record_death(end, advanced);
  }

  // The job does not start under this setting, or nothing runs in it.
  bool is_hopeless(const std::string& setting, const JobOutcome& end, bool advanced) {
    constexpr std::size_t kMostDeaths = 4;  // in a row; each cell is tried twice
    std::size_t& deaths = deaths_[setting];
    deaths = advanced ? 0 : deaths + 1;
    return deaths > kMostDeaths || (!end.cell && !end.several_cells && !advanced);
  }

  // What is left of it is recorded as failed, and the campaign goes on without it.
  void give_up(const std::string& setting, const JobOutcome& end) {
    const std::string why = concat(end.reason, end.said.empty() ? "" : ": ", end.said);
    say(fmt::format("{}: setting {} is given up: {}\n", first().system().name, setting, why));
    for (const protocol::PlanCell& cell : first().wanted()) {
      if (setting_of(cell.method) != setting || first().finished().contains(cell) ||
          done_.contains(cell))
        continue;
      store(cell, stored_cell(failed_cell(cell, why)));
    }
    checkpoint();
    commit(true);
  }

  static std::string reason_of(const JobOutcome& end) {
    return end.first_error.empty() ? end.reason
                                   : fmt::format("{}: {}", end.reason, end.first_error);
  }

  // The job died: in a cell, which is tried once more and then recorded as failed, or outside any.
  void record_death(const JobOutcome& end, bool advanced) {
    // Which of several cells it was is not known: they are measured one at a time.
    if (end.several_cells) {
      at_once_ = 0;
      say(fmt::format(
          "{} while several cells were measured at once; the others are measured one at a "
          "time\n",
          end.first_error.empty() ? end.reason : end.first_error));
      return;
    }
    if (!end.cell) end_between_cells(end, advanced);
    const protocol::PlanCell& cell = *end.cell;
    if (tried_.insert(cell).second) return;
    store(cell, stored_cell(failed_cell(cell, reason_of(end))));
    checkpoint();
    commit(true);
  }

  // If the launcher starts nothing, its message may have a remedy of its own.
  [[noreturn]] void end_between_cells(const JobOutcome& end, bool advanced) const {
    std::string detail = end.first_error.empty() ? end.reason : end.first_error;
    if (const std::string remedy = launcher_remedy(detail); !remedy.empty()) throw Error(remedy);
    if (detail.ends_with('.')) detail.pop_back();
    if (advanced)
      throw Error(fmt::format("{} between two cells; the same command continues", detail));
    if (end.has_reported || end.first_error.empty())
      throw Error(fmt::format("{} before its first cell; the same command continues", detail));
    // The message of a simulator that refuses names the remedy, that of one that crashes does not.
    if (driver_.retries() || !end.reason.ends_with("exit code 1"))
      throw Error(fmt::format(
          "{}: the job did not start; if that passes, the same command continues", detail));
    throw Error(detail);
  }

  // Fewer ranks than asked for would be measured as more, another library's times as this one's.
  void started(const protocol::JobStarted& job, std::uint64_t asked_ranks) override {
    start_s_ = std::max(start_s_, seconds_since(launched_));
    if (!driver_.retries()) return;
    const std::string& here = first().system().mpi;
    const std::string mpi = short_library_name(job.mpi_library);
    if (!mpi.empty() && mpi != here)
      throw Error(
          fmt::format("{}: the ranks on {} run {}, here is {}, which must not be mixed; use the "
                      "same MPI library here and there",
                      profile_.path().string(), job.host, mpi, here));
    if (job.ranks >= asked_ranks) return;
    throw Error(
        fmt::format("the launcher started {} ranks that see each other, {} were asked for: use "
                    "{{ranks}} in --launcher, "
                    "and --mpi if it belongs to another MPI library than {}",
                    job.ranks, asked_ranks, here));
  }

  void finished(const protocol::CellResult& result) override {
    protocol::CellResult kept = result;
    if (!kept.failure)
      kept.samples_us = driver_.samples(result.cell, result.samples_us, request_.stop);
    store(result.cell, stored_cell(kept));
  }

  void checkpoint() override {
    for (StoredPart* part : parts_) part->checkpoint();
    commit(false);
  }

  // Cells that no checkpoint followed are measured again, with all that belong to them.
  void output_lost() override {
    for (StoredPart* part : parts_) {
      const std::vector<protocol::PlanCell> forgotten = part->forget_unstored();
      for (const protocol::PlanCell& cell : forgotten) done_.erase(cell);
      progress_->take_back(forgotten.size());
    }
  }

  std::optional<protocol::Plan> next_plan() override {
    commit(false);
    std::optional<protocol::Plan> plan = next(end_s());
    if (!plan) ending_ = Clock::now();
    return plan;
  }

  void store(const protocol::PlanCell& planned, profile::Cell cell) {
    done_.insert(planned);
    if (adaptive_) teach(planned, cell);
    (planned.portable ? parts_.back() : parts_.front())->keep(planned, std::move(cell));
    progress_->advance();
  }

  void commit(bool job_ended) {
    constexpr std::chrono::milliseconds kCommitEvery(500);
    const auto now = Clock::now();
    if (!job_ended && now - committed_ < kCommitEvery) return;
    committed_ = now;
    for (StoredPart* part : parts_) part->commit();
    if (job_ended) output_lost();
  }

  const CampaignRequest& request_;
  const Driver& driver_;
  profile::Profile& profile_;
  std::vector<StoredPart*> parts_;         // one, or the library's and the portable one
  std::vector<protocol::PlanCell> cells_;  // that are left; adaptive: of the round
  bool contested_ = true;                  // the decision depends on them: they get all samples
  std::uint64_t wanted_ranks_ = 0;         // by the whole campaign
  std::optional<AdaptivePlan> adaptive_;
  std::set<protocol::PlanCell> done_;
  std::set<protocol::PlanCell> tried_;
  std::map<std::string, std::size_t> deaths_;  // by setting, of jobs in a row that got nowhere
  double at_once_;                             // 0 after a job died in several cells
  std::optional<Progress> progress_;           // once it runs
  Clock::time_point committed_{};
  Clock::time_point launched_{};
  std::optional<Clock::time_point> ending_;  // since when the job has nothing left to measure
  double start_s_ = 0;                       // of the slowest job: until its first report
  std::optional<double> end_s_;              // from its last plan until it had ended
};

void measure_missing(const CampaignPart& part, const std::vector<StoredPart*>& parts,
                     profile::Profile& profile) {
  std::vector<protocol::PlanCell> cells;
  for (StoredPart* stored : parts) {
    const std::vector<protocol::PlanCell> missing = stored->missing_cells();
    cells.insert(cells.end(), missing.begin(), missing.end());
  }
  // An instance's methods are neighbours, whatever their source.
  if (parts.size() > 1) std::ranges::stable_sort(cells, {}, &protocol::PlanCell::instance);
  const bool is_complete = cells.empty();
  Campaign campaign(part, parts, profile, std::move(cells));
  if (!is_complete) campaign.run();
}

}  // namespace

std::string outcome_text(const CampaignOutcome& outcome) {
  std::string text = fmt::format("{} cells measured, {} there before, {} failed", outcome.measured,
                                 outcome.already, outcome.failed);
  if (outcome.failed_before > 0)
    text += fmt::format(", {} of those there before", outcome.failed_before);
  if (outcome.failed + outcome.failed_before > 0) text += " (--retry failed tries these again)";
  if (outcome.not_applicable > 0)
    text += fmt::format(", {} not applicable", outcome.not_applicable);
  if (outcome.predicted > 0) text += fmt::format(", {} left to be predicted", outcome.predicted);
  if (outcome.expected_penalty)
    text += fmt::format("; expected penalty of the best known {:.2g} %",
                        100 * *outcome.expected_penalty);
  if (!outcome.stopped.empty()) text += fmt::format("; it ended early, at {}", outcome.stopped);
  if (outcome.disturbed > 0)
    text += fmt::format(
        "; {} of them while others used the machine or ranks shared cores (--retry disturbed "
        "measures these again)",
        outcome.disturbed);
  return text;
}

CampaignOutcome run_campaign(const CampaignRequest& request, const Driver& driver,
                             profile::Profile& profile) {
  StoredPart stored({request, driver}, profile, false);
  measure_missing({request, driver}, {&stored}, profile);
  return stored.outcome();
}

BothOutcomes run_campaigns(const CampaignPart& library, const CampaignPart& portable,
                           profile::Profile& profile) {
  StoredPart library_part(library, profile, false);
  StoredPart ours(portable, profile, true);
  measure_missing(library, {&library_part, &ours}, profile);
  return {library_part.outcome(), ours.outcome()};
}

}  // namespace colltree::measure
