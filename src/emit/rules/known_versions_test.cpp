// SPDX-License-Identifier: BSD-3-Clause
#include "emit/rules/known_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emit/rules/check_rules.h"
#include "emit/rules/random_rules.h"

namespace colltree {
namespace {

using ::testing::HasSubstr;

constexpr KnownVersions kSome{"Open MPI", "4.1", "5.0", "run: 4.1.4"};

TEST(KnownVersions, AreSaid) {
  EXPECT_EQ(text(kSome), "Open MPI 4.1 to 5.0 (run: 4.1.4)");
  EXPECT_EQ(text({"MPICH", "4.0", "4.0", "run: 4.0.2"}), "MPICH 4.0 (run: 4.0.2)");
  EXPECT_EQ(text({"NCCL", "2.27.5", "", "x"}), "NCCL 2.27.5 and later (x)");
}

TEST(KnownVersions, TheLastHoldsAllThatBeginAlike) {
  EXPECT_FALSE(is_newer(kSome, "5.0.99"));
  EXPECT_FALSE(is_newer(kSome, "4.1.4"));
  EXPECT_TRUE(is_newer(kSome, "5.1"));
  EXPECT_TRUE(is_newer(kSome, "6"));
  EXPECT_TRUE(is_newer({"Open MPI", "4.1", "5.0.6", ""}, "5.0.7rc1"));
  EXPECT_FALSE(is_newer({"NCCL", "", "", ""}, "9"));
}

TEST(KnownVersions, AFileSaysWhatItIsFor) {
  const auto of = [](std::string_view content) { return stated_version(kSome, content).version; };
  EXPECT_EQ(of("# tree; colltree 9\n# For openmpi-4.1; columns: bytes\n1\n"), "4.1");
  EXPECT_EQ(of("1 # rules\n#rules for Open MPI v7.0.\n"), "7.0");
  EXPECT_EQ(of("# better than for MPICH 5\n"), "");
  EXPECT_EQ(of("# for Open MPI\n"), "");
  EXPECT_EQ(of("for Open MPI 7\n"), "") << "no comment";
  EXPECT_EQ(stated_version(kSome, "\n# for Open MPI 7\n").line, 2U);
}

// What each format writes is right, and the same file for a version to come is not.
TEST(KnownVersions, AFileForANewerVersionIsNotCalledRight) {
  testing::Random random(9);
  std::size_t asked = 0;
  for (const RuleTarget& target : rule_targets()) {
    if (*target.versions.library == '\0') continue;
    std::string file = testing::random_file(random, target, Collective::kBcast);
    if (file.find('#') == std::string::npos) continue;  // JSON has no comments
    ++asked;
    const auto complaints = [&] {
      std::string all;
      for (const Defect& defect : check_rules(target, file).defects) {
        if (defect.text.find("the file says it is for") != std::string::npos)
          all += std::string(name(defect.severity)) + ": " + defect.text;
      }
      return all;
    };
    EXPECT_EQ(complaints(), "") << target.name;
    const std::size_t at = file.find("# ");
    file.insert(at, std::string("# for ") + target.versions.library + " 9999.1\n");
    EXPECT_THAT(complaints(), HasSubstr("the file says it is for")) << target.name;
    const bool bounded = *target.versions.last != '\0';
    EXPECT_THAT(complaints(), ::testing::StartsWith(bounded ? "error: " : "warning: "));
  }
  EXPECT_GE(asked, 7U);
}

}  // namespace
}  // namespace colltree
