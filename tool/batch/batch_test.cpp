// SPDX-License-Identifier: BSD-3-Clause
// Templates of batch systems, the commands that they make, and what jobs leave behind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/input.h"
#include "base/test_scratch.h"
#include "base/text.h"
#include "batch/batch_template.h"
#include "batch/job_log.h"
#include "batch/submission.h"

namespace colltree::batch {
namespace {

using ::testing::MatchesRegex;
using ::testing::StartsWith;

std::string submit_text(const BatchTemplate& system, const Submission& job) {
  return join(submit_command(system, job), " ");
}

TEST(Slurm, JobsWaitForTheOneBeforeAndBeginLater) {
  const BatchTemplate slurm = slurm_template("-N 4");
  EXPECT_EQ(submit_text(slurm, {"/a b/job.sh", "/a b/1.out"}),
            "sbatch --parsable --open-mode=append --output=/a b/1.out -N 4 /a b/job.sh");
  EXPECT_EQ(submit_text(slurm, {"job.sh", "2.out", "17", 90}),
            "sbatch --parsable --open-mode=append --output=2.out -N 4 --dependency=afterany:17 "
            "--begin=now+90 job.sh");
  EXPECT_EQ(cancel_command(slurm, {"17", "18"}), "scancel 17 18");
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
  EXPECT_EQ(refusal("-N four"), "--batch: expected a number of nodes, got 'four'");
  EXPECT_EQ(refusal("-N-1"), "--batch: expected a number of nodes, got '-1'");
  EXPECT_EQ(refusal("-N 4-2"), "--batch: expected a number of nodes, got '4-2'");
  EXPECT_EQ(refusal("-N 2-"), "--batch: expected a number of nodes, got '2-'");
  EXPECT_EQ(refusal("--time=soon"),
            "--batch: expected a time limit, 30, 1:30:00 or 1-00:00:00, got 'soon'");
  EXPECT_EQ(refusal("--output=x"), "--batch: --output is set by colltree itself; leave it out");
  EXPECT_EQ(refusal("--array=1-3"), "--batch: --array is set by colltree itself; leave it out");
  EXPECT_EQ(refusal("-N 1 --time=30 : -N 3"),
            "--batch: ' : ' makes a heterogeneous job, and srun starts ranks in its first part "
            "only; ask for one part");
  EXPECT_EQ(refusal("--comment='a"), "--batch: the quote ' is not closed");
}

constexpr const char* kTemplate =
    "colltree-batch 1\n"
    "# made up\n"
    "submit put {dependency} {script}\n"
    "dependency -w {job}\n"
    "job [0-9]+\n"
    "time_asked 1:00:00\n"
    "nodes_asked 2\n"
    "script\n"
    "#!/bin/sh\n"
    "{command}\n";

TEST(BatchTemplate, IsReadLineByLine) {
  const BatchTemplate system = parse_batch_template(kTemplate, "t");
  EXPECT_EQ(system.submit, "put {dependency} {script}");
  EXPECT_EQ(system.dependency, "-w {job}");
  EXPECT_EQ(system.seconds_asked, 3600);
  EXPECT_EQ(system.nodes_asked, 2U);
  EXPECT_EQ(system.script, "#!/bin/sh\n{command}\n");
  EXPECT_EQ(cancel_command(system, {"1"}), "");
}

TEST(BatchTemplate, MayBeOneThatWatchedJobs) {
  const BatchTemplate system = parse_batch_template(
      "colltree-batch 1\nsubmit put {script}\njob [0-9]+\nlook see {job}\nstate running RUN\n"
      "seconds ([0-9]+)\nnodes ([0-9]+)\nscript\n{command}\n",
      "t");
  EXPECT_EQ(system.dependency, "");
  EXPECT_EQ(submit_text(system, {"job.sh", ""}), "put job.sh");
}

TEST(BatchTemplate, HasTimesInTheWordsOfStrftime) {
  BatchTemplate system = parse_batch_template(kTemplate, "t");
  system.submit = "put {begin} {script}";
  system.begin = "-a %Y%m%d%H%M.%S";
  EXPECT_EQ(submit_text(system, {"s", ""}), "put s");
  const std::string now = submit_text(system, {"s", "", "", 1});
  EXPECT_THAT(now, MatchesRegex("put -a [0-9]{12}[.][0-9]{2} s"));
  const std::string later = submit_text(system, {"s", "", "", 200'000'000});  // six years
  EXPECT_LT(now, later);
}

TEST(BatchTemplate, SaysWhatIsWrongAndWhere) {
  const auto refusal = [](std::string from, const std::string& to) {
    std::string text = kTemplate;
    text.replace(text.find(from), from.size(), to);
    return error_of([&] { parse_batch_template(text, "t"); });
  };
  EXPECT_EQ(refusal("batch 1", "batch 2"),
            "t:1: expected colltree-batch 1, got 'colltree-batch 2'");
  const std::string keys =
      "expected script or a value of submit, dependency, begin, job, cancel, nodes_asked, "
      "time_asked, look, state, seconds, nodes, ";
  EXPECT_EQ(refusal("job [", "jop ["), "t:5: " + keys + "got 'jop [0-9]+'");
  EXPECT_EQ(refusal("job [0-9]+\n", "job\n"), "t:5: " + keys + "got 'job'");
  EXPECT_EQ(refusal("[0-9]+", "[0-9"), "t:5: expected a regular expression, got '[0-9'");
  const std::string small = "expected a regular expression of 500 bytes at most, with repetitions ";
  EXPECT_EQ(refusal("[0-9]+", "(a{2,10}){11}"),
            "t:5: " + small + "up to 100 in all, got '(a{2,10}){11}'");
  EXPECT_THAT(refusal("[0-9]+", std::string(100'000, '(')), StartsWith("t:5: " + small));
  EXPECT_EQ(refusal("1:00:00", "long"),
            "t:6: expected a time, S, M:S, H:M:S or D-H:M:S, got 'long'");
  EXPECT_EQ(refusal("asked 2", "asked two"), "t:7: expected a number of nodes, got 'two'");
  EXPECT_EQ(refusal(" {script}", ""), "t:3: expected {script} after submit, got 'none'");
  EXPECT_EQ(refusal(" {dependency}", ""), "t:3: expected {dependency} after submit, got 'none'");
  EXPECT_EQ(refusal(" {job}", " 1"), "t:4: expected {job} after dependency, got 'none'");
  EXPECT_EQ(refusal("time_asked 1:00:00", "begin -a {seconds}"),
            "t:3: expected {begin} after submit, got 'none'");
  EXPECT_EQ(refusal("put {dependency} {script}\n", "put {dependency} {begin} {script}\nbegin -a\n"),
            "t:4: expected {seconds} after begin, got 'none'");
  EXPECT_EQ(refusal("{command}", ""), "t:8: expected {command} in the script, got 'none'");
  EXPECT_EQ(refusal("job [0-9]+\n", ""),
            "t: has no line 'job'; docs/tasks/batch.md shows a whole one");
  EXPECT_EQ(refusal("script\n#!/bin/sh\n{command}\n", ""),
            "t: has no line 'script'; docs/tasks/batch.md shows a whole one");
}

TEST(Submission, RunsTheCommandAndFindsTheName) {
  BatchTemplate system = parse_batch_template(kTemplate, "t");
  system.submit = "sh -c 'echo \"job 12 of $0\"' {script}";
  EXPECT_EQ(submit(system, {"/a b/script", ""}), "12");
  system.submit = "sh -c 'echo \"no such partition\" >&2; exit 3' {script}";
  EXPECT_EQ(error_of([&] {
              submit(system, {"/a", ""});
            }),
            "sh took no job (exit code 3): no such partition");
  system.submit = "echo hello";
  EXPECT_EQ(error_of([&] {
              submit(system, {"/a", ""});
            }),
            "echo took no job (no name of a job): hello");
}

TEST(Submission, FindsTheNameHoweverMuchIsPrinted) {
  const BatchTemplate slurm = slurm_template("");
  const std::string words(200'000, 'a');
  EXPECT_EQ(job_name(slurm, words + "\n17\n" + words), "17");
  EXPECT_EQ(job_name(slurm, words), "");
}

TEST(JobLog, CountsTheTimeOfJobsThatWereKilledUntilTheyLastStoredSomething) {
  const auto file = fresh_path("log");
  JobLog log(file);
  log.start(1000, 0);
  log.start(1500, 1400);
  log.add(JobEvent::kEnded, 1600);
  log.start(1700, 1650);
  log.start(1900, 1650);  // killed before it stored anything
  EXPECT_EQ(log.used_s(), 400 + 100 + 0);
  EXPECT_EQ(log.open_start_s(), 1900);
  EXPECT_EQ(log.jobs(), 4U);
  EXPECT_FALSE(log.is_finished());
  log.add(JobEvent::kSession, 1910);
  EXPECT_EQ(log.session_end_s(), 1910);
  log.start(2000, 1910);
  log.add(JobEvent::kFinished, 2001);
  const JobLog again(file);
  EXPECT_TRUE(again.is_finished());
  EXPECT_EQ(again.used_s(), 511);
  EXPECT_EQ(again.session_end_s(), 1910);
  EXPECT_FALSE(again.open_start_s());
  log.add(JobEvent::kReopened, 3000);
  EXPECT_FALSE(JobLog(file).is_finished());
  EXPECT_EQ(JobLog(file).used_s(), 511);
}

TEST(JobLog, RefusesWhatItDidNotWrite) {
  const auto file = fresh_path("odd-log");
  for (const std::string line :
       {"hello", "started", "started nan", "started -1", "ended 1e300", "begun 1", "ended 1 2"}) {
    write_file(file, "started 1\n" + line + "\n");
    EXPECT_EQ(
        error_of([&] { JobLog log(file); }),
        file.string() + ":2: expected a line that a job of colltree wrote, got '" + line + "'");
  }
}

}  // namespace
}  // namespace colltree::batch
