// SPDX-License-Identifier: BSD-3-Clause
#include "timings/penalty_json.h"

#include <optional>

#include "base/json.h"

namespace colltree {

namespace {

constexpr std::pair<const char*, double PenaltySummary::*> kFigures[] = {
    {"min", &PenaltySummary::min},
    {"max", &PenaltySummary::max},
    {"mean", &PenaltySummary::mean},
    {"charged_mean", &PenaltySummary::charged_mean},
    {"median", &PenaltySummary::median},
    {"p95", &PenaltySummary::p95},
    {"share_above_5", &PenaltySummary::share_above_5},
    {"share_above_10", &PenaltySummary::share_above_10},
    {"share_above_50", &PenaltySummary::share_above_50}};

}  // namespace

Json penalty_json(const PenaltySummary& summary) {
  Json json = {{"instances", summary.instances}, {"above_50", summary.above_50}};
  if (summary.predicted > 0) json["predicted"] = summary.predicted;
  for (const auto& [field, figure] : kFigures)
    json[field] = summary.instances == 0 ? Json() : Json(summary.*figure);
  if (summary.geometric_mean || summary.instances == 0)
    json["geometric_mean"] = summary.geometric_mean ? Json(*summary.geometric_mean) : Json();
  json["versus_default"] = nullptr;
  if (summary.versus_default) json["versus_default"] = *summary.versus_default;
  if (summary.share_slower) json["share_slower"] = *summary.share_slower;
  if (summary.mean_interval) {
    json["mean_interval"] = {summary.mean_interval->low, summary.mean_interval->high};
  }
  return json;
}

PenaltySummary penalty_from_json(const Json& json) {
  const auto number = [&](const char* field) -> std::optional<double> {
    const Json* found = json.find(field);
    if (found == nullptr || found->is_null()) return std::nullopt;
    return json_number(json, field);
  };
  const auto count = [&](const char* field) {
    return json.contains(field) ? json_unsigned(json, field) : 0;
  };
  PenaltySummary summary{.instances = count("instances"),
                         .predicted = count("predicted"),
                         .above_50 = count("above_50")};
  for (const auto& [field, figure] : kFigures) summary.*figure = number(field).value_or(0);
  summary.geometric_mean = number("geometric_mean");
  summary.versus_default = number("versus_default");
  summary.share_slower = number("share_slower");
  return summary;
}

Json cannot_run_json(const std::vector<CannotRun>& cannot_run) {
  Json json = Json::array();
  for (const CannotRun& failure : cannot_run) {
    json.push_back({{"collective", name(failure.instance.collective)},
                    {"communicator_size", failure.instance.communicator_size},
                    {"message_size", failure.instance.message_size},
                    {"method", failure.method.label()}});
  }
  return json;
}

Json to_json(const std::vector<OneOrder>& orders) {
  Json list = Json::array();
  for (const OneOrder& order : orders) {
    list.push_back({{"collective", name(order.collective)},
                    {"order", order.order},
                    {"methods", order.methods},
                    {"of_methods", order.of_methods},
                    {"mean_penalty", order.mean_penalty},
                    {"max_penalty", order.max_penalty}});
  }
  return list;
}

OneOrder one_order_from_json(const Json& json) {
  return {.collective = parse_collective(json_string(json, "collective")),
          .order = json_string(json, "order"),
          .methods = json_unsigned(json, "methods"),
          .of_methods = json_unsigned(json, "of_methods"),
          .mean_penalty = json_number(json, "mean_penalty"),
          .max_penalty = json_number(json, "max_penalty")};
}

}  // namespace colltree
