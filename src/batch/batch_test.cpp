// SPDX-License-Identifier: BSD-3-Clause
// Jobs without a batch system: what their states mean, what follows from an end, and whole
// campaigns over a system that is made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <deque>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/test_scratch.h"
#include "batch/batch_template.h"
#include "batch/run_jobs.h"

namespace colltree::batch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Step = JobSequence::Step;

JobEnd ended(JobState state, std::uint64_t cells, std::optional<int> code = std::nullopt) {
  return {state, code, cells};
}

TEST(JobSequence, GoesOnAsLongAsJobsGainCells) {
  JobSequence sequence;
  for (const JobState state :
       {JobState::kTimedOut, JobState::kNodeFailed, JobState::kPreempted, JobState::kOutOfMemory,
        JobState::kFailed, JobState::kGone, JobState::kTimedOut, JobState::kTimedOut})
    EXPECT_EQ(sequence.after(ended(state, 1)).step, Step::kSubmit) << name(state);
  EXPECT_EQ(sequence.after(ended(JobState::kDone, 0, 0)).step, Step::kFinished);
}

TEST(JobSequence, StopsWhereNoFurtherJobHelps) {
  struct Row {
    JobState state;
    int tries;  // without a cell
    const char* why;
  };
  for (const Row& row :
       {Row{JobState::kTimedOut, 2, "ask for a longer one"},
        Row{JobState::kOutOfMemory, 2, "more memory"},
        Row{JobState::kNodeFailed, 3, "sbatch --exclude"},
        Row{JobState::kPreempted, 3, "another partition"},
        Row{JobState::kFailed, 3, "its output says why"}, Row{JobState::kGone, 3, "see its output"},
        Row{JobState::kCancelled, 1, "the same command continues"}}) {
    JobSequence sequence;
    for (int i = 1; i < row.tries; ++i)
      EXPECT_EQ(sequence.after(ended(row.state, 0)).step, Step::kSubmit) << name(row.state);
    const JobSequence::Next last = sequence.after(ended(row.state, 0));
    EXPECT_EQ(last.step, Step::kStop) << name(row.state);
    EXPECT_THAT(last.why, HasSubstr(row.why));
  }
}

TEST(JobSequence, StopsAtOnceAtWrongUsageAndWhereSomebodyCancelled) {
  EXPECT_EQ(JobSequence().after(ended(JobState::kFailed, 0, 2)).step, Step::kStop);
  EXPECT_EQ(JobSequence().after(ended(JobState::kCancelled, 100)).step, Step::kStop);
}

TEST(JobSequence, TrustsTheCommandsOwnCodeMoreThanTheState) {
  EXPECT_EQ(JobSequence().after(ended(JobState::kGone, 0, 0)).step, Step::kFinished);
  EXPECT_EQ(JobSequence().after(ended(JobState::kTimedOut, 0, 0)).step, Step::kFinished);
  EXPECT_EQ(JobSequence().after(ended(JobState::kDone, 5, 1)).step, Step::kSubmit);
}

TEST(JobSequence, GoesOnBehindASessionHoweverFewCellsItGained) {
  JobSequence sequence;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(sequence.after(ended(JobState::kTimedOut, 0)).step, Step::kSubmit);
    EXPECT_EQ(sequence.after(ended(JobState::kDone, 0, kUnfinishedCode)).step, Step::kSubmit);
  }
}

TEST(Slurm, StartsAJobLater) {
  const BatchTemplate slurm = slurm_template("-N 4");
  EXPECT_EQ(submit_text(slurm, 0),
            "sbatch --parsable --open-mode=append --output={output} -N 4 {script}");
  EXPECT_EQ(submit_text(slurm, 90),
            "sbatch --parsable --open-mode=append --output={output} -N 4 --begin=now+90 {script}");
}

TEST(Slurm, TellsTheEndsApart) {
  const BatchTemplate slurm = slurm_template("-N 4");
  const auto state = [&](const std::string& text) {
    const auto seen = recognise(slurm, text);
    return seen ? std::string(name(seen->state)) : "nothing";
  };
  const auto scontrol = [&](const std::string& word) {
    return state("JobId=17 JobName=job-1.sh JobState=" + word +
                 " Reason=None Dependency=(null) Requeue=1 Restarts=0 ExitCode=0:0 "
                 "RunTime=00:01:02 TimeLimit=00:01:00 NumNodes=4 NumCPUs=8");
  };
  EXPECT_EQ(scontrol("PENDING"), "pending");
  EXPECT_EQ(scontrol("CONFIGURING"), "pending");
  EXPECT_EQ(scontrol("REQUEUED"), "pending");
  EXPECT_EQ(scontrol("RUNNING"), "running");
  EXPECT_EQ(scontrol("COMPLETING"), "running");
  EXPECT_EQ(scontrol("COMPLETED"), "done");
  EXPECT_EQ(scontrol("TIMEOUT"), "timed_out");
  EXPECT_EQ(scontrol("CANCELLED"), "cancelled");
  EXPECT_EQ(scontrol("NODE_FAIL"), "node_failed");
  EXPECT_EQ(scontrol("BOOT_FAIL"), "node_failed");
  EXPECT_EQ(scontrol("PREEMPTED"), "preempted");
  EXPECT_EQ(scontrol("OUT_OF_MEMORY"), "out_of_memory");
  EXPECT_EQ(scontrol("FAILED"), "failed");
  EXPECT_EQ(state("CANCELLED by 1000|61|4\n"), "cancelled");
  EXPECT_EQ(state("OUT_OF_MEMORY|61|4\n"), "out_of_memory");
  EXPECT_EQ(state("slurm_load_jobs error: Invalid job id specified\n"), "nothing");
  EXPECT_EQ(state("Slurm accounting storage is disabled\n"), "nothing");
}

TEST(Slurm, SaysWhatAJobUsed) {
  const BatchTemplate slurm = slurm_template("-N 4");
  const auto by_scontrol = recognise(slurm, "JobState=TIMEOUT RunTime=1-01:01:02 NumNodes=4 x");
  EXPECT_EQ(by_scontrol->seconds, 86400 + 3600 + 62);
  EXPECT_EQ(by_scontrol->nodes, 4U);
  const auto by_sacct = recognise(slurm, "TIMEOUT|61|2\n");
  EXPECT_EQ(by_sacct->seconds, 61);
  EXPECT_EQ(by_sacct->nodes, 2U);
}

TEST(Slurm, IsUnderstoodHoweverMuchItSays) {
  const BatchTemplate slurm = slurm_template("");
  const std::string digits(200'000, '1');
  const auto seen = recognise(
      slurm, digits + "\nJobState=RUNNING\nRunTime=" + digits + "\nNumNodes=4\n" + digits);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->state, JobState::kRunning);
  EXPECT_EQ(seen->nodes, 4U);
}

TEST(Slurm, OptionsSayHowLargeAndLongJobsAre) {
  const auto shape = [](const std::string& options) {
    const JobShape found = slurm_shape(options);
    return std::to_string(found.nodes.value_or(0)) + " " +
           std::to_string(static_cast<long>(found.limit_s.value_or(-1)));
  };
  EXPECT_EQ(shape("-N 4 --time=30"), "4 1800");
  EXPECT_EQ(shape("-N4 -t 1:30"), "4 90");
  EXPECT_EQ(shape("--nodes=2-8 -t 1-12"), "8 129600");
  EXPECT_EQ(shape("--nodes 3 --time 01:00:01 --comment='a b'"), "3 3601");
  EXPECT_EQ(shape("-p debug"), "0 -1");
  const JobShape tasks = slurm_shape("-N 4 --ntasks-per-node=2");
  EXPECT_EQ(tasks.ranks_per_node, 2U);
  EXPECT_FALSE(tasks.ranks);
  EXPECT_EQ(slurm_shape("-n 6").ranks, 6U);
  EXPECT_EQ(slurm_shape("--ntasks=6").ranks, 6U);
}

TEST(Slurm, OptionsThatCannotBe) {
  const auto refusal = [](const std::string& options) {
    return error_of([&] { slurm_template(options); });
  };
  EXPECT_EQ(refusal("-N four"), "--slurm: expected a number of nodes, got 'four'");
  EXPECT_EQ(refusal("-N-1"), "--slurm: expected a number of nodes, got '-1'");
  EXPECT_EQ(refusal("-N 4-2"), "--slurm: expected a number of nodes, got '4-2'");
  EXPECT_EQ(refusal("-N 2-"), "--slurm: expected a number of nodes, got '2-'");
  EXPECT_EQ(refusal("--time=soon"),
            "--slurm: expected a time limit, 30, 1:30:00 or 1-00:00:00, got 'soon'");
  EXPECT_EQ(refusal("--output=x"), "--slurm: --output is set by colltree itself; leave it out");
  EXPECT_EQ(refusal("--array=1-3"), "--slurm: --array is set by colltree itself; leave it out");
  EXPECT_EQ(refusal("-N 1 --time=30 : -N 3"),
            "--slurm: ' : ' makes a heterogeneous job, and srun starts ranks in its first part "
            "only; ask for one part");
  EXPECT_EQ(refusal("--comment='a"), "--slurm: the quote ' is not closed");
}

constexpr const char* kTemplate =
    "colltree-batch 1\n"
    "# made up\n"
    "submit put {script}\n"
    "job [0-9]+\n"
    "look see {job}\n"
    "state running RUN\n"
    "time_asked 1:00:00\n"
    "nodes_asked 2\n"
    "script\n"
    "#!/bin/sh\n"
    "{command}\n";

TEST(BatchTemplate, IsReadLineByLine) {
  const BatchTemplate made = parse_batch_template(kTemplate, "t");
  EXPECT_EQ(made.submit, "put {script}");
  EXPECT_EQ(made.seconds_asked, 3600);
  EXPECT_EQ(made.nodes_asked, 2U);
  EXPECT_EQ(made.script, "#!/bin/sh\n{command}\n");
}

TEST(BatchTemplate, SaysWhatIsWrongAndWhere) {
  const auto refusal = [](std::string from, const std::string& to) {
    std::string text = kTemplate;
    text.replace(text.find(from), from.size(), to);
    return error_of([&] { parse_batch_template(text, "t"); });
  };
  EXPECT_EQ(refusal("batch 1", "batch 2"),
            "t:1: expected colltree-batch 1, got 'colltree-batch 2'");
  EXPECT_EQ(
      refusal("look see", "lok see"),
      "t:5: expected script or a value of begin, cancel, job, look, nodes, nodes_asked, seconds, "
      "state, submit, time_asked, got 'lok see {job}'");
  EXPECT_EQ(
      refusal("job [0-9]+\n", "job\n"),
      "t:4: expected script or a value of begin, cancel, job, look, nodes, nodes_asked, seconds, "
      "state, submit, time_asked, got 'job'");
  EXPECT_EQ(refusal("[0-9]+", "[0-9"), "t:4: expected a regular expression, got '[0-9'");
  const std::string small = "expected a regular expression of 500 bytes at most, with repetitions ";
  EXPECT_EQ(refusal("[0-9]+", "(a{2,10}){11}"),
            "t:4: " + small + "up to 100 in all, got '(a{2,10}){11}'");
  EXPECT_THAT(refusal("[0-9]+", std::string(100'000, '(')), StartsWith("t:4: " + small));
  EXPECT_THAT(refusal("state running", "state walking"),
              StartsWith("t:6: expected a state (pending, "));
  EXPECT_EQ(refusal("1:00:00", "long"),
            "t:7: expected a time, S, M:S, H:M:S or D-H:M:S, got 'long'");
  EXPECT_EQ(refusal("asked 2", "asked two"), "t:8: expected a number of nodes, got 'two'");
  EXPECT_EQ(refusal(" {script}", ""), "t:3: expected {script} after submit, got 'none'");
  EXPECT_EQ(refusal("time_asked 1:00:00", "begin -a {seconds}"),
            "t:3: expected {begin} after submit, got 'none'");
  EXPECT_EQ(refusal("put {script}\n", "put {begin} {script}\nbegin -a\n"),
            "t:4: expected {seconds} after begin, got 'none'");
  EXPECT_EQ(refusal(" {job}", ""), "t:5: expected {job} after look, got 'none'");
  EXPECT_EQ(refusal("{command}", ""), "t:9: expected {command} in the script, got 'none'");
  EXPECT_EQ(refusal("state running RUN\n", ""),
            "t: has no line 'state'; docs/tasks/batch.md shows a whole one");
  EXPECT_EQ(refusal("script\n#!/bin/sh\n{command}\n", ""),
            "t: has no line 'script'; docs/tasks/batch.md shows a whole one");
}

// Jobs with prescribed states: for each job what the looks at it find, one after the other; the
// last state stays.
class MadeUpSystem : public BatchSystem {
 public:
  struct Job {
    std::deque<std::optional<JobLook>> looks;
    std::uint64_t cells = 0;       // that it measures
    std::optional<int> code = {};  // that its command leaves
  };
  explicit MadeUpSystem(std::vector<Job> jobs) : jobs_(std::move(jobs)) {}

  std::string submit(const std::filesystem::path& script, const std::filesystem::path&,
                     std::uint64_t begin_in_s) override {
    scripts.push_back(read_file(script));
    begins_in_s.push_back(begin_in_s);
    return std::to_string(scripts.size());
  }
  std::optional<JobLook> look(const std::string& id) override {
    Job& job = jobs_.at(std::stoul(id) - 1);
    const auto seen = job.looks.front();
    if (job.looks.size() > 1) job.looks.pop_front();
    if (job.looks.size() == 1) {
      stored += std::exchange(job.cells, 0);
      if (job.code) write_file(folder / ("job-" + id + ".code"), std::to_string(*job.code) + "\n");
    }
    return seen;
  }
  bool delays_jobs() const override { return delays; }
  std::string cancel_text(const std::string& id) const override { return "cancel " + id; }

  BatchRun run() {
    BatchRun run;
    run.folder = folder;
    run.script = "#!/bin/sh\n{command}\n";
    run.command = [](double used_s) {
      return "work --used " + std::to_string(static_cast<int>(used_s));
    };
    run.stored_cells = [this] { return stored; };
    run.wait = [this](double seconds) { waited_s += seconds; };
    return run;
  }

  std::filesystem::path folder;
  std::uint64_t stored = 0;
  std::vector<std::string> scripts;
  std::vector<std::uint64_t> begins_in_s;
  bool delays = false;
  double waited_s = 0;

 private:
  std::vector<Job> jobs_;
};

std::filesystem::path fresh_folder(const std::string& name) {
  const auto folder = fresh_path(name);
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}

JobLook at(JobState state, double seconds) { return {state, seconds, 4}; }

TEST(RunJobs, GoesThroughAsManyJobsAsItTakes) {
  MadeUpSystem system({
      {{at(JobState::kPending, 0), at(JobState::kRunning, 30), at(JobState::kTimedOut, 60)}, 40},
      // Requeued: its clock starts anew.
      {{at(JobState::kRunning, 20), at(JobState::kPending, 0), at(JobState::kRunning, 10),
        at(JobState::kNodeFailed, 30)},
       20},
      {{at(JobState::kRunning, 5), std::nullopt, at(JobState::kDone, 10)}, 7, 0},
  });
  system.folder = fresh_folder("jobs");
  JobLog log(system.folder / "log");
  const JobFiles last = run_jobs(system.run(), system, log);
  EXPECT_EQ(last.result.filename(), "job-3.result");
  EXPECT_THAT(system.scripts[0], HasSubstr("\nwork --used 0 > "));
  EXPECT_THAT(system.scripts[1], HasSubstr("\nwork --used 60 > "));
  EXPECT_THAT(system.scripts[2], HasSubstr("\nwork --used 110 > "));
  EXPECT_DOUBLE_EQ(log.node_hours(), 120.0 * 4 / 3600);
  EXPECT_EQ(read_file(system.folder / "log"),
            "1 submitted 1\n1 ended timed_out seconds 60 nodes 4 cells 40\n"
            "2 submitted 2\n2 ended node_failed seconds 50 nodes 4 cells 20\n"
            "3 submitted 3\n3 ended done seconds 10 nodes 4 cells 7\n");
  EXPECT_EQ(JobLog(system.folder / "log").jobs().size(), 3U);
}

TEST(RunJobs, FindsTheJobAgainThatAKilledWatcherLeft) {
  MadeUpSystem system({{{at(JobState::kDone, 10)}, 7, 0}});
  system.folder = fresh_folder("left");
  write_file(system.folder / "log", "1 submitted 1\n");
  JobLog log(system.folder / "log");
  EXPECT_EQ(run_jobs(system.run(), system, log).result.filename(), "job-1.result");
  EXPECT_TRUE(system.scripts.empty());
}

TEST(RunJobs, StopsWhereAJobWasCancelledAndContinuesWhenAskedAgain) {
  MadeUpSystem system({{{at(JobState::kRunning, 5), at(JobState::kCancelled, 9)}, 3},
                       {{at(JobState::kRunning, 5), at(JobState::kDone, 9)}, 3, 0}});
  system.folder = fresh_folder("cancelled");
  JobLog log(system.folder / "log");
  EXPECT_EQ(error_of([&] { run_jobs(system.run(), system, log); }),
            "job 1: cancelled; the same command continues; 3 cells are stored");
  EXPECT_EQ(run_jobs(system.run(), system, log).result.filename(), "job-2.result");
  EXPECT_EQ(system.stored, 6U);
}

constexpr double kDay_s = 86400;

std::vector<MadeUpSystem::Job> two_sessions() {
  return {{{at(JobState::kDone, 9)}, 3, kUnfinishedCode}, {{at(JobState::kDone, 9)}, 0, 0}};
}

TEST(RunJobs, WaitsBetweenTwoSessions) {
  MadeUpSystem system(two_sessions());
  system.folder = fresh_folder("apart");
  JobLog log(system.folder / "log");
  BatchRun run = system.run();
  run.apart_s = kDay_s;
  EXPECT_EQ(run_jobs(run, system, log).result.filename(), "job-2.result");
  EXPECT_EQ(system.begins_in_s, (std::vector<std::uint64_t>{0, 0}));
  EXPECT_GT(system.waited_s, kDay_s / 2);
  EXPECT_LE(system.waited_s, kDay_s);
  EXPECT_THAT(system.scripts[0], HasSubstr("\n[ $code -ne 3 ] || exit 0\n")) << "no failed job";
}

TEST(RunJobs, LeavesTheWaitingToASystemThatDelaysJobs) {
  MadeUpSystem system(two_sessions());
  system.folder = fresh_folder("delayed");
  system.delays = true;
  JobLog log(system.folder / "log");
  BatchRun run = system.run();
  run.apart_s = kDay_s;
  run_jobs(run, system, log);
  ASSERT_EQ(system.begins_in_s.size(), 2U);
  EXPECT_EQ(system.begins_in_s[0], 0U);
  EXPECT_GT(system.begins_in_s[1], kDay_s / 2);
  EXPECT_LE(system.begins_in_s[1], kDay_s);
  EXPECT_EQ(system.waited_s, 0);
}

// A watcher was killed while it waited, and the session ended two days ago.
TEST(RunJobs, CountsTheTimeBetweenSessionsThatHasPassed) {
  MadeUpSystem system({{{at(JobState::kDone, 9)}, 0}});
  system.folder = fresh_folder("passed");
  JobLog log(system.folder / "log");
  log.submitted("0");
  log.ended({1, "0", JobState::kDone, 9, 4, 3});
  const auto code = system.folder / "job-1.code";
  write_file(code, "3\n");
  std::filesystem::last_write_time(
      code, std::filesystem::file_time_type::clock::now() - std::chrono::hours(48));
  BatchRun run = system.run();
  run.apart_s = kDay_s;
  EXPECT_EQ(run_jobs(run, system, log).result.filename(), "job-2.result");
  EXPECT_EQ(system.waited_s, 0);
}

TEST(RunJobs, GivesUpOnAJobThatIsForgottenAndLeftNoCode) {
  MadeUpSystem system({{{std::nullopt}, 0}, {{std::nullopt}, 0}, {{std::nullopt}, 0}});
  system.folder = fresh_folder("gone");
  JobLog log(system.folder / "log");
  write_file(system.folder / "job-3.out", "warning\nno such program\n\n");
  EXPECT_EQ(error_of([&] { run_jobs(system.run(), system, log); }),
            "job 3: gone: no such program; the batch system forgets its jobs before they have "
            "measured a cell; see its output; 0 cells are stored");
}

TEST(JobLog, RefusesWhatItDidNotWrite) {
  const auto file = fresh_path("log");
  write_file(file, "1 submitted 1\nhello\n");
  EXPECT_EQ(error_of([&] { JobLog log(file); }),
            file.string() + ":2: expected a line of a job that colltree wrote, got 'hello'");
  for (const std::string seconds : {"nan", "inf", "-1", "1e300"}) {
    const std::string line = "1 ended done seconds " + seconds + " nodes 4 cells 1";
    write_file(file, "1 submitted 1\n" + line + "\n");
    EXPECT_EQ(
        error_of([&] { JobLog log(file); }),
        file.string() + ":2: expected a line of a job that colltree wrote, got '" + line + "'");
  }
}

TEST(JobLog, IsWatchedByOneOnly) {
  const auto file = fresh_path("watched");
  {
    const WatchLock first(file);
    EXPECT_EQ(error_of([&] { WatchLock second(file); }),
              file.string() +
                  ": another colltree watches these jobs; wait for it, or end it and rerun the "
                  "same command");
  }
  EXPECT_NO_THROW(WatchLock third(file));
}

TEST(CommandBatchSystem, SpeaksByItsTemplate) {
  BatchTemplate words = parse_batch_template(kTemplate, "t");
  words.submit = "sh -c 'echo \"job 12 of $0\"' {script}";
  words.look = {"sh -c 'exit 1' {job}", "echo RUN {job}"};
  CommandBatchSystem system(words);
  EXPECT_EQ(system.submit("/a b/script", "/out", 0), "12");
  EXPECT_EQ(system.look("12")->state, JobState::kRunning);
  words.submit = "sh -c 'echo \"no such partition\" >&2; exit 3' {script}";
  CommandBatchSystem refusing(words);
  EXPECT_EQ(error_of([&] { refusing.submit("/a", "/b", 0); }),
            "sh took no job (exit code 3): no such partition");
  words.submit = "echo hello";
  EXPECT_EQ(error_of([&] { CommandBatchSystem(words).submit("/a", "/b", 0); }),
            "echo took no job (no name of a job): hello");
}

}  // namespace
}  // namespace colltree::batch
