// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate guidelines` from the command line.
#include <gmock/gmock.h>

#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_run.h"
#include "profile/test_profile.h"

namespace colltree::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string imported(const std::string& data, const std::string& message_size = "total") {
  const std::string file = (colltree::testing::data_dir() / (data + ".csv.gz")).string();
  const std::string profile = fresh_path(data + ".db").string();
  EXPECT_EQ(colltree_run({"import", file, "--message-size", message_size, "-o", profile}).exit_code,
            0);
  return profile;
}

std::string fitted(const std::string& profile, const std::string& collective) {
  const std::string model = fresh_path("guided_" + collective + ".json").string();
  EXPECT_EQ(
      colltree_run({"fit", "quadtree", profile, "--collective", collective, "-o", model}).exit_code,
      0);
  return model;
}

Json report(std::vector<std::string> words) {
  words.insert(words.begin(), {"evaluate", "guidelines"});
  words.emplace_back("--json");
  const Outcome outcome = colltree_run(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

// "broken/tested" by this chooser.
std::string tally(const Json& report, const std::string& guideline,
                  const std::string& chooser = "default") {
  for (const Json& row : report.at("guidelines")) {
    if (row.at("name") != guideline) continue;
    for (const Json& by : row.at("by")) {
      if (by.at("chooser") == chooser) {
        return std::to_string(by.at("broken").get<int>()) + "/" +
               std::to_string(by.at("tested").get<int>());
      }
    }
  }
  return "not there";
}

// The figures were counted from the exported table by another program.
TEST(GuidelinesCommand, OfFugaku) {
  const Json all = report({imported("fugaku_fjmpi_8coll")});
  EXPECT_EQ(tally(all, "allreduce <= reduce + bcast"), "1/31");
  EXPECT_EQ(tally(all, "allreduce <= reduce_scatter + allgather"), "8/35");
  EXPECT_EQ(tally(all, "allgather <= gather + bcast"), "0/23");
  EXPECT_EQ(tally(all, "reduce <= reduce_scatter + gather"), "17/26");
  EXPECT_EQ(tally(all, "scatter <= bcast"), "10/23");
  EXPECT_EQ(tally(all, "a smaller message"), "2/241");
  EXPECT_EQ(tally(all, "one message, not pieces"), "10/241");
  const Json& worst = all.at("violations").at(0);
  EXPECT_EQ(worst.at("guideline"), "a smaller communicator");
  EXPECT_EQ(worst.at("collective"), "reduce");
  EXPECT_NEAR(worst.at("by").at(0).at("factor").get<double>(), 30.5, 0.05);
}

TEST(GuidelinesCommand, ModelsTogetherAreOneChoice) {
  const std::string profile = imported("fugaku_fjmpi_8coll");
  const std::string reduce = fitted(profile, "reduce");
  const std::string bcast = fitted(profile, "bcast");
  const Json both = report({profile, reduce, bcast});
  EXPECT_EQ(tally(both, "reduce <= allreduce"), "16/34");
  EXPECT_LT(std::stoi(tally(both, "reduce <= allreduce", "chosen")), 16);
  // What no model decides for stays with the library.
  EXPECT_EQ(tally(both, "allgather <= alltoall"), "6/29");
  EXPECT_EQ(tally(both, "allgather <= alltoall", "chosen"), "6/29");
  const std::string text =
      colltree_run({"evaluate", "guidelines", profile, reduce, bcast, "--most", "1"}).out;
  EXPECT_THAT(text, StartsWith("fugaku (imported, fujitsu-mpi-4.0.1): guidelines broken by more "
                               "than 5 %\nchosen: " +
                               reduce + ", " + bcast + "\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("\ndefault: 111 violations; chosen removes "),
                          HasSubstr("  and 110 more; --most N or --json\n")));
}

TEST(GuidelinesCommand, AboutSomeCollectivesWithAllThatReplaceThem) {
  const std::string text = colltree_run({"evaluate", "guidelines", imported("fugaku_fjmpi_8coll"),
                                         "--collective", "scatter"})
                               .out;
  EXPECT_THAT(text, HasSubstr("  scatter(n) <= bcast(n p)          10/23  "));
  EXPECT_THAT(text, HasSubstr("  scatter(n) <= scatterv(n)  no times of scatterv\n"));
  EXPECT_THAT(text, Not(HasSubstr("gather")));
}

// The guidelines of one collective are tested; of the others it says what is missing.
TEST(GuidelinesCommand, OfOneCollectiveWithIntervals) {
  const std::string profile = imported("tuolumne_alltoall_session1_reps", "block");
  const Outcome outcome = colltree_run({"evaluate", "guidelines", profile});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("T(k n) <= k T(n)"));
  EXPECT_THAT(outcome.out,
              HasSubstr("  allreduce(n) <= reduce(n) + bcast(n)                        "
                        "no times of allreduce, reduce, bcast\n"));
  EXPECT_THAT(colltree_run({"evaluate", "guidelines", profile, "--json"}).out,
              HasSubstr("\"verdict\": \"certain\""));
}

TEST(GuidelinesCommand, WhatIsWrongIsNamedWithItsRemedy) {
  const std::string profile = imported("fugaku_fjmpi_8coll");
  const std::string reduce = fitted(profile, "reduce");
  EXPECT_EQ(colltree_run({"evaluate", "guidelines", profile, "--collective", "scan"}).err,
            "colltree: " + profile +
                ": has no timings of scan on fugaku; it has allgather, allreduce, alltoall, bcast, "
                "gather, reduce, reduce_scatter, scatter\n");
  const Outcome twice = colltree_run({"evaluate", "guidelines", profile, reduce, reduce});
  EXPECT_EQ(twice.exit_code, 1);
  EXPECT_EQ(twice.err, "colltree: " + reduce + ", " + reduce +
                           ": all decide for reduce; name one model for each collective\n");
  EXPECT_EQ(colltree_run({"evaluate", "guidelines",
                          imported("tuolumne_alltoall_session1_reps", "block"), reduce})
                .err,
            "colltree: " + reduce +
                ": decides for reduce only, which is not among the timings asked for\n");
  EXPECT_EQ(colltree_run({"evaluate", "guidelines", profile, "--tolerance", "-3"}).exit_code, 2);
}

}  // namespace
}  // namespace colltree::cli
