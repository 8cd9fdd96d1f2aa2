// SPDX-License-Identifier: BSD-3-Clause
#include "model/fitter.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/text.h"

namespace colltree::model {

namespace {

constexpr std::string_view kOctree = "octree";  // a kind that is read, and fitted as quadtree

const Parameter& require_parameter(const Kind& kind, std::string_view name) {
  std::vector<std::string> known;
  for (const Parameter& parameter : kind.parameters) {
    if (parameter.name == name) return parameter;
    known.emplace_back(parameter.name);
  }
  throw UsageError(
      fmt::format("{}: unknown parameter '{}'{}", kind.name, name, meant_or_known(name, known)));
}

void set_parameter(const Kind& kind, std::string_view assignment, Parameters& parameters) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw UsageError(fmt::format("{}: expected PARAMETER=VALUE, got '{}'", kind.name, assignment));
  }
  const Parameter& parameter = require_parameter(kind, trim(assignment.substr(0, equals)));
  const std::string_view text = trim(assignment.substr(equals + 1));
  if (parameters.set(parameter, text)) return;
  throw UsageError(fmt::format("{}: {}: expected {}, got '{}'", kind.name, parameter.name,
                               expected_text(parameter), text));
}

}  // namespace

const Kind& fitted_kind(std::string_view name) {
  const Kind* kind = find_kind(name);
  if (kind != nullptr && kind->fit != nullptr) return *kind;
  std::vector<std::string> known;
  for (const Kind* fitted : kinds()) {
    if (fitted->fit != nullptr) known.emplace_back(fitted->name);
  }
  std::vector<std::string> thought_of = known;
  thought_of.emplace_back(kOctree);
  if (nearest(name, thought_of) == kOctree) {
    throw UsageError(
        fmt::format("{}an octree is the quadtree of several collectives, or of several numbers of "
                    "ranks a node (third=ranks_per_node): write quadtree",
                    name == kOctree ? "" : fmt::format("unknown fitter '{}'; ", name)));
  }
  throw UsageError(fmt::format("unknown fitter '{}'{}", name, meant_or_known(name, known)));
}

Fitter::Fitter(const Kind& kind, Parameters parameters)
    : kind_(&kind), parameters_(std::move(parameters)) {}

std::string Fitter::name() const {
  const Parameters usual(kind_->parameters);
  std::string text = kind_->name;
  char before = ':';
  for (const Parameter& parameter : kind_->parameters) {
    if (parameters_.text(parameter) == usual.text(parameter)) continue;
    text += fmt::format("{}{}={}", before, parameter.name, parameters_.text(parameter));
    before = ',';
  }
  return text;
}

Model Fitter::fit(const std::vector<Timings>& timings) const {
  return kind_->fit(timings, parameters_);
}

Parameters parse_parameters(const Kind& kind, const std::optional<std::string>& text) {
  Parameters parameters(kind.parameters);
  if (!text) return parameters;
  for (const std::string_view assignment : split(*text, ','))
    set_parameter(kind, trim(assignment), parameters);
  return parameters;
}

Fitter parse_fitter(std::string_view text) {
  const std::size_t colon = text.find(':');
  const Kind& kind = fitted_kind(trim(text.substr(0, colon)));
  std::optional<std::string> parameters;
  if (colon != std::string_view::npos) parameters = text.substr(colon + 1);
  return {kind, parse_parameters(kind, parameters)};
}

Fitter fitter_of(const Model& model) {
  const Kind* kind = find_kind(model.kind == "octree" ? "quadtree" : model.kind);
  if (kind == nullptr || kind->fit == nullptr) {
    throw Error(fmt::format(
        "a model of kind '{}' was not fitted here, so it cannot be fitted again", model.kind));
  }
  if (model.weighted) {
    throw Error(
        "the model was fitted with a mix of calls, which its file does not hold; "
        "fit one without --mix to have it fitted again");
  }
  return {*kind, model.parameters};
}

std::string fitter_help() {
  std::string text;
  for (const Kind* kind : kinds()) {
    if (kind->fit == nullptr) continue;
    text += fmt::format("  {:<9} {} ({})\n", kind->name, kind->summary,
                        join(mapped(kind->parameters, &Parameter::name), ", "));
  }
  return text;
}

void judge_on_training_points(Model& model, const std::vector<Timings>& timings) {
  TrainingPenalty penalty;
  PenaltyPoints points_of_all;
  for (const Timings& table : timings) {
    const PenaltyPoints points = penalty_points(table, model);
    if (timings.size() > 1) penalty.by_collective.emplace_back(table.collective, summarize(points));
    points_of_all.add(points);
  }
  penalty.overall = summarize(points_of_all);
  penalty.cannot_run = points_of_all.cannot_run.size();
  model.statistics.penalty = std::move(penalty);
}

Model fit_and_judge(const Fitter& fitter, const std::vector<Timings>& timings) {
  Model model = fitter.fit(timings);
  judge_on_training_points(model, timings);
  return model;
}

std::string deployed_fitter(double caution) {
  const std::string text = fmt::format("optimal:leaves=auto,caution={}", format_double(caution));
  return parse_fitter(text).name();
}

}  // namespace colltree::model
