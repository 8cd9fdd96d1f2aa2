// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45_based.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "model/json_fields.h"

namespace colltree {

namespace {

std::vector<C45Feature> read_features(const Json& body) {
  std::vector<C45Feature> features;
  json_each(body, "attributes", [&](const Json& feature) {
    if (!feature.is_string()) throw Error("expected the name of an attribute");
    features.push_back(parse_c45_feature(feature.get<std::string>()));
  });
  return features;
}

}  // namespace

C45Based::C45Based(ModelOrigin origin, const C45Table& table, const C45Options& options)
    : origin_(std::move(origin)),
      options_(options),
      methods_(table.methods),
      features_(table.features) {}

C45Based::C45Based(const StoredModel& stored)
    : origin_(stored.origin),
      options_(c45_options(read_parameters(c45_parameters(), stored.parameters))),
      methods_(stored.methods),
      features_(read_features(stored.body)),
      statistics_(stored.statistics) {}

c45::Training C45Based::train(const C45Table& table, const C45Options& options) {
  c45::TrainOptions train;
  train.grow.weight = options.weight;
  train.grow.gain_only = options.gain_only;
  train.grow.group = options.group;
  train.confidence_percent = options.confidence_level;
  return c45::train(table.schema, table.cases, train);
}

void C45Based::add_statistic(const std::string& name, Json value) {
  statistics_[name] = std::move(value);
}

c45::Schema C45Based::schema() const {
  return c45_schema(features_, origin_.collectives, methods_);
}

Json C45Based::attributes_json() const {
  Json attributes = Json::array();
  for (const C45Feature feature : features_) attributes.push_back(name(feature));
  return attributes;
}

std::size_t C45Based::index_of(Collective collective) const {
  const auto found = std::ranges::find(origin_.collectives, collective);
  if (found == origin_.collectives.end()) {
    throw Error(fmt::format("the model does not decide for {}", name(collective)));
  }
  return static_cast<std::size_t>(found - origin_.collectives.begin());
}

void C45Based::check_method(const std::string& where, std::uint32_t method) const {
  if (method < methods_.size()) return;
  throw Error(fmt::format("{}: method {} of {}", where, method, methods_.size()));
}

void C45Based::check_test(const std::string& where, std::uint32_t attribute, bool is_threshold,
                          const char* what) const {
  if (attribute >= features_.size()) {
    throw Error(fmt::format("{}: attribute {} of {}", where, attribute, features_.size()));
  }
  if (is_threshold == (features_[attribute] == C45Feature::kCollective)) {
    throw Error(fmt::format("{}: the {} does not fit the attribute", where, what));
  }
}

}  // namespace colltree
