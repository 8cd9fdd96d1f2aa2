// SPDX-License-Identifier: BSD-3-Clause
#include "rules/check_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "base/error.h"
#include "rules/rule_target.h"
#include "rules/test_rules.h"

namespace colltree::rules {
namespace {

std::string detected(std::string_view content) {
  const RuleTarget* found = detect_target(content);
  return found == nullptr ? "" : found->name;
}

// Versions of MPICH and UCC differ only by what they have.
std::string without_version(const std::string& target) {
  const bool alike = target.starts_with("mpich-") || target.starts_with("ucc-1");
  return alike ? target.substr(0, target.find('-')) : target;
}

// What emit writes, for every collective.
TEST(DetectTarget, KnowsEveryFormatThatIsWritten) {
  testing::Random random(9);
  for (const RuleTarget& target : rule_targets()) {
    for (const CollectiveInfo& info : all_collectives()) {
      if (!target.size_key(info.collective) ||
          testing::expressible(target, info.collective).empty())
        continue;
      const std::string text = testing::random_file(random, target, info.collective);
      const std::string found = detected(text);
      EXPECT_EQ(without_version(found), without_version(target.name)) << text;
    }
  }
}

TEST(DetectTarget, GoesByWhatAFileHolds) {
  struct Case {
    const char* content;
    const char* target;
  };
  const Case cases[] = {
      {"1\n7\n1\n2\n1\n0 6 0 0\n", "openmpi-4.1"},
      {"# rules of our cluster\n1 # collectives\n7 1 2 1 0 6 0 0", "openmpi-4.1"},
      {"# For openmpi-5.0.7\n1\n7\n1\n2\n1\n0 6 0 0\n", "openmpi-5.0.7"},
      {"rule-file-version-2\n1 7 1 2 1 0 6 0 0 0\n", "openmpi-5.0.7"},
      {"1 7 1 0 1 0 9 0 0\n", "openmpi-4.1"},
      {"1\nbcast\n1\n2\n1\n1\n1\n0 tuned\n", "openmpi-han"},
      {"1 7 1 2 1 1 1 0 tuned\n", "openmpi-han"},
      {"/* ours */ { 'collective=bcast': { 'algorithm=MPIR_Bcast_intra_binomial': {} } }",
       "mpich-4.0"},
      {"{ \"collective=bcast\": { \"algorithm=MPIR_Bcast_intra_tree\": {\"tree_type=kary\": {}, "
       "\"k=2\": {}, \"is_non_blocking=0\": {}, \"topo_overhead=0\": {}, \"topo_diff_groups=0\": "
       "{}, \"topo_diff_switches=0\": {}, \"topo_same_switches=0\": {}} } }",
       "mpich-4.2"},
      {"export UCC_TL_UCP_TUNE=inf\n", "ucc"},
      {"UCC_CL_BASIC_TLS=^sharp\n[vendor=intel]\nUCC_TL_UCP_TUNE=allreduce:@0\n", "ucc"},
      {"# Intel MPI\nexport I_MPI_ADJUST_ALLREDUCE=4\n", "intel"},
      {"// x\n{\"coll=Bcast\": {}}\n", "intel-tuning"},
      {"--cfg=smpi/bcast:mpich\n", "smpi"},
      {"allreduce,0,1048576,ring,ll128,-1,-1,-1,4,-1\n", "nccl"},
      {"", ""},
      {"# nothing\n", ""},
      {"hello world\n", ""},
      {"7\n", ""},
  };
  for (const Case& one : cases) EXPECT_EQ(detected(one.content), one.target) << one.content;
}

TEST(DetectTarget, ListsTheFormatsWhereTheFileSaysNothing) {
  try {
    find_or_detect_target("", "hello\n", "x.rules");
    ADD_FAILURE();
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 76),
              "x.rules: its format is not known from its content; give --for: openmpi-4.1, ");
  }
  EXPECT_STREQ(find_or_detect_target("nccl", "hello\n", "x").name, "nccl");
}

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
}  // namespace colltree::rules
