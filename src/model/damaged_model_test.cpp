// SPDX-License-Identifier: BSD-3-Clause
// Model files that a person or a disk has damaged: each value in turn is another one or missing.
// The reader takes the model or refuses it in our own words; what it takes works.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/test_scratch.h"
#include "model/decision_function.h"
#include "model/fitter.h"

namespace colltree {
namespace {

using nlohmann::json;

Timings table(Collective collective) {
  Timings timings;
  timings.system = "grig";
  timings.provenance = "simulated";
  timings.collective = collective;
  timings.methods = {{"small", 0}, {"large", 0}};
  for (const std::uint64_t ranks : {2, 4, 8, 16}) {
    for (const std::uint64_t bytes : {1024, 4096, 16384, 65536}) {
      timings.instances.push_back({collective, ranks, bytes});
      timings.time_us.push_back(bytes <= 4096 * (ranks / 4 + 1) ? 1 : 3);
      timings.time_us.push_back(2);
      timings.default_us.push_back(kNoTime);
    }
  }
  return timings;
}

// Every place in the document, outside first.
void add_places(const json& value, const json::json_pointer& at,
                std::vector<json::json_pointer>& places) {
  places.push_back(at);
  if (!value.is_structured()) return;
  for (const auto& [key, inner] : value.items()) {
    add_places(inner, value.is_array() ? at / std::stoul(key) : at / key, places);
  }
}

// "" when the model is taken and can be asked everything that commands ask.
std::string refusal(const std::function<std::unique_ptr<DecisionFunction>()>& load) {
  try {
    const auto model = load();
    model->lower();
    model->statistics();
    for (const Collective collective : model->origin().collectives) {
      model->decide({collective, 5, 3000});
    }
    to_json(*model);
    fitter_of(*model);
  } catch (const Error& error) {
    return error.what();
  } catch (const std::exception& error) {
    return fmt::format("raw: {}", error.what());
  }
  return "";
}

TEST(DamagedModel, IsRefusedInOurOwnWords) {
  const std::vector<Timings> two = {table(Collective::kBcast), table(Collective::kReduce)};
  for (const char* kind : {"quadtree", "kdtree", "c45:group=true", "c45-rules", "optimal:leaves=3",
                           "optimal:leaves=auto"}) {
    const json whole = to_json(*parse_fitter(kind).fit(two));
    ASSERT_EQ(refusal([&] { return model_from_json(whole); }), "") << kind;
    std::vector<json::json_pointer> places;
    add_places(whole, json::json_pointer(), places);
    for (const json::json_pointer& place : places) {
      for (const json& other : {json(), json(-1), json(1.5), json(1e300), json("x"), json(true),
                                json::array(), json::object(), json(UINT64_MAX)}) {
        json damaged = whole;
        damaged[place] = other;
        const std::string said = refusal([&] { return model_from_json(damaged); });
        EXPECT_THAT(said, ::testing::Not(::testing::AnyOf(::testing::HasSubstr("json.exception"),
                                                          ::testing::StartsWith("raw: "))))
            << kind << " " << place.to_string() << " = " << other.dump();
      }
    }
  }
}

TEST(DamagedModel, ErrorsNameThePlaceInTheFile) {
  const std::string path = fresh_path("damaged.json").string();
  const auto refusal_of = [&](const std::string& text) {
    write_file(path, text);
    return refusal([&] { return load_model(path); });
  };
  json model = to_json(*parse_fitter("quadtree").fit({table(Collective::kBcast)}));
  model["body"]["nodes"][2] = "x";
  EXPECT_EQ(refusal_of(model.dump()),
            path +
                ": nodes[2]: 'nodes' must hold [method] or [first child, split of each axis], "
                "not \"x\"");
  EXPECT_EQ(refusal_of("{\n\"a\": 1e999}"), path + ": holds a number that is too large");
  EXPECT_EQ(refusal_of("[1,\n2"),
            path + ":2: the JSON ends in the middle: the file is cut off or empty");
  EXPECT_EQ(refusal_of("profile"),
            path + ":1: this is not JSON; a model is what colltree fit writes");
}

}  // namespace
}  // namespace colltree
