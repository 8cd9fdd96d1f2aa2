// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune_by_jobs.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/streams.h"
#include "base/text.h"
#include "batch/run_jobs.h"
#include "measure/job.h"
#include "profile/profile.h"
#include "report/command_lines.h"

namespace colltree::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kHour_s = 3600;
constexpr double kUsualSpread_h = 24;  // sessions of one day resemble each other

// What is left of a time budget when none is: the job fits and verifies what is there.
constexpr double kLeastBudget_s = 1;

batch::BatchTemplate template_of(const BatchOptions& batch) {
  if (!batch.slurm.empty() && !batch.batch.empty())
    throw UsageError("--slurm and --batch both name the batch system; give one of them");
  if (!batch.slurm.empty()) return batch::slurm_template(batch.slurm);
  return batch::parse_batch_template(read_text(batch.batch, kMostModelBytes), batch.batch);
}

// Takes "--name value" and "--name=value" out.
void take_out(std::vector<std::string>& words, const std::string& name) {
  for (std::size_t i = 0; i < words.size();) {
    const bool apart = words[i] == name;
    if (!apart && !words[i].starts_with(name + "=")) {
      ++i;
      continue;
    }
    const auto at = words.begin() + static_cast<std::ptrdiff_t>(i);
    words.erase(at, at + (apart && i + 1 < words.size() ? 2 : 1));
  }
}

// The same command as it runs in a job: there with a launcher, a system whose name does not change
// with the node, and what is left of a budget of time.
std::string job_command(const TuneByJobs& tune, double used_s) {
  std::vector<std::string> words = tune.words;
  take_out(words, "--slurm");
  take_out(words, "--batch");
  take_out(words, "--spread");
  std::erase(words, "--dry-run");
  // Of a rank that dies, srun tells the others only when it is asked to: they would wait for ever.
  if (tune.measure.launcher.empty())
    words.insert(words.end(), {"--launcher", "srun --kill-on-bad-exit=1 -n {ranks}"});
  if (tune.measure.system.empty())
    words.insert(words.end(), {"--system", fs::absolute(tune.folder).filename().string()});
  const measure::Budget budget = measure::parse_budget(tune.measure.budget);
  if (budget.seconds) {
    take_out(words, "--budget");
    const double left_s = std::max(kLeastBudget_s, *budget.seconds - used_s);
    words.insert(words.end(), {"--budget", fmt::format("{:.0f}s", left_s)});
  }
  std::string text = report::shell_word(fs::read_symlink("/proc/self/exe").string());
  for (const std::string& word : words) text += " " + report::shell_word(word);
  return text;
}

std::uint64_t stored_cells(const fs::path& profile) {
  if (!fs::exists(profile)) return 0;
  const profile::Profile stored(profile, profile::OpenMode::kRead);
  std::uint64_t cells = 0;
  for (const profile::StoredCampaign& campaign : stored.campaigns()) {
    for (const profile::Cell& cell : stored.cells(campaign.id))
      if (cell.status != profile::CellStatus::kWanted) ++cells;
  }
  return cells;
}

batch::BatchRun make_run(const TuneByJobs& tune, const batch::BatchTemplate& words) {
  batch::BatchRun run;
  run.folder = fs::absolute(tune.folder).lexically_normal() / "batch";
  run.script = words.script;
  run.command = [&tune](double used_s) { return job_command(tune, used_s); };
  run.apart_s = tune.batch.spread_h.value_or(kUsualSpread_h) * kHour_s;
  run.stored_cells = [&tune] { return stored_cells(tune.folder / "profile.db"); };
  run.wait = [](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  };
  return run;
}

std::vector<measure::CampaignRequest> requests_of(const MeasureOptions& measure) {
  if (!measure.has_both_sources()) return {measure.make_request()};
  return {measure.of_library().make_request(), measure.of_portable().make_request()};
}

// How long measuring may take: the budget, or --cell-budget for every cell. None where the sizes
// are those of an allocation that is not there yet.
std::optional<double> most_seconds(const TuneByJobs& tune) {
  const MeasureOptions& options = tune.measure;
  const measure::Budget budget = measure::parse_budget(options.budget);
  if (budget.seconds) return budget.seconds;
  if (options.communicator_sizes.is_word()) return std::nullopt;
  double all = 0;
  for (const measure::CampaignRequest& request : requests_of(options)) {
    // An upper bound for the placements: only the job knows which of them a size can have.
    const std::size_t placements = std::max<std::size_t>(1, request.ranks_per_node.size());
    all += static_cast<double>(measure::plan_cells(request).size() * placements);
  }
  double cells = all * budget.share.value_or(1);
  if (budget.cells) cells = std::min(cells, static_cast<double>(*budget.cells));
  const auto there = static_cast<double>(stored_cells(tune.folder / "profile.db"));
  return std::max(0.0, cells - there) * options.stop.cell_budget_s;
}

// "up to about 0.50 h of measuring, 2 jobs of at most 0.25 h, 2.000 node hours on 4 nodes".
std::string cost_text(const TuneByJobs& tune, const batch::BatchTemplate& words, double used_s) {
  const std::optional<double> most_s = most_seconds(tune);
  std::string text = "the sizes are those of the job, so what it costs is not known";
  if (!most_s) return text;
  const double left_s = std::max(0.0, *most_s - used_s);
  text = fmt::format("up to about {:.2f} h of measuring", left_s / kHour_s);
  if (words.seconds_asked && *words.seconds_asked > 0) {
    const double jobs = std::max(1.0, std::ceil(left_s / *words.seconds_asked));
    text += fmt::format(", {:.0f} {} of at most {:.2f} h", jobs, jobs == 1 ? "job" : "jobs",
                        *words.seconds_asked / kHour_s);
  }
  if (words.nodes_asked)
    text += fmt::format(", {:.3f} node hours on {} {}",
                        left_s / kHour_s * static_cast<double>(*words.nodes_asked),
                        *words.nodes_asked, *words.nodes_asked == 1 ? "node" : "nodes");
  return text;
}

// What the intervals of the gains will hold, said before it costs anything.
std::string sessions_text(const TuneByJobs& tune) {
  if (tune.sessions == 0) return "nothing is verified";
  if (tune.sessions == 1)
    return "verified in one session, which says nothing of another day (--sessions 4)";
  return fmt::format("verified in {} sessions, at least {:g} h apart", tune.sessions,
                     tune.batch.spread_h.value_or(kUsualSpread_h));
}

void refuse_unfit(const TuneByJobs& tune) {
  if (!tune.measure.platform.empty())
    throw UsageError("--platform simulates, which needs no batch system: leave --slurm out");
  if (!tune.batch.batch.empty() && tune.measure.launcher.empty())
    throw UsageError(
        "--batch: name the command that starts ranks in a job, e.g. --launcher 'mpirun -np "
        "{ranks}'");
  if (tune.measure.launcher.empty() && tune.measure.flavour().empty() &&
      measure::built_flavours().size() > 1)
    throw UsageError(fmt::format("srun starts ranks of any MPI library; say --mpi {}",
                                 join(measure::built_flavours(), " or --mpi ")));
  if (tune.measure.communicator_sizes.is_word()) return;  // the job finds its sizes
  for (const measure::CampaignRequest& request : requests_of(tune.measure))
    static_cast<void>(measure::plan_cells(request));
}

}  // namespace

void BatchOptions::declare(CommandLine& line) {
  line.add("--slurm", slurm,
           "submit to Slurm with these options of sbatch, e.g. '-N 4 --ntasks-per-node=2 "
           "--time=30', watch the job, and continue in as many further jobs as needed");
  line.add(
      "--batch", batch,
      "the same for another batch system, which this file describes (docs/tasks/batch.md has PBS, "
      "LSF and Flux)");
  line.add("--spread", spread_h, {0, 720},
           "with --sessions: hours from the end of a session to the start of the job of the next")
      .show_default(fmt::to_string(kUsualSpread_h));
}

std::optional<measure::Allocation> BatchOptions::allocation() const {
  if (slurm.empty()) return std::nullopt;
  const batch::JobShape shape = batch::slurm_shape(slurm);
  if (!shape.nodes && !shape.ranks) return std::nullopt;
  const std::uint64_t nodes = shape.nodes.value_or(1);
  const std::uint64_t ranks = shape.ranks.value_or(nodes * shape.ranks_per_node.value_or(1));
  return measure::Allocation{ranks, shape.ranks_per_node.value_or((ranks + nodes - 1) / nodes),
                             "--slurm"};
}

void tune_by_jobs(const TuneByJobs& tune) {
  refuse_unfit(tune);
  const batch::BatchTemplate words = template_of(tune.batch);
  const batch::BatchRun run = make_run(tune, words);
  make_folder(run.folder);
  const batch::WatchLock lock(run.folder / "log");
  batch::JobLog log(run.folder / "log");
  say("{}: {}; {}\n", tune.folder.string(), cost_text(tune, words, log.used_s()),
      sessions_text(tune));
  batch::CommandBatchSystem system(words);
  const batch::JobFiles files = batch::run_jobs(run, system, log);
  fmt::print("{}", read_file(files.result));
  say("{}: {} {}, {:.3f} node hours used\n", tune.folder.string(), log.jobs().size(),
      log.jobs().size() == 1 ? "job" : "jobs", log.node_hours());
}

void plan_jobs(const TuneByJobs& tune) {
  refuse_unfit(tune);
  const batch::BatchTemplate words = template_of(tune.batch);
  const batch::BatchRun run = make_run(tune, words);
  const batch::JobLog log(run.folder / "log");
  const batch::JobFiles files = batch::write_job(run, log.jobs().size() + 1, log.used_s());
  std::string submit =
      with_value(submit_text(words, 0), "script", report::shell_word(files.script.string()));
  submit = with_value(submit, "output", report::shell_word(files.output.string()));
  fmt::print("{}: {}\n  {}\n  {}\n", files.script.string(), cost_text(tune, words, log.used_s()),
             sessions_text(tune), submit);
}

}  // namespace colltree::cli
