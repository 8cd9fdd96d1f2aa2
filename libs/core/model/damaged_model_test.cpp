// SPDX-License-Identifier: BSD-3-Clause
// Model files that a person or a disk has damaged: each value in turn is another one or missing.
// The reader takes the model or refuses it in our own words; what it takes works.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/test_scratch.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/test_models.h"

namespace colltree::model {
namespace {

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
void add_places(const Json& value, const std::string& at, std::vector<std::string>& places) {
  places.push_back(at);
  for (const auto& [key, inner] : value.items()) add_places(inner, at + "/" + key, places);
  for (std::size_t i = 0; i < (value.is_array() ? value.size() : 0); ++i) {
    add_places(value[i], at + "/" + std::to_string(i), places);
  }
}

constexpr const char* kRules = "rules";

// Stored models, one for each kind.
Json stored_model(const std::string& kind, const std::vector<Timings>& timings) {
  if (kind != kRules) return to_json(parse_fitter(kind).fit(timings));
  Model fitted = parse_fitter("quadtree").fit(timings);
  return to_json(rules_model(fitted.origin, fitted.rules));
}

// "" when the model is taken and can be asked everything that commands ask.
std::string refusal(const std::function<Model()>& load) {
  try {
    const Model model = load();
    for (const Collective collective : model.origin.collectives) {
      model.decide({collective, 5, 3000});
    }
    to_json(model);
    if (model.kind != kRules) fitter_of(model);  // was not fitted
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
                           "optimal:leaves=auto", kRules}) {
    const Json whole = stored_model(kind, two);
    ASSERT_EQ(refusal([&] { return model_from_json(whole); }), "") << kind;
    std::vector<std::string> places;
    add_places(whole, "", places);
    for (const std::string& place : places) {
      for (const Json& other : {Json(), Json(-1), Json(1.5), Json(1e300), Json("x"), Json(true),
                                Json::array(), Json::object(), Json(UINT64_MAX)}) {
        Json damaged = whole;
        testing::json_place(damaged, place) = other;
        const std::string said = refusal([&] { return model_from_json(damaged); });
        EXPECT_THAT(said, ::testing::Not(::testing::AnyOf(::testing::StartsWith("JSON: "),
                                                          ::testing::StartsWith("raw: "))))
            << kind << " " << place << " = " << other.dump();
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
  Json model = to_json(parse_fitter("quadtree").fit({table(Collective::kBcast)}));
  model["body"]["nodes"][2] = "x";
  EXPECT_EQ(refusal_of(model.dump()),
            path +
                ": nodes[2]: 'nodes' must hold [attribute, threshold, low, high] or [method], "
                "not \"x\"");
  EXPECT_EQ(refusal_of("{\n\"a\": 1e999}"),
            path +
                ":2: '1e999' is beyond what a number can be (byte 6 of the line); a model is what "
                "colltree fit writes");
  EXPECT_EQ(refusal_of("[1,\n2"),
            path + ":2: the JSON ends in the middle: the file is cut off or empty");
  EXPECT_EQ(
      refusal_of("profile"),
      path + ":1: 'profile' is no JSON (byte 1 of the line); a model is what colltree fit writes");
}

}  // namespace
}  // namespace colltree::model
