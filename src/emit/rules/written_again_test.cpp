// SPDX-License-Identifier: BSD-3-Clause
// Files of others that the fuzzer found (tests/fuzz): accepted, they mean the same after writing
// them again.
#include <gtest/gtest.h>

#include "base/input.h"
#include "base/test_paths.h"
#include "emit/rules/check_rules.h"

namespace colltree {
namespace {

RuleFile accepted(const RuleTarget& target, const std::string& text) {
  RuleFile file = check_rules(target, text);
  for (const Defect& defect : file.defects) {
    EXPECT_NE(defect.severity, Severity::kError) << defect.text << "\n" << text;
  }
  return file;
}

struct Case {
  const char* target;
  const char* file;  // of the fuzzer's corpus
  std::uint64_t ranks;
  const char* method;  // of a broadcast of 8 bytes
};

TEST(WrittenAgain, ChoosesTheSame) {
  const Case cases[] = {{"openmpi-5.0.7", "communicators_of_0_ranks", 1, "binary"},
                        {"openmpi-han", "communicators_without_rules", 17, "tuned"},
                        {"openmpi-han", "communicators_without_rules", 18, "default"},
                        {"rules-json", "escape", 2, "linear"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.file);
    const RuleTarget& target = find_rule_target(one.target);
    const RuleFile file =
        accepted(target, read_file(testing::data_dir() / "../fuzz/corpus" / one.target / one.file));
    const RuleFile again = accepted(target, target.write(target, file.rules, ""));
    for (const RuleFile* rules : {&file, &again}) {
      const CollectiveRules* bcast = rules->rules.find(Collective::kBcast);
      ASSERT_NE(bcast, nullptr);
      EXPECT_EQ(decide(*bcast, {{.communicator_size = one.ranks, .message_size = 8}}).name(),
                one.method);
    }
  }
}

TEST(WrittenAgain, WhatIsNoEscapeIsRefused) {
  const RuleTarget& target = find_rule_target("rules-json");
  const RuleFile file =
      check_rules(target, read_file(testing::data_dir() / "../fuzz/corpus/rules-json/no_escape"));
  ASSERT_EQ(file.defects.size(), 1U);
  EXPECT_EQ(file.defects[0].line, 3U);
  EXPECT_EQ(file.defects[0].text, R"('\a' is no escape of JSON)");
}

}  // namespace
}  // namespace colltree
