// SPDX-License-Identifier: BSD-3-Clause
// `colltree check` and `colltree explain` on rules files, as a user runs them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/error.h"
#include "base/file.h"
#include "cli/deployed_rules.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kRules = "1\n7\n2\n2\n2\n0 6 0 0\n8192 5 0 0\n16\n1\n0 7 0 0\n";

std::string file_of(const char* name, const char* content) {
  const std::string path = fresh_path(name).string();
  write_file(path, content);
  return path;
}

TEST(Check, SaysThatAFileIsGood) {
  const std::string path = file_of("good.rules", kRules);
  const Outcome outcome = colltree_run({"check", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, path +
                             " for openmpi-4.1: rules: bcast 3; 0 errors, 0 unsafe, 0 warnings\n"
                             "known: Open MPI 4.1 to 5.0.6 (run: 4.1.4)\n");
}

TEST(Check, AFileForANewerLibraryIsNotCalledRight) {
  const std::string path = file_of("new.rules", "# For openmpi-7.0\n1\n7\n1\n2\n1\n0 6 0 0\n");
  const Outcome outcome = colltree_run({"check", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out,
              HasSubstr(path + ":1: error: the file says it is for Open MPI 7.0; known is Open MPI "
                               "4.1 to 5.0.6 (run: 4.1.4)"));
}

TEST(Check, FailsOnErrorsAndUnsafeRules) {
  const std::string path = file_of("bad.rules", "1\n11\n1\n2\n1\n0 5 0 0\n");
  const Outcome outcome = colltree_run({"check", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, HasSubstr(path + ":6: unsafe: reduce binomial gives wrong results"));
  EXPECT_THAT(outcome.err, HasSubstr("not fit for openmpi-4.1: 0 errors, 1 unsafe rules"));
}

TEST(Check, NamesTheNearestFormat) {
  const Outcome outcome =
      colltree_run({"check", file_of("good.rules", kRules), "--for", "openmpi-4.2"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("did you mean 'openmpi-4.1'?"));
}

TEST(Explain, ShowsTheRuleAndTheLibrarysOwnChoice) {
  const std::string path = file_of("good.rules", kRules);
  const Outcome outcome =
      colltree_run({"explain", "bcast", "8", "64K", "--rules", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "bcast on 8 ranks, 65536 bytes\n"
            "  looked up as 65536 bytes (the message size)\n"
            "  " +
                path +
                ":7: 0 to 15 ranks, 8192 bytes and more\n"
                "method: Binary_0K\n"
                "Open MPI 4.1 without rules: basic_linear\n");
}

TEST(Explain, RefusesAFileThatTheLibraryDoesNotTake) {
  const std::string path = file_of("cut.rules", "1\n11\n1\n2\n");
  const Outcome outcome =
      colltree_run({"explain", "reduce", "8", "64K", "--rules", path, "--for", "openmpi-4.1"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("openmpi-4.1 does not take such a file: see colltree check"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("method:")));
}

TEST(Explain, SaysWhatARuleAsksAndWhatOtherCallsGet) {
  const std::string path = file_of("tuner.csv",
                                   "allreduce,0,1048576,ring,ll128,-1,-1,-1,4,-1\n"
                                   "allreduce,0,1048576,tree,simple,-1,2,-1,1,1\n"
                                   "allreduce,0,1048576,nvls,simple,-1,-1,-1,1,0\n");
  const Outcome outcome =
      colltree_run({"explain", "allreduce", "8", "1K", "--rules", path, "--for", "nccl"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr(fmt::format(
                  "  {0}:3: 0 ranks and more, 0 to 1048576 bytes; 1 pipe operation, buffers not "
                  "registered\n"
                  "  with 4 pipe operations: Ring/ll128_0K ({0}:1)\n"
                  "  with 1 pipe operation, registered buffers, 2 nodes: Tree/simple_0K ({0}:2)\n"
                  "method: Nvls/simple_0K\n",
                  path)));
}

TEST(Explain, AnswersWhereTheLibraryGoesOnAfterAnError) {
  const std::string path =
      file_of("overlap.ucc", "UCC_TL_UCP_TUNE=bcast:0-4k:@knomial#bcast:2k-inf:[4-8]:@dbt\n");
  const Outcome dropped =
      colltree_run({"explain", "bcast", "8", "1K", "--rules", path, "--for", "ucc"});
  EXPECT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_THAT(dropped.out, HasSubstr(path + ":1: error: token 'bcast:2k-inf:[4-8]:@dbt': "));
  EXPECT_THAT(dropped.out, HasSubstr("UCC drops the whole string for teams of 4 to 8\n"));
  EXPECT_THAT(dropped.out, HasSubstr("\nmethod: the library's own choice\n"));
  EXPECT_THAT(colltree_run({"explain", "bcast", "9", "1K", "--rules", path, "--for", "ucc"}).out,
              HasSubstr("method: Knomial_0K\n"));
}

TEST(Explain, WantsAModelOrRules) {
  EXPECT_EQ(colltree_run({"explain", "bcast", "8", "64K"}).exit_code, 2);
  EXPECT_EQ(colltree_run({"explain", "bcast", "8", "64K", "--rules", "x"}).exit_code, 2);
}

TEST(DeployedRules, HanStandsAboveTunedFromOpenMpi5On) {
  const std::string tuned = file_of("tuned.rules", kRules);
  const std::string han =
      file_of("han.rules", "1\nbcast\n1\nglobal_communicator\n1\n1\n1\n0 tuned\n");
  EXPECT_EQ(deployed_rules("openmpi-5.0.3", tuned, "").size(), 1);
  const RulesArm arm = arm_of(deployed_rules("openmpi-5.0.3", tuned, han));
  EXPECT_THAT(settings_to_load(arm.at(0)),
              ElementsAre("OMPI_MCA_coll_tuned_use_dynamic_rules=1",
                          "OMPI_MCA_coll_tuned_dynamic_rules_filename=" + tuned,
                          "OMPI_MCA_coll_han_use_dynamic_file_rules=1",
                          "OMPI_MCA_coll_han_dynamic_rules_filename=" + han));
  EXPECT_THROW(deployed_rules("openmpi-5.0.3", tuned, tuned), Error);
  for (const char* mpi : {"openmpi-4.1.4", "mpich-4.2.1"}) {
    try {
      deployed_rules(mpi, tuned, han);
      ADD_FAILURE() << mpi;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(), fmt::format("--han-rules: {} does not ask coll/han", mpi));
    }
  }
}

}  // namespace
}  // namespace colltree
