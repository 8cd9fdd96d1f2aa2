// SPDX-License-Identifier: BSD-3-Clause
// What differs between the versions of MPICH's selection files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/input.h"
#include "base/test_paths.h"
#include "emit/rules/check_rules.h"
#include "emit/rules/mpich_methods.h"
#include "emit/rules/rule_target.h"

namespace colltree {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string stock(const char* target) {
  return find_rule_target(target).write(find_rule_target(target), {}, "");
}

// A name that a version does not know aborts every program; a radix that is not given is not set.
TEST(MpichVersions, TheBarrierHasItsVersionsName) {
  EXPECT_THAT(stock("mpich-4.0"), HasSubstr("MPIR_Barrier_intra_dissemination\": {}"));
  for (const char* target : {"mpich-4.1", "mpich-4.2"}) {
    EXPECT_THAT(stock(target),
                HasSubstr("MPIR_Barrier_intra_k_dissemination\": {\n     \"k=2\": {}"));
    EXPECT_THAT(stock(target), Not(HasSubstr("intra_dissemination")));
  }
}

TEST(MpichVersions, TheNamesOfAnotherAreErrors) {
  const auto defects = [](const char* target, const std::string& text) {
    std::string all;
    for (const Defect& defect : check_rules(find_rule_target(target), text).defects)
      all += std::string(name(defect.severity)) + ": " + defect.text + "\n";
    return all;
  };
  for (const char* target : {"mpich-4.0", "mpich-4.1", "mpich-4.2"})
    EXPECT_EQ(defects(target, stock(target)), "");
  EXPECT_EQ(defects("mpich-4.2", stock("mpich-4.0")),
            "error: barrier: unknown algorithm 'MPIR_Barrier_intra_dissemination'; did you mean "
            "'MPIR_Barrier_intra_k_dissemination'?; mpich-4.2 aborts in MPI_Init\n");
  EXPECT_THAT(defects("mpich-4.0", stock("mpich-4.2")), HasSubstr("unknown algorithm"));
  std::string without = stock("mpich-4.2");
  without.replace(without.find("\"k=2\""), 5, "\"x=2\"");
  EXPECT_EQ(defects("mpich-4.2", without),
            "unsafe: barrier k_dissemination without \"k=2\" below it: MPICH takes any value\n");
}

// What MPICH 4.0.2 ran under the file of tests/data/reports with one edit, as `explain --live` saw.
TEST(MpichVersions, OddFilesAnswerAsTheLibraryDid) {
  struct Case {
    const char* now;  // in the place of "avg_msg_size<=237"
    std::uint64_t ranks;
    std::uint64_t bytes;
    const char* algorithm;
  };
  const Case cases[] = {
      {"\"avg_msg_size<=64K\"", 2, 64, "binomial"},
      {"\"avg_msg_size<=64K\"", 2, 65, "scatter_ring_allgather"},
      {"\"avg_msg_size<=4294967300\"", 2, 4, "binomial"},
      {"\"avg_msg_size<=4294967300\"", 2, 5, "scatter_ring_allgather"},
      {"\"avg_msg_size<=-5\"", 2, 1, "scatter_ring_allgather"},
      {"\" avg_msg_size <= 2 37\"", 2, 237, "binomial"},
      {"\"avg_msg\\u005fsize<=\n237\"", 2, 238, "scatter_ring_allgather"},
      {"\"avg_msg_size<=100\": {\"comm_size<3\": "
       "{\"algorithm=MPIR_Bcast_intra_scatter_ring_allgather"
       "\": {}}, \"comm_size=any\": {\"algorithm=MPIR_Bcast_intra_binomial\": {}}},\n"
       "\"avg_msg_size<=237\"",
       3, 50, "scatter_ring_allgather"},
      {"\"avg_msg_size<=8\": {\"algorithm=MPIR_Bcast_intra_smp\": {}}, \"avg_msg_size<=8\": "
       "{\"algorithm=MPIR_Bcast_intra_scatter_ring_allgather\": {}}, \"avg_msg_size<=237\"",
       2, 8, "scatter_ring_allgather"},
  };
  const RuleTarget& target = find_rule_target("mpich-4.0");
  const std::string file = read_file(testing::data_dir() / "reports" / "mpich-4.0-comment.json");
  const std::string old = "\"avg_msg_size<=237\"";
  for (const Case& one : cases) {
    std::string text = file;
    text.replace(text.find(old), old.size(), one.now);
    const RuleFile read = check_rules(target, text);
    for (const Defect& defect : read.defects)
      EXPECT_EQ(defect.severity, Severity::kWarning) << defect.text;
    const Instance at{Collective::kBcast, one.ranks, one.bytes};
    EXPECT_EQ(decide(target, read.rules, at).algorithm, one.algorithm) << one.now;
  }
}

// One rule for all calls of a collective, written; the method that is read again.
Method through_a_file(Collective collective, const char* name, std::uint64_t segment_size) {
  const RuleTarget& target = find_rule_target("mpich-4.2");
  const Expressed expressed =
      target.express(target, collective, parse_method_name(name, segment_size));
  EXPECT_EQ(expressed.reason, "") << name;
  const RuleSet rules{{{collective, {{.method = *expressed.method}}}}};
  const RuleFile file = check_rules(target, target.write(target, rules, ""));
  EXPECT_TRUE(std::ranges::none_of(file.defects, [](const Defect& one) {
    return one.severity == Severity::kError;
  })) << name;
  return decide(target, file.rules, {collective, 8, 65536});
}

TEST(MpichVersions, RadixAndSegmentSizeGoThroughAFile) {
  EXPECT_EQ(through_a_file(Collective::kAllreduce, "recexch@radix=4", 0).label(),
            "Recexch@radix=4_0K");
  EXPECT_EQ(through_a_file(Collective::kAllreduce, "tree@radix=3", 8192).name(), "tree@radix=3");
  EXPECT_EQ(through_a_file(Collective::kAllreduce, "tree@radix=3", 8192).segment_size, 8192U);
  EXPECT_EQ(through_a_file(Collective::kBcast, "pipelined_tree", 1024).segment_size, 1024U);
  EXPECT_EQ(through_a_file(Collective::kBcast, "tree@radix=2", 0).name(), "tree") << "its own";
  EXPECT_EQ(through_a_file(Collective::kBarrier, "k_dissemination@radix=4", 0).name(),
            "k_dissemination@radix=4");
  const RuleTarget& old = find_rule_target("mpich-4.0");
  EXPECT_EQ(old.express(old, Collective::kBarrier, parse_method_name("k_dissemination@radix=4", 0))
                .reason,
            "barrier dissemination of mpich-4.0 has no radix");
}

TEST(MpichVersions, OneAlgorithmUnderTwoNamesIsFound) {
  const auto of = [](const char* target, Collective collective, const char* algorithm) {
    const Expressed expressed =
        express_mpich(find_rule_target(target), collective, {algorithm, std::nullopt});
    return expressed.method ? expressed.method->algorithm : expressed.reason;
  };
  EXPECT_EQ(of("mpich-4.0", Collective::kBarrier, "k_dissemination"), "dissemination");
  EXPECT_EQ(of("mpich-4.2", Collective::kBarrier, "dissemination"), "k_dissemination");
  EXPECT_EQ(of("mpich-4.1", Collective::kAllreduce, "tree"), "MPICH 4.1 has no allreduce 'tree'");
  EXPECT_EQ(of("mpich-4.2", Collective::kAllreduce, "tree"), "tree");
}

}  // namespace
}  // namespace colltree
