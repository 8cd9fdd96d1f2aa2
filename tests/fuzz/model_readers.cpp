// SPDX-License-Identifier: BSD-3-Clause
// Models, JSON itself, and the files of release 8.
#include <limits>
#include <string>

#include "base/json.h"
#include "model/model.h"
#include "reader.h"
#include "release8/reader.h"

namespace colltree::fuzz {
namespace {

void read_json(std::string_view input) {
  const Json json = Json::parse(input);
  const std::string text = json.dump();
  require(Json::parse(text).dump() == text, "JSON written again is the same");
}

// Every threshold of the tree and its neighbours, one attribute at a time, on top of a usual one.
void require_same_decisions(const model::Model& one, const model::Model& other) {
  for (const model::RuleTree::Root& root : one.rules.roots) {
    const model::Thresholds thresholds = thresholds_of(one.rules, root.node);
    const auto ask = [&](const Instance& at) {
      require(one.decide(at) == other.decide(at), "a model written again decides the same");
    };
    for (const std::uint64_t ranks : thresholds[Attribute::kCommunicatorSize]) {
      for (const std::uint64_t more : {0, 1}) ask({root.collective, ranks + more, 1024});
    }
    for (const std::uint64_t bytes : thresholds[Attribute::kMessageSize]) {
      for (const std::uint64_t more : {0, 1}) ask({root.collective, 64, bytes + more, 8, 8});
    }
    ask({root.collective, 0, 0});
    ask({root.collective, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX});
  }
}

void read_model(std::string_view input) {
  const model::Model model = model::model_from_json(Json::parse(input));
  const std::string text = to_json(model).dump();
  const model::Model again = model::model_from_json(Json::parse(text));
  require(to_json(again).dump() == text, "a model written again is the same file");
  require_same_decisions(model, again);
}

void read_names(std::string_view input) {
  c45::Problems problems;
  c45::parse_names(input, "stem.names", problems);
  require(problems.size() <= 11, "the eleventh problem ends it");
}

// Against a schema with every kind of attribute.
void read_data(std::string_view input) {
  c45::Problems problems;
  c45::Schema schema = c45::parse_names(
      "binomial, linear, chain.\nranks: continuous.\nbytes: continuous.\nnet: eth, ib.\n"
      "site: discrete 3.\nnote: ignore.\n",
      "stem.names", problems);
  const c45::Cases cases = c45::parse_cases(input, "stem.data", schema, problems);
  for (const std::uint32_t label : cases.label) {
    require(label < schema.classes.size(), "a class is one of the schema");
  }
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    for (const std::uint32_t value : cases.values[a]) {
      require(value <= schema.attributes[a].values.size(), "a value is one of the schema");
    }
  }
}

}  // namespace

std::vector<Reader> model_readers() {
  return {{"json", read_json}, {"model", read_model}, {"names", read_names}, {"data", read_data}};
}

}  // namespace colltree::fuzz
