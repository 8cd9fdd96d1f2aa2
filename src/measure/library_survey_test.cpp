// SPDX-License-Identifier: BSD-3-Clause
#include "measure/library_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace colltree {
namespace {

TEST(LibrarySurvey, IsReadFromTheProgramsLines) {
  const LibrarySurvey survey = parse_survey("bcast 0 ignore\nbcast 6 binomial\nnoise\nfoo 1 x\n");
  ASSERT_EQ(survey.size(), 1U);
  EXPECT_EQ(survey.at(Collective::kBcast).at("binomial"), 6);
}

TEST(JobLayout, IsReadFromTheProgramsLine) {
  const JobLayout layout = parse_layout("noise\nlayout 4 8\n");
  EXPECT_EQ(layout.nodes, 4U);
  EXPECT_EQ(layout.ranks_per_node, 8U);
  for (const char* text : {"", "layout\n", "layout 4\n", "layout 0 8\n", "layout 4 x\n"}) {
    try {
      parse_layout(text);
      FAIL() << text;
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "the job did not say where its ranks lie; measure without --ranks-per-node");
    }
  }
}

TEST(LibrarySurvey, AgreesWithTheTableWhereNamesAndNumbersDo) {
  const LibrarySurvey survey = parse_survey("allgatherv 1 default\nreduce 6 in-order_binary\n");
  EXPECT_TRUE(table_differences(Library::kOpenmpi, survey).empty());
}

// As 4.2.1 numbers them; what stood at 4 in 4.0.2 is at 5.
TEST(LibrarySurvey, NumbersOfMpichAreItsOwn) {
  const LibrarySurvey survey = parse_survey(
      "allgather 0 auto\nallgather 2 k_brucks\nallgather 5 ring\nallgather 1 nb_sched_auto\n"
      "allgather 3 nb_sched_brucks\nbcast 6 nb_tsp_tree\nbcast 99 magic\n");
  EXPECT_THAT(
      table_differences(Library::kMpich, survey),
      testing::ElementsAre("bcast algorithm 99 (magic) is not in colltree's table; measured as "
                           "unknown_magic, never emitted"));
}

TEST(LibrarySurvey, WhatTheTableHasNotIsMeasuredUnderAMarkedName) {
  const LibrarySurvey survey = parse_survey(
      "bcast 0 ignore\nbcast 6 binomial\nbcast 5 renamed\nbcast 99 magic\nbcast 3 nb_magic\n");
  EXPECT_THAT(unknown_algorithms(Library::kOpenmpi, Collective::kBcast, survey),
              testing::ElementsAre("unknown_magic"));
  EXPECT_THAT(unknown_algorithms(Library::kMpich, Collective::kBcast, survey),
              testing::UnorderedElementsAre("unknown_magic", "unknown_renamed"));
  EXPECT_TRUE(unknown_algorithms(Library::kMpich, Collective::kScan, survey).empty());
}

TEST(LibrarySurvey, NamesWhatTheTableHasNot) {
  const LibrarySurvey survey = parse_survey("bcast 6 knomial\nbcast 99 magic\n");
  EXPECT_THAT(table_differences(Library::kOpenmpi, survey),
              testing::UnorderedElementsAre(
                  "bcast algorithm 6 is knomial, binomial in colltree's table",
                  "bcast algorithm 99 (magic) is not in colltree's table; measured as "
                  "unknown_magic, never emitted"));
}

}  // namespace
}  // namespace colltree
