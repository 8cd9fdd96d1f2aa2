// SPDX-License-Identifier: BSD-3-Clause
#include "model/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/test_scratch.h"
#include "model/kind.h"

namespace colltree::model {
namespace {

using ::testing::HasSubstr;

Model small_model() {
  RuleTree tree{.methods = {{"linear", 0}, {"basic", std::nullopt}},
                .roots = {{Collective::kBcast, 0}, {Collective::kReduce, 2}},
                .nodes = {}};
  append_test(tree, Attribute::kMessageSize, UINT64_MAX - 1);
  append_leaf(tree, 0);
  append_leaf(tree, 1);
  tree.nodes[0].low = 1;
  tree.nodes[0].high = 2;
  return rules_model({"grig", "simulated", {Collective::kBcast, Collective::kReduce}, 1248}, tree);
}

std::string load_error(const std::string& content) {
  const auto path = fresh_path("bad_model.json");
  write_file(path, content);
  try {
    load_model(path);
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_THAT(what, HasSubstr(path.string() + ":"));
    return what.substr(path.string().size());
  }
  return "no error";
}

TEST(Model, SavedAndLoadedIsTheSame) {
  Model model = small_model();
  model.origin.algorithms = "openmpi";
  model.origin.mpi = "openmpi-4.1.4";
  const auto path = fresh_path("model.json");
  save_model(model, path);
  const auto loaded = load_model(path);
  EXPECT_EQ(loaded.kind, "rules");
  EXPECT_EQ(loaded.origin, model.origin);
  EXPECT_EQ(loaded.rules, model.rules);
  EXPECT_EQ(to_json(loaded), to_json(model));
  EXPECT_EQ(loaded.decide({Collective::kBcast, 2, UINT64_MAX}).algorithm, "basic");
}

TEST(Model, MistakesInTheFileAreNamed) {
  struct Case {
    void (*damage)(Json&);
    const char* error;
  };
  const Case cases[] = {
      {[](Json& m) { m["format"] = "x"; },
       ": not a model: 'format' is not \"colltree-model\"; colltree fit writes models"},
      {[](Json& m) { m = Json::array({1}); },
       ": not a model: 'format' is not \"colltree-model\"; colltree fit writes models"},
      {[](Json& m) { m["origin"]["system"] = "a\nexport LD_PRELOAD=x"; },
       ": 'system' holds a control character (0x0A); write plain text"},
      {[](Json& m) { m["origin"]["timings"] = 3; }, ": 'timings' must be a string"},
      {[](Json& m) { m["methods"][0]["algorithm"] = "a\x1b[31m"; },
       ": methods[0]: 'algorithm' holds a control character (0x1B); write plain text"},
      {[](Json& m) { m["kind"] = "oracle"; }, ": unknown kind of model 'oracle'; known are "},
      {[](Json& m) { m["version"] = 3; }, ": model format version 3 is newer than 2, "},
      {[](Json& m) { m["version"] = 1; },
       ": model format version 1 is older than any that was released; fit the model again"},
      {[](Json& m) { m["version"] = -1; }, ": 'version' must be an integer >= 0, not -1"},
      {[](Json& m) { m.erase("body"); }, ": field 'body' is missing"},
      {[](Json& m) { m["origin"]["collectives"][0] = "bcats"; },
       ": collectives[0]: unknown collective 'bcats'"},
      {[](Json& m) { m["methods"][0].erase("algorithm"); },
       ": methods[0]: field 'algorithm' is missing"},
      {[](Json& m) { m["methods"] = 3; }, ": 'methods' must be an array"},
      {[](Json& m) { m["body"]["nodes"][0][0] = "mesage_size"; },
       ": nodes[0]: unknown attribute 'mesage_size'; did you mean 'message_size'?"},
      {[](Json& m) { m["body"]["nodes"][1][0] = 7; }, ": node 1: method 7 of 2"},
      {[](Json& m) { m["body"]["nodes"][1] = "x"; }, ": nodes[1]: 'nodes' must hold "},
      {[](Json& m) { m["body"]["nodes"][0][2] = 1.5; },
       ": nodes[0]: 'low' must be an integer from 0 to "},
  };
  for (const Case& one : cases) {
    Json envelope = to_json(small_model());
    one.damage(envelope);
    EXPECT_THAT(load_error(envelope.dump()), ::testing::StartsWith(one.error));
  }
}

TEST(Model, EveryCutOfTheFileIsRefusedWithItsLine) {
  const std::string whole = to_json(small_model()).dump(1);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    EXPECT_THAT(load_error(whole.substr(0, length)), HasSubstr("cut off or empty")) << length;
  }
  EXPECT_EQ(
      load_error("{\n\"format\": }"),
      ":2: expected a value, got '}' (byte 11 of the line); a model is what colltree fit writes");
}

}  // namespace
}  // namespace colltree::model
