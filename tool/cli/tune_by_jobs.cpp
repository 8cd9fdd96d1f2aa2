// SPDX-License-Identifier: BSD-3-Clause
#include "cli/tune_by_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/streams.h"
#include "base/text.h"
#include "batch/job_log.h"
#include "batch/submission.h"
#include "cli/tune_verdict.h"
#include "measure/job.h"
#include "profile/profile.h"
#include "report/command_lines.h"

namespace colltree::cli {

namespace fs = std::filesystem;

namespace {

constexpr double kHour_s = 3600;
constexpr double kUsualSpread_h = 24;  // sessions of one day resemble each other

// When the budget is used up, a job still fits and verifies what is there.
constexpr double kLeastBudget_s = 1;

constexpr const char* kInJob = "COLLTREE_BATCH_JOB";  // in the environment of a job's commands

double now_s() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

// The jobs of a campaign and the command on the login node communicate by these files.
struct JobFiles {
  explicit JobFiles(const fs::path& tuned)
      : folder(fs::absolute(tuned).lexically_normal() / "batch") {}
  fs::path script() const { return folder / "job.sh"; }
  fs::path output(std::size_t number) const { return folder / fmt::format("job-{}.out", number); }
  fs::path submitted() const { return folder / "jobs"; }  // names, a line each
  fs::path progress() const { return folder / "progress"; }

  fs::path folder;
};

// The same command, in a job.
void write_script(const TuneByJobs& tune, const batch::BatchTemplate& system) {
  std::vector<std::string> words = tune.words;
  std::erase(words, "--dry-run");
  std::string command = fmt::format(
      "cd {} || exit 1\nexport {}=1\n{}", report::shell_word(fs::current_path().string()), kInJob,
      report::shell_word(fs::read_symlink("/proc/self/exe").string()));
  for (const std::string& word : words) command += " " + report::shell_word(word);
  const JobFiles files(tune.folder);
  make_folder(files.folder);
  write_file(files.script(), with_value(system.script, "command", command));
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

// Returns the most cells that the campaign will measure, or nothing where a budget or the sizes of
// an allocation that is not there yet decide it.
std::optional<double> most_cells(const TuneByJobs& tune) {
  const MeasureOptions& options = tune.measure;
  const measure::Budget budget = measure::parse_budget(options.budget);
  if (budget.seconds || options.communicator_sizes.is_auto()) return std::nullopt;
  double cells = 0;
  for (const MeasureOptions& source : options.sources()) {
    const measure::CampaignRequest request = source.make_request();
    // An upper bound for the placements: only the job knows which of them a size can have.
    const std::size_t placements = std::max<std::size_t>(1, request.ranks_per_node.size());
    cells += static_cast<double>(measure::plan_cells(request).size() * placements);
  }
  cells *= budget.share.value_or(1);
  return budget.cells ? std::min(cells, static_cast<double>(*budget.cells)) : cells;
}

// When the campaign last stored something; 0: it has stored nothing.
double last_stored_s(const fs::path& folder) {
  std::error_code error;
  const auto written = fs::last_write_time(folder / "profile.db", error);
  if (error) return 0;
  const auto since = std::chrono::file_clock::to_sys(written).time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

struct Standing {
  double cells = 0;   // that are stored
  double used_s = 0;  // by jobs
  // The rest of the budget, or the time of the other cells at the rate so far. Before there is a
  // rate, every cell counts with its time limit.
  std::optional<double> left_s;
};

Standing standing_of(const TuneByJobs& tune, const batch::JobLog& log) {
  Standing standing{
      static_cast<double>(stored_cells(tune.folder / "profile.db")), log.used_s(), {}};
  if (log.open_start_s())
    standing.used_s += std::max(0.0, last_stored_s(tune.folder) - *log.open_start_s());
  const bool has_rate = standing.cells > 0 && standing.used_s > 0;
  standing.left_s = measure::parse_budget(tune.measure.budget).seconds;
  if (standing.left_s) {
    *standing.left_s -= standing.used_s;
  } else if (const std::optional<double> most = most_cells(tune)) {
    standing.left_s = (*most - standing.cells) * (has_rate ? standing.used_s / standing.cells
                                                           : tune.measure.stop.cell_budget_s);
  }
  if (standing.left_s) standing.left_s = std::max(0.0, *standing.left_s);
  return standing;
}

std::string counted(double count, const char* name) {
  return fmt::format("{:.0f} {}{}", count, name, count == 1 ? "" : "s");
}

// "up to about 0.50 h of measuring left, 2 jobs of at most 0.25 h, 2.000 node hours on 4 nodes".
std::string left_text(const Standing& standing, const batch::BatchTemplate& system) {
  if (!standing.left_s) return "the sizes or the budget do not say how much is left";
  const double left_h = *standing.left_s / kHour_s;
  std::string text = fmt::format("up to about {:.2f} h of measuring left", left_h);
  if (system.seconds_asked.value_or(0) > 0) {
    const double limit_h = *system.seconds_asked / kHour_s;
    text += fmt::format(", {} of at most {:.2f} h",
                        counted(std::max(1.0, std::ceil(left_h / limit_h)), "job"), limit_h);
  }
  if (system.nodes_asked) {
    const auto nodes = static_cast<double>(*system.nodes_asked);
    text += fmt::format(", {:.3f} node hours on {}", left_h * nodes, counted(nodes, "node"));
  }
  return text;
}

double spread_s(const TuneByJobs& tune) {
  return tune.batch.spread_h.value_or(kUsualSpread_h) * kHour_s;
}

// The user reads before it costs anything what the intervals of the gains will hold.
std::string sessions_text(const TuneByJobs& tune) {
  if (tune.sessions == 0) return "nothing is verified";
  if (tune.sessions == 1)
    return "verified in one session, which says nothing of another day (--sessions 4)";
  return fmt::format("verified in {} sessions, {:g} h apart", tune.sessions,
                     spread_s(tune) / kHour_s);
}

void refuse_unfit(const TuneByJobs& tune) {
  if (!tune.measure.platform.empty())
    throw UsageError("--platform simulates, which needs no batch system: leave --batch out");
  if (!tune.batch.slurm() && tune.measure.launcher.empty())
    throw UsageError(
        "--batch: name the command that starts ranks in a job, e.g. --launcher 'mpirun -np "
        "{ranks}'");
  if (tune.measure.launcher.empty() && tune.measure.flavour().empty() &&
      measure::built_flavours().size() > 1)
    throw UsageError(fmt::format("srun starts ranks of any MPI library; say --mpi {}",
                                 join(measure::built_flavours(), " or --mpi ")));
  if (tune.measure.communicator_sizes.is_auto()) return;  // the job finds its sizes
  for (const MeasureOptions& source : tune.measure.sources())
    static_cast<void>(measure::plan_cells(source.make_request()));
}

// These jobs measure, each behind the one before; the last of them also has the first session.
std::size_t measuring_jobs(const TuneByJobs& tune) {
  return std::max<std::size_t>(1, tune.measure.jobs);
}
// Each further session is a job of its own.
std::size_t all_jobs(const TuneByJobs& tune) {
  return measuring_jobs(tune) + std::max<std::size_t>(1, tune.sessions) - 1;
}

// Throws where the command or the system's template does not fit.
batch::BatchTemplate template_of(const TuneByJobs& tune) {
  refuse_unfit(tune);
  const auto slurm = tune.batch.slurm();
  const std::string& file = tune.batch.system;
  batch::BatchTemplate system =
      slurm ? batch::slurm_template(*slurm)
            : batch::parse_batch_template(read_text(file, kMostModelBytes), file);
  const char* missing = all_jobs(tune) > 1 && system.dependency.empty() ? "dependency"
                        : tune.sessions > 1 && system.begin.empty()     ? "begin"
                                                                        : nullptr;
  if (missing != nullptr)
    throw Error(
        fmt::format("{}: has no line '{}', by which one job follows another; add it "
                    "(docs/tasks/batch.md), or submit one job, without --jobs and --sessions",
                    system.name, missing));
  return system;
}

std::string cancel_text(const batch::BatchTemplate& system, const std::vector<std::string>& jobs) {
  const std::string cancel = batch::cancel_command(system, jobs);
  return cancel.empty() ? "" : fmt::format(" (cancel them with '{}')", cancel);
}

// The seconds from now before which the jobs behind the first `submitted` must not start.
std::vector<std::uint64_t> begins_in_s(const TuneByJobs& tune, const batch::JobLog& log,
                                       std::size_t submitted) {
  if (submitted >= all_jobs(tune)) return {};
  std::size_t first = std::max(measuring_jobs(tune), submitted);  // that waits
  double begin_s = spread_s(tune);
  if (tune.sessions > 1 && log.session_end_s()) {
    first = submitted;
    begin_s = std::max(0.0, begin_s + *log.session_end_s() - now_s());
  }
  std::vector<std::uint64_t> begins_s(std::min(first, all_jobs(tune)) - submitted, 0);
  for (std::size_t job = first; job < all_jobs(tune); ++job, begin_s += spread_s(tune))
    begins_s.push_back(static_cast<std::uint64_t>(std::ceil(begin_s)));
  return begins_s;
}

// If the system took some of the jobs, the error names them and says what can be done.
[[noreturn]] void stop_submitting(const TuneByJobs& tune, const batch::BatchTemplate& system,
                                  const std::vector<std::string>& jobs, const Error& refusal) {
  if (jobs.empty()) throw refusal;
  throw Error(
      fmt::format("job {} of {}: {}; submitted are {}{}; rerun the same command to submit the "
                  "others (if those have ended and are no longer known there, remove {} first)",
                  jobs.size() + 1, all_jobs(tune), refusal.what(), join(jobs, " "),
                  cancel_text(system, jobs), JobFiles(tune.folder).submitted().string()));
}

// Stores each name at once: after a failure, or a kill, the same command submits the others.
std::vector<std::string> submit_missing(const TuneByJobs& tune, const batch::BatchTemplate& system,
                                        batch::JobLog& log) {
  const JobFiles files(tune.folder);
  std::vector<std::string> jobs = batch::submitted_jobs(files.submitted());
  const std::size_t before = jobs.size();
  if (before >= all_jobs(tune)) return jobs;
  write_script(tune, system);
  const bool was_finished = log.is_finished();
  if (was_finished) log.add(batch::JobEvent::kReopened, now_s());
  for (const std::uint64_t begin_in_s : begins_in_s(tune, log, before)) {
    // The jobs of a finished campaign have ended, or end at once.
    const bool waits = !jobs.empty() && !(was_finished && jobs.size() == before);
    try {
      jobs.push_back(batch::submit(system, {files.script(), files.output(jobs.size() + 1),
                                            waits ? jobs.back() : "", begin_in_s}));
      write_file(files.submitted(), join(jobs, "\n") + "\n");
    } catch (const Error& refusal) {
      stop_submitting(tune, system, jobs, refusal);
    }
  }
  say(fmt::format("{}: {}\n", tune.folder.string(), sessions_text(tune)));
  return jobs;
}

void print_standing(const TuneByJobs& tune, const batch::BatchTemplate& system,
                    const std::vector<std::string>& jobs, const batch::JobLog& log) {
  const Standing standing = standing_of(tune, log);
  const std::string folder = tune.folder.string();
  std::string text =
      fmt::format("{} measured in {:.2f} h; {} of {} jobs started", counted(standing.cells, "cell"),
                  standing.used_s / kHour_s, log.jobs(), jobs.size());
  if (standing.cells > 0 && standing.used_s > 0)
    text += fmt::format("; {:.0f} cells an hour", standing.cells / standing.used_s * kHour_s);
  if (!log.is_finished()) {
    fmt::print("{}: {}; {}\n", folder, text, left_text(standing, system));
    fmt::print("{}: submitted: {}{}; a larger --jobs submits more\n", folder, join(jobs, " "),
               cancel_text(system, jobs));
    return;
  }
  fmt::print("{}: finished: {}\n", folder, text);
  const bool both = tune.measure.has_both_sources();
  for (const MeasureOptions& source : tune.measure.sources())
    fmt::print("{}", read_text((both ? tune.folder / source.source : tune.folder) / kVerdictFile));
}

// Sessions without time between them count as one session, however many they are.
bool is_too_early(const TuneByJobs& tune, const batch::JobLog& log) {
  return tune.sessions > 1 && log.session_end_s() &&
         now_s() - *log.session_end_s() < spread_s(tune) / 2;
}

// All jobs share one budget of time, and a job has its own way to start ranks.
void adapt_to_job(const TuneByJobs& tune, const batch::JobLog& log, MeasureOptions& options) {
  // Without that option srun leaves the other ranks waiting for one that died.
  if (options.launcher.empty()) options.launcher = "srun --kill-on-bad-exit=1 -n {ranks}";
  // The host's name changes with the node.
  if (options.system.empty()) options.system = fs::absolute(tune.folder).filename().string();
  const auto budget_s = measure::parse_budget(options.budget).seconds;
  if (!budget_s) return;
  const double left_s = std::max(kLeastBudget_s, *budget_s - log.used_s());
  options.budget = fmt::format("{:.0f}s", left_s);
  say(fmt::format("{}: {:.2f} h of the budget are left\n", tune.folder.string(), left_s / kHour_s));
}

}  // namespace

void BatchOptions::declare(CLI::App& app) {
  app.add_option(
      "--batch", system,
      "submit --jobs jobs, each of which continues the campaign, and once they are submitted print "
      "where it stands: to Slurm with options of sbatch, e.g. 'slurm -N 4 --ntasks-per-node=2 "
      "--time=30', or to the batch system that this file describes (docs/tasks/batch.md has PBS, "
      "LSF and Flux)");
}

std::optional<std::string> BatchOptions::slurm() const {
  constexpr std::string_view kSlurm = "slurm";
  if (system == kSlurm) return "";
  if (!system.starts_with(fmt::format("{} ", kSlurm))) return std::nullopt;
  return system.substr(kSlurm.size() + 1);
}

std::optional<measure::Allocation> BatchOptions::allocation() const {
  const std::optional<std::string> options = slurm();
  if (!options) return std::nullopt;
  const batch::JobShape shape = batch::slurm_shape(*options);
  if (!shape.nodes && !shape.ranks) return std::nullopt;
  const std::uint64_t nodes = shape.nodes.value_or(1);
  const std::uint64_t ranks = shape.ranks.value_or(nodes * shape.ranks_per_node.value_or(1));
  return measure::Allocation{ranks, shape.ranks_per_node.value_or((ranks + nodes - 1) / nodes),
                             "--batch"};
}

void tune_by_jobs(const TuneByJobs& tune) {
  const batch::BatchTemplate system = template_of(tune);
  batch::JobLog log(JobFiles(tune.folder).progress());
  const std::vector<std::string> jobs = submit_missing(tune, system, log);
  print_standing(tune, system, jobs, log);
}

void plan_jobs(const TuneByJobs& tune) {
  const batch::BatchTemplate system = template_of(tune);
  const JobFiles files(tune.folder);
  const batch::JobLog log(files.progress());
  write_script(tune, system);
  fmt::print("{}: {}\n  {}\n", files.script().string(), left_text(standing_of(tune, log), system),
             sessions_text(tune));
  std::size_t number = batch::submitted_jobs(files.submitted()).size();
  for (const std::uint64_t begin_in_s : begins_in_s(tune, log, number)) {
    const std::string before = number == 0 ? "" : fmt::format("JOB{}", number);
    ++number;
    std::vector<std::string> words =
        batch::submit_command(system, {files.script(), files.output(number), before, begin_in_s});
    std::ranges::transform(words, words.begin(), report::shell_word);
    fmt::print("  {}\n", join(words, " "));
  }
}

bool runs_in_job() { return std::getenv(kInJob) != nullptr; }

void tune_in_job(const TuneByJobs& tune, MeasureOptions& options,
                 const std::function<void()>& work) {
  const std::string folder = tune.folder.string();
  batch::JobLog log(JobFiles(tune.folder).progress());
  if (log.is_finished())
    return say(fmt::format("{}: an earlier job has finished the campaign; nothing is left to do\n",
                           folder));
  if (is_too_early(tune, log))
    return say(fmt::format(
        "{}: the last session ended {:.1f} h ago, so this job measures nothing: sessions are "
        "{:g} h apart, and a larger --jobs submits another\n",
        folder, std::max(0.0, now_s() - *log.session_end_s()) / kHour_s, spread_s(tune) / kHour_s));
  log.start(now_s(), last_stored_s(tune.folder));
  adapt_to_job(tune, log, options);
  try {
    work();
    log.add(batch::JobEvent::kFinished, now_s());
  } catch (const Unfinished& unfinished) {
    say(fmt::format("{}\n", unfinished.what()));
    log.add(batch::JobEvent::kSession, now_s());
  } catch (...) {
    log.add(batch::JobEvent::kEnded, now_s());
    throw;
  }
}

}  // namespace colltree::cli
