// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "colltree/rules.hpp"

namespace colltree::core {

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Binomial is faster for short messages, `other` for long ones.
Timings times_of_bcast(const Method& other) {
  std::vector<Timing> rows;
  for (const std::uint64_t ranks : {2, 4, 8}) {
    for (const std::uint64_t bytes : {8, 1024, 131072}) {
      const Instance instance{"bcast", ranks, bytes};
      const auto size = static_cast<double>(bytes);
      rows.push_back({instance, {"binomial", 0}, 1 + size / 100});
      rows.push_back({instance, other, 50 + size / 400});
    }
  }
  return Timings::from_rows("here", rows);
}

TEST(FaceOfRules, WritesWhatItReadsAgain) {
  const Timings timings = times_of_bcast({"basic_linear"});
  const Model model = fit({timings}, "optimal");
  for (const char* target : {"openmpi-4.1", "openmpi-5.0.7"}) {
    const Written rules = write_rules(model, target, {timings});
    EXPECT_THAT(rule_targets(), Contains(target));
    for (const Instance& instance : timings.instances()) {
      EXPECT_EQ(decide_by_rules(rules.content, instance), model.decide(instance));
      EXPECT_EQ(decide_by_rules(rules.content, instance, target), model.decide(instance));
    }
  }
}

TEST(FaceOfRules, NotesSayWhatATargetCannotHold) {
  const Model model = fit({times_of_bcast({"chain", 8192})}, "optimal");
  EXPECT_THAT(write_rules(model, "openmpi-4.1").notes,
              ElementsAre(HasSubstr("replaced: bcast chain with segments")));
}

TEST(FaceOfRules, RefusesAFileThatTheLibraryWouldMisread) {
  try {
    decide_by_rules("1\n7\nx\n", {"bcast", 4, 8}, "openmpi-4.1");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the rules:2: "));
  }
}

TEST(FaceOfRules, NamesTheTargetThatThereIsNoneOf) {
  try {
    write_rules(fit({times_of_bcast({"chain", 8192})}, "optimal"), "openmpi-9");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("openmpi-9"));
  }
}

}  // namespace

}  // namespace colltree::core
