// SPDX-License-Identifier: BSD-3-Clause
// Text of a model stays text in every file that is written from it.
#include <fmt/format.h>
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
  if (target == "ucc") return {{"knomial", 0}};
  if (target == "nccl") return {{"ring", 0}};
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

TEST(HostileText, NamesAreQuotedInDotAndC) {
  const model::Model model =
      model_of("s", {{"a\"];x[\\", std::nullopt}, {"*/ \"b\n", std::nullopt}});
  EXPECT_THAT(emitted(find_emitter("dot"), model), HasSubstr(R"(label="a\"];x[\\"])"));
  EXPECT_THAT(emitted(find_emitter("dot"), model), HasSubstr(R"(label="*/ \"b\\x0A"])"));
  EXPECT_THAT(emitted(find_emitter("c"), model), HasSubstr(R"({"\052\057 \042b\012", -1})"));
}

TEST(HostileText, ReadersOfRulesRefuseControlCharactersAndShowThem) {
  const auto defects = [](const std::string& collective, const std::string& algorithm) {
    const std::string text = fmt::format(
        R"({{"format": "colltree rules", "version": 1, "collectives": {{"{}": [{{"communicator_size": [0, null], "message_size": [0, null], "algorithm": "{}"}}]}}}})",
        collective, algorithm);
    return rules::check_rules(rules::find_rule_target("rules-json"), text).defects;
  };
  const auto named = defects("bcast", "a\\u001b[31mb");
  ASSERT_EQ(named.size(), 1U);
  EXPECT_EQ(named[0].text, "the algorithm's name holds a control character (0x1B)");
  const auto unknown = defects("b\\u001b[31m", "a");
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
  for (const char* target : {"openmpi-4.1", "mpich-4.0", "nccl", "intel", "intel-tuning", "smpi"}) {
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
