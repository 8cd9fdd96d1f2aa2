// SPDX-License-Identifier: BSD-3-Clause
// Text of a model stays text in every file that is written from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/test_scratch.h"
#include "base/text.h"
#include "emit/emitter.h"
#include "model/model.h"
#include "rules/check_rules.h"
#include "rules/rule_target.h"

namespace colltree::emit {
namespace {

using ::testing::HasSubstr;

model::Model model_of(const std::string& system, const std::vector<Method>& methods) {
  model::RuleTree tree;
  tree.methods = methods;
  tree.roots = {{Collective::kBcast, 0}};
  tree.nodes = {{.attribute = Attribute::kMessageSize, .threshold = 1024, .low = 1, .high = 2},
                {.method = 0},
                {.method = static_cast<std::uint16_t>(methods.size() - 1)}};
  return model::rules_model({system, "imported", {Collective::kBcast}, 4}, tree);
}

std::string emitted(const Emitter& emitter, const model::Model& model) {
  return emitter.emit(model, EmitOptions{});
}

// The methods of the first file that the target can say.
std::vector<Method> sayable(const std::string& target) {
  if (target == "smpi") return {{"binomial_tree", 0}};
  if (target == "ucc" || target == "ucc-conf") return {{"knomial", 0}};
  if (target == "nccl") return {{"ring", 0}};
  if (target == "oneccl") return {{"ring", 0}};
  return {{"binomial", 0}};
}

TEST(HostileText, OfTheOriginBecomesNoLineOfAnyFile) {
  const std::string system =
      "x\nEVIL=1\r\nEVIL export LD_PRELOAD=x\n--cfg=EVIL */ EVIL() \x1b[31m \"'`$(EVIL)\\";
  for (const Emitter& emitter : emitters()) {
    const std::string target = emitter.target;
    const std::string text = emitted(emitter, model_of(system, sayable(target)));
    if (target == "cdt" || target == "tree" || target == "table") continue;  // not of lines
    std::size_t named = 0;
    for (const std::string_view line : split(text, '\n')) {
      EXPECT_EQ(line.find('\x1b'), std::string_view::npos) << target << ": " << line;
      if (line.find("EVIL") == std::string_view::npos) continue;
      ++named;
      const bool comment = line.starts_with("# ") || line.starts_with("// ") ||
                           line.starts_with("/* ") || trim(line).starts_with("\"comment\"");
      EXPECT_TRUE(comment) << target << ": " << line;
      if (line.starts_with("/*")) {
        EXPECT_EQ(line.find("*/"), std::string_view::npos) << target << ": " << line;
      }
    }
    EXPECT_LE(named, 1U) << target;
  }
}

TEST(Unproven, IsSaidInTheListAndInTheFile) {
  std::size_t unproven = 0;
  for (const rules::RuleTarget& target : rules::rule_targets()) {
    const Emitter& emitter = find_emitter(target.name);
    const bool expected = rules::is_unproven(target.versions);
    EXPECT_EQ(emitter.summary.ends_with("; unproven"), expected) << target.name;
    const std::string text = emitted(emitter, model_of("s", sayable(target.name)));
    EXPECT_EQ(text.find("; unproven: ") != std::string::npos, expected) << target.name;
    unproven += expected ? 1 : 0;
  }
  EXPECT_EQ(unproven, 1U);  // openmpi-6
}

TEST(HostileText, NamesAreQuotedInDotAndC) {
  const model::Model model =
      model_of("s", {{"a\"];x[\\", std::nullopt}, {"*/ \"b\n", std::nullopt}});
  EXPECT_THAT(emitted(find_emitter("dot"), model), HasSubstr(R"(label="a\"];x[\\"])"));
  EXPECT_THAT(emitted(find_emitter("dot"), model), HasSubstr(R"(label="*/ \"b\\x0A"])"));
  EXPECT_THAT(emitted(find_emitter("c"), model), HasSubstr(R"({"\052\057 \042b\012", -1})"));
}

TEST(HostileText, RulesAsATableGiveTheNamesBack) {
  const std::vector<Method> methods = {{"=cmd|'/c calc'!A0", 0}, {"say \"a,b\"", std::nullopt}};
  const std::string text = emitted(find_emitter("rules-csv"), model_of("s", methods));
  EXPECT_THAT(text, HasSubstr(",'=cmd|'/c calc'!A0,0\n"));
  EXPECT_THAT(text, HasSubstr(",\"say \"\"a,b\"\"\",\n"));
  const rules::RuleTarget& target = rules::find_rule_target("rules-csv");
  const rules::RuleFile file = rules::check_rules(target, text);
  EXPECT_TRUE(file.defects.empty());
  ASSERT_EQ(file.rules.collectives.size(), 1U);
  EXPECT_EQ(file.rules.collectives[0].rules[0].method, methods[0]);
  EXPECT_EQ(file.rules.collectives[0].rules[1].method, methods[1]);
}

TEST(HostileText, ReadersOfRulesRefuseControlCharactersAndShowThem) {
  const std::string head =
      "collective,communicator_size_min,communicator_size_max,message_size_min,message_size_max,"
      "ranks_per_node_min,ranks_per_node_max,algorithm,segment_size\n";
  const auto defects = [](const char* target, const std::string& text) {
    return rules::check_rules(rules::find_rule_target(target), text).defects;
  };
  const auto csv = defects("rules-csv", head + "bcast,0,inf,0,inf,0,inf,a\x1b[31mb,\n");
  ASSERT_EQ(csv.size(), 1U);
  EXPECT_EQ(csv[0].text, "the algorithm's name holds a control character (0x1B)");
  const auto unknown = defects("rules-csv", head + "b\x1b[31m,0,inf,0,inf,0,inf,a,\n");
  ASSERT_EQ(unknown.size(), 1U);
  EXPECT_EQ(unknown[0].text, "unknown collective 'b\\x1B[31m'");
}

std::string refusal(const char* target, const model::Model& model) {
  return error_of([&] { find_emitter(target).emit(model, EmitOptions{}); });
}

TEST(NothingToSay, AFileThatWouldChangeNothingIsRefused) {
  const std::string tail =
      ": the file would change nothing in the library; name another target (colltree emit --help "
      "lists them)";
  const model::Model model = model_of("s", {{"cray_gnilnd", std::nullopt}});
  EXPECT_EQ(refusal("ucc", model),
            "ucc has none of the model's methods (ucc has no bcast 'cray_gnilnd')" + tail);
  for (const char* target :
       {"openmpi-4.1", "openmpi-6", "mpich-4.0", "nccl", "intel", "intel-tuning", "smpi"}) {
    EXPECT_THAT(refusal(target, model), HasSubstr(" has none of the model's methods (")) << target;
    EXPECT_THAT(refusal(target, model), HasSubstr(tail)) << target;
  }
  EXPECT_EQ(refusal("openmpi-4.1", model_of("s", {{"cray_gnilnd", 0}, {"binomial", 0}})),
            "no error");
}

TEST(NothingToSay, AFileThatLeavesEverythingToTheLibrarySaysSo) {
  std::vector<std::string> notes;
  const std::string text = find_emitter("ucc").emit(
      model_of("s", {{kDefaultAlgorithm, std::nullopt}}), EmitOptions{.notes = &notes});
  EXPECT_THAT(text, ::testing::EndsWith("\n# Nothing is chosen: UCC decides.\n"));
  EXPECT_THAT(notes,
              ::testing::Contains("the file leaves every call to the library: it changes nothing"));
}

}  // namespace
}  // namespace colltree::emit
