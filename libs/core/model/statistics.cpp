// SPDX-License-Identifier: BSD-3-Clause
#include "model/statistics.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/json.h"
#include "timings/penalty_json.h"

namespace colltree::model {

namespace {

// JSON has no infinity.
Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

double infinite_or_number(const Json& value, std::string_view what) {
  if (value.is_null()) return std::numeric_limits<double>::infinity();
  if (!value.is_number()) throw Error(fmt::format("'{}' must be a number or null", what));
  return value.number();
}

double infinite_or_number_field(const Json& object, const char* field) {
  return infinite_or_number(json_field(object, field), field);
}

Json shape_json(const TreeShape& shape) {
  return {{"leaves", shape.leaves},
          {"nodes", shape.nodes},
          {"min_depth", shape.min_depth},
          {"max_depth", shape.max_depth},
          {"mean_depth", shape.mean_depth}};
}

TreeShape read_shape(const Json& object, TreeShape otherwise) {
  constexpr std::pair<const char*, std::uint64_t TreeShape::*> kCounts[] = {
      {"leaves", &TreeShape::leaves},
      {"nodes", &TreeShape::nodes},
      {"min_depth", &TreeShape::min_depth},
      {"max_depth", &TreeShape::max_depth}};
  for (const auto& [field, count] : kCounts)
    if (object.contains(field)) otherwise.*count = json_unsigned(object, field);
  if (object.contains("mean_depth")) otherwise.mean_depth = json_number(object, "mean_depth");
  return otherwise;
}

void put_penalty(const TrainingPenalty& penalty, Json& json) {
  json["performance_penalty"] = penalty_json(penalty.overall);
  json["cannot_run"] = penalty.cannot_run;
  if (penalty.by_collective.empty()) return;
  Json each = Json::object();
  for (const auto& [collective, summary] : penalty.by_collective) {
    each[name(collective)] = penalty_json(summary);
  }
  json["performance_penalty_by_collective"] = std::move(each);
}

std::optional<TrainingPenalty> read_penalty(const Json& object) {
  if (!object.contains("performance_penalty")) return std::nullopt;
  TrainingPenalty penalty{.overall = penalty_from_json(json_object(object, "performance_penalty"))};
  if (object.contains("cannot_run")) penalty.cannot_run = json_unsigned(object, "cannot_run");
  if (!object.contains("performance_penalty_by_collective")) return penalty;
  const Json& each = json_object(object, "performance_penalty_by_collective");
  for (const auto& [collective, summary] : each.items()) {
    penalty.by_collective.emplace_back(parse_collective(collective), penalty_from_json(summary));
  }
  return penalty;
}

Json errors_json(const TreeErrors& tree) {
  return {{"leaves", tree.leaves},
          {"nodes", tree.nodes},
          {"errors", tree.errors},
          {"error_rate", tree.error_rate}};
}

TreeErrors read_errors(const Json& object) {
  return {json_unsigned(object, "leaves"), json_unsigned(object, "nodes"),
          json_unsigned(object, "errors"), json_number(object, "error_rate")};
}

void put_pruning(const Pruning& pruning, Json& json) {
  json["before_pruning"] = errors_json(pruning.before);
  json["after_pruning"] = errors_json(pruning.after);
  json["after_pruning"]["predicted_error_rate"] = pruning.predicted_error_rate;
}

std::optional<Pruning> read_pruning(const Json& object) {
  if (!object.contains("after_pruning")) return std::nullopt;
  const Json& after = json_object(object, "after_pruning");
  return Pruning{read_errors(json_object(object, "before_pruning")), read_errors(after),
                 json_number(after, "predicted_error_rate")};
}

void put_rules(const RuleCounts& rules, Json& json) {
  json.update({{"rules", rules.rules},
               {"conditions", rules.conditions},
               {"errors", rules.errors},
               {"error_rate", rules.error_rate}});
}

std::optional<RuleCounts> read_rules(const Json& object) {
  if (!object.contains("rules")) return std::nullopt;
  return RuleCounts{json_unsigned(object, "rules"), json_unsigned(object, "conditions"),
                    json_unsigned(object, "errors"), json_number(object, "error_rate")};
}

Json certificate_json(const Certificate& proof) {
  Json json = {{"status", proof.optimal ? "optimal" : "bounded"},
               {"objective", proof.objective},
               {"leaves", proof.leaves},
               {"value", number_or_null(proof.value)},
               {"lower_bound", number_or_null(proof.lower_bound)},
               {"tolerance", proof.tolerance},
               {"tests", proof.tests},
               {"grid", proof.grid},
               {"points", proof.points},
               {"methods", proof.methods}};
  if (proof.time_limit_s) json["time_limit_s"] = *proof.time_limit_s;
  return json;
}

std::optional<Certificate> read_certificate(const Json& object) {
  if (!object.contains("certificate")) return std::nullopt;
  const Json& json = json_object(object, "certificate");
  Certificate proof{.optimal = json_string(json, "status") == "optimal",
                    .objective = json_string(json, "objective"),
                    .leaves = json_unsigned(json, "leaves"),
                    .value = infinite_or_number_field(json, "value"),
                    .lower_bound = infinite_or_number_field(json, "lower_bound"),
                    .tolerance = json_number(json, "tolerance"),
                    .grid = json_unsigned_list(json, "grid"),
                    .points = json_unsigned(json, "points"),
                    .methods = json_unsigned(json, "methods")};
  json_each(json, "tests", [&](const Json& test) {
    if (!test.is_string()) throw Error("expected the name of an attribute");
    proof.tests.push_back(test.text());
  });
  if (json.contains("time_limit_s")) proof.time_limit_s = json_number(json, "time_limit_s");
  return proof;
}

// [leaves, value], and the bound as third value if it is not the value.
Json frontier_json(const std::vector<FrontierPoint>& frontier) {
  Json list = Json::array();
  for (const FrontierPoint& point : frontier) {
    Json entry = Json::array({point.leaves, number_or_null(point.value)});
    if (point.lower_bound != point.value) entry.push_back(number_or_null(point.lower_bound));
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<FrontierPoint> read_frontier(const Json& object) {
  std::vector<FrontierPoint> frontier;
  if (!object.contains("frontier")) return frontier;
  json_each(object, "frontier", [&](const Json& point) {
    if (!point.is_array() || point.size() < 2) throw Error("expected [leaves, value, bound]");
    frontier.push_back({json_unsigned_value(point[0], "leaves"),
                        infinite_or_number(point[1], "value"),
                        infinite_or_number(point[point.size() - 1], "bound")});
  });
  return frontier;
}

std::vector<std::string> read_like_default(const Json& object) {
  std::vector<std::string> labels;
  if (!object.contains("like_default")) return labels;
  json_each(object, "like_default", [&](const Json& label) {
    if (!label.is_string()) throw Error("expected the label of a method");
    labels.push_back(label.text());
  });
  return labels;
}

constexpr std::pair<Jobs, std::string_view> kJobs[] = {
    {Jobs::kShared, "shared"}, {Jobs::kRepeated, "repeated"}, {Jobs::kNotKnown, "unknown"}};

std::string_view name(Jobs jobs) {
  return std::ranges::find(kJobs, jobs, &std::pair<Jobs, std::string_view>::first)->second;
}

Jobs parse_jobs(const std::string& text) {
  for (const auto& [jobs, word] : kJobs) {
    if (word == text) return jobs;
  }
  throw Error(fmt::format("'jobs': expected shared, repeated or unknown, got '{}'", text));
}

Json expectation_json(const Expectation& expectation) {
  Json worth = Json::array();
  for (const WorthMeasuring& size : expectation.worth)
    worth.push_back(Json::array({size.communicator_size, size.saving}));
  const auto& change = expectation.versus_default;
  return {{"versus_default", change ? Json(*change) : Json()},
          {"share_slower", expectation.share_slower},
          {"session_deviation", expectation.session_deviation},
          {"session_measured", expectation.session_measured},
          {"jobs", name(expectation.jobs)},
          {"promised", expectation.promised},
          {"worth_measuring", worth}};
}

std::optional<Expectation> read_expectation(const Json& object) {
  if (!object.contains("expectation")) return std::nullopt;
  const Json& json = json_object(object, "expectation");
  Expectation expectation{.share_slower = json_number(json, "share_slower"),
                          .session_deviation = json_number(json, "session_deviation"),
                          .session_measured = json_flag_or(json, "session_measured", false),
                          .jobs = parse_jobs(json_string_or(json, "jobs", "shared")),
                          .promised = json_flag_or(json, "promised", true)};
  if (!json_field(json, "versus_default").is_null())
    expectation.versus_default = json_number(json, "versus_default");
  json_each(json, "worth_measuring", [&](const Json& size) {
    if (!size.is_array() || size.size() != 2) throw Error("expected [communicator size, saving]");
    expectation.worth.push_back(
        {json_unsigned_value(size[0], "communicator size"), infinite_or_number(size[1], "saving")});
  });
  return expectation;
}

std::optional<Smoothing> read_smoothing(const Json& object) {
  if (!object.contains("smoothed")) return std::nullopt;
  const Json& json = json_object(object, "smoothed");
  return Smoothing{json_string(json, "kind"), json_number(json, "within"),
                   json_unsigned(json, "leaves_before")};
}

}  // namespace

Json to_json(const Statistics& statistics) {
  Json json = shape_json(statistics.shape);
  for (const auto& [collective, shape] : statistics.shapes) {
    json[name(collective)] = shape_json(shape);
  }
  if (statistics.penalty) put_penalty(*statistics.penalty, json);
  if (statistics.pruning) put_pruning(*statistics.pruning, json);
  if (statistics.rules) put_rules(*statistics.rules, json);
  if (statistics.certificate) {
    json["certificate"] = certificate_json(*statistics.certificate);
    json["frontier"] = frontier_json(statistics.frontier);
  }
  if (!statistics.like_default.empty()) json["like_default"] = statistics.like_default;
  if (statistics.expectation) json["expectation"] = expectation_json(*statistics.expectation);
  if (const auto& smoothing = statistics.smoothing) {
    json["smoothed"] = {{"kind", smoothing->kind},
                        {"within", smoothing->within},
                        {"leaves_before", smoothing->leaves_before}};
  }
  return json;
}

Statistics statistics_from_json(const Json& object, const RuleTree& rules) {
  Statistics statistics{.shape = read_shape(object, total_shape(rules)),
                        .penalty = read_penalty(object),
                        .pruning = read_pruning(object),
                        .rules = read_rules(object),
                        .certificate = read_certificate(object),
                        .frontier = read_frontier(object),
                        .like_default = read_like_default(object),
                        .expectation = read_expectation(object),
                        .smoothing = read_smoothing(object)};
  for (const RuleTree::Root& root : rules.roots) {
    const auto* fields = object.find(name(root.collective));
    if (fields == nullptr) continue;
    if (!fields->is_object())
      throw Error(fmt::format("'{}' must be an object", name(root.collective)));
    statistics.shapes.emplace_back(root.collective, read_shape(*fields, shape(rules, root.node)));
  }
  return statistics;
}

}  // namespace colltree::model
