// SPDX-License-Identifier: BSD-3-Clause
#include "measure/campaign_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/streams.h"
#include "coll/catalogue.h"
#include "measure/report_line.h"
#include "measure/worker.h"

namespace colltree {

namespace {

std::vector<Method> methods_of_library(const CampaignRequest& request, Collective collective) {
  ParameterValues values = request.parameters;
  values.nonblocking = values.nonblocking || !request.methods.empty();  // they can be named
  std::vector<Method> methods =
      library_methods(*request.library, collective, request.segment_sizes, values);
  methods.push_back({kDefaultAlgorithm, std::nullopt});
  return request.methods.empty() ? methods : select_methods(request.methods, methods);
}

std::vector<Method> methods_of(const CampaignRequest& request, Collective collective) {
  if (request.library) return methods_of_library(request, collective);
  if (!request.methods.empty())
    return parse_methods(request.methods, collective, request.segment_sizes, request.parameters);
  std::vector<Method> methods =
      portable_methods(collective, request.segment_sizes, request.parameters);
  methods.push_back({kDefaultAlgorithm, std::nullopt});
  return methods;
}

}  // namespace

std::vector<PlanCell> plan_cells(const CampaignRequest& request) {
  std::vector<PlanCell> cells;
  for (const Collective collective : request.collectives) {
    if (!request.library && portable_methods(collective, request.segment_sizes).empty()) {
      throw Error(
          fmt::format("there is no portable method of {}; --collective all measures all that have "
                      "one",
                      name(collective)));
    }
    const std::vector<Method> methods = methods_of(request, collective);
    for (const std::uint64_t communicator_size : request.grid.communicator_sizes) {
      for (const std::uint64_t message_size : message_sizes_of(collective, request.grid)) {
        const Instance instance{collective, communicator_size, message_size};
        for (const Method& method : request.library ? segmented_below(methods, message_size)
                                                    : applicable_methods(methods, instance)) {
          cells.push_back({collective, communicator_size, message_size, method});
        }
      }
    }
  }
  if (cells.empty()) throw Error("the grid is empty: no method can run at any of its instances");
  return cells;
}

std::vector<PlanCell> plan_cells(const CampaignRequest& request, const Driver& driver) {
  std::vector<PlanCell> cells = plan_cells(request);
  const auto gone =
      std::ranges::stable_partition(cells, [&](const PlanCell& cell) { return driver.has(cell); });
  const bool named = !request.methods.empty();
  if (!gone.empty() && (named || gone.size() == cells.size())) {
    const PlanCell& cell = gone.front();
    throw Error(
        fmt::format("{} has no {} algorithm '{}'; colltree methods --source {} says since when",
                    driver.system().mpi, name(cell.collective), cell.method.name(),
                    request.library ? name(*request.library) : "portable"));
  }
  cells.erase(gone.begin(), gone.end());
  return cells;
}

namespace {

constexpr std::chrono::milliseconds kCommitEvery(500);

// One launch may not be enough: a job that dies in a cell is started again behind it.
class CampaignRun {
 public:
  CampaignRun(const CampaignRequest& request, const Driver& driver, Profile& profile)
      : request_(request), driver_(driver), profile_(profile), info_(describe()) {
    refuse_mixed_sources();
    campaign_ = profile_.begin_campaign(info_);
    if (request_.retry_failed) profile_.forget_failed(campaign_);
  }

  CampaignOutcome run() {
    std::vector<PlanCell> cells = plan_cells(request_, driver_);
    CampaignOutcome outcome{info_.system.name, cells.size()};
    if (request_.retry_disturbed) forget_disturbed({cells.begin(), cells.end()});
    std::set<PlanCell> finished;
    for (const CellKey& key : profile_.finished_cells(campaign_)) finished.insert(plan_cell(key));
    std::erase_if(cells, [&](const PlanCell& cell) { return finished.contains(cell); });
    outcome.already = outcome.wanted - cells.size();
    if (cells.empty()) return outcome;
    driver_.arrange(cells);
    Progress progress(fmt::format("measuring {}", info_.system.name), cells.size(), "cells");
    progress_ = &progress;
    const InterruptGuard guard;
    while (!cells.empty()) {
      launch(first_job(cells));
      std::erase_if(cells, [&](const PlanCell& cell) { return done_.contains(cell); });
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

  // Methods of different sources may have the same name.
  void refuse_mixed_sources() const {
    for (const StoredCampaign& other : profile_.campaigns()) {
      if (other.info.system.name != info_.system.name || other.info.source == info_.source)
        continue;
      throw Error(fmt::format(
          "{}: system {} holds timings of {} methods; give those of {} another name with --system",
          profile_.path().string(), info_.system.name, other.info.source, info_.source));
    }
  }

  static PlanCell plan_cell(const CellKey& key) {
    return {key.instance.collective, key.instance.communicator_size, key.instance.message_size,
            key.method};
  }

  // What the first cell's job can measure.
  std::vector<PlanCell> first_job(const std::vector<PlanCell>& cells) const {
    const std::string setting = driver_.start_setting(cells.front());
    const auto end = std::ranges::find_if(
        cells, [&](const PlanCell& cell) { return driver_.start_setting(cell) != setting; });
    return {cells.begin(), end};
  }

  // Only what will be measured again now.
  void forget_disturbed(const std::set<PlanCell>& wanted) {
    std::vector<CellKey> keys;
    for (const Cell& cell : profile_.cells(campaign_)) {
      if (is_disturbed(cell) && wanted.contains(plan_cell(cell.key))) keys.push_back(cell.key);
    }
    profile_.forget(campaign_, keys);
  }

  void launch(const std::vector<PlanCell>& cells) {
    const Plan plan{driver_.job_stop_rule(request_.stop), cells, source()};
    // Beside the profile: a file system that the job's nodes see too.
    const TransientFile plan_file(fmt::format("{}.plan-{}", profile_.path().string(), ::getpid()),
                                  write_plan(plan));
    running_.reset();
    last_error_.clear();
    job_done_ = false;
    const std::size_t done_before = done_.size();
    wanted_ranks_ = std::ranges::max(cells, {}, &PlanCell::communicator_size).communicator_size;
    Worker worker(driver_.command(plan, plan_file.name()));
    const Worker::Outcome end = worker.read(
        request_.silence_limit_s, interrupted, [this](std::string_view line) { return hear(line); },
        [this](std::string_view line) { hear_error(line); });
    const std::string trouble = worker.wait();
    commit(true);
    if (end == Worker::Outcome::kInterrupted) {
      throw Error(fmt::format("interrupted; {} cells are in {}, the same command continues",
                              done_.size(), profile_.path().string()));
    }
    if (job_done_ && done_.size() > done_before) return;
    const std::string reason =
        end == Worker::Outcome::kSilent
            ? fmt::format("no answer for {:.0f} s", request_.silence_limit_s)
            : fmt::format("the job ended with {}", trouble.empty() ? "no result" : trouble);
    bury(reason, done_.size() > done_before);
  }

  // The job died: in a cell, which is tried once more and then recorded as failed, or outside any.
  void bury(const std::string& reason, bool advanced) {
    if (!running_) {
      const std::string detail = last_error_.empty() ? reason : last_error_;
      throw Error(advanced ? fmt::format("{} between two cells; the same command continues", detail)
                           : detail);
    }
    if (driver_.retries() && tried_.insert(*running_).second) return;
    pending_.push_back({CellKey{running_->instance(), 0, 0, running_->method},
                        CellStatus::kFailed,
                        last_error_.empty() ? reason : fmt::format("{}: {}", reason, last_error_),
                        {}});
    stored_up_to_ = pending_.size();
    finish(*running_, CellStatus::kFailed);
    commit(true);
  }

  void finish(const PlanCell& cell, CellStatus status) {
    done_.insert(cell);
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
    std::visit([this](const auto& event) { on(event); }, *report);
    return Worker::Heard::kSign;
  }

  void hear_error(std::string_view line) {
    if (line.find_first_not_of(" \t-") == std::string_view::npos) return;
    if (last_error_.empty()) last_error_ = line;
    if (driver_.retries()) say("{}\n", line);
  }

  // Fewer ranks than asked for would be measured as more.
  void on(const JobStarted& job) {
    if (!driver_.retries() || job.ranks >= wanted_ranks_) return;
    throw Error(
        fmt::format("the launcher started {} ranks that see each other, {} were asked for: use "
                    "{{ranks}} in --launcher, "
                    "and --mpi if it belongs to another MPI library than {}",
                    job.ranks, wanted_ranks_, info_.system.mpi));
  }

  void on(const CellBegun& begun) { running_ = begun.cell; }

  void on(const CellMeasured& measured) {
    Cell cell;
    cell.key = {measured.cell.instance(), measured.count, measured.type_size, measured.cell.method};
    cell.key.instance.nodes = measured.nodes;
    cell.key.instance.ranks_per_node = measured.ranks_per_node;
    for (const double time_us :
         driver_.samples(measured.cell, measured.samples_us, request_.stop)) {
      cell.samples.push_back({static_cast<std::int64_t>(cell.samples.size()), time_us});
    }
    if (measured.foreign_load > 0) {
      cell.reason = fmt::format("others used {:.0f} % of the cores", 100 * measured.foreign_load);
      ++disturbed_;
    }
    pending_.push_back(std::move(cell));
    finish(measured.cell, CellStatus::kOk);
    running_.reset();
  }

  void on(const CellFailed& failed) {
    const CellStatus status = failed.cannot_run ? CellStatus::kCannotRun : CellStatus::kFailed;
    pending_.push_back(
        {CellKey{failed.cell.instance(), 0, 0, failed.cell.method}, status, failed.reason, {}});
    finish(failed.cell, status);
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
  std::uint64_t wanted_ranks_ = 0;  // by the running job
};

}  // namespace

std::string outcome_text(const CampaignOutcome& outcome) {
  std::string text = fmt::format("{} cells measured, {} there before, {} failed", outcome.measured,
                                 outcome.already, outcome.failed);
  if (outcome.not_applicable > 0)
    text += fmt::format(", {} not applicable", outcome.not_applicable);
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
