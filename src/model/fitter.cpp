// SPDX-License-Identifier: BSD-3-Clause
#include "model/fitter.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "model/fitter_kind.h"
#include "model/json_fields.h"

namespace colltree {

namespace {

Json defaults_of(const FitterKind& kind) {
  Json parameters = Json::object();
  for (const FitterParameter& one : kind.parameters) {
    parameters[one.field] = Json::parse(one.default_value);
  }
  return parameters;
}

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const FitterKind& kind : fitter_kinds()) names.emplace_back(kind.name);
  return names;
}

const FitterKind* find_kind(std::string_view name) {
  for (const FitterKind& kind : fitter_kinds()) {
    if (kind.name == name) return &kind;
  }
  return nullptr;
}

const FitterKind& require_kind(std::string_view name) {
  if (const FitterKind* kind = find_kind(name)) return *kind;
  const std::vector<std::string> known = kind_names();
  const std::string meant = did_you_mean(name, known);
  throw UsageError(fmt::format(
      "unknown fitter '{}'{}", name,
      meant.empty() ? "; known are " + fmt::format("{}", fmt::join(known, ", ")) : meant));
}

const FitterParameter& require_parameter(const FitterKind& kind, std::string_view name) {
  std::vector<std::string> known;
  for (const FitterParameter& one : kind.parameters) {
    if (one.name == name) return one;
    known.emplace_back(one.name);
  }
  const std::string meant = did_you_mean(name, known);
  throw UsageError(
      fmt::format("{}: unknown parameter '{}'{}", kind.name, name,
                  meant.empty() ? fmt::format("; known are {}", fmt::join(known, ", ")) : meant));
}

void set_parameter(const FitterKind& kind, std::string_view assignment, Json& parameters) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw UsageError(fmt::format("{}: expected PARAMETER=VALUE, got '{}'", kind.name, assignment));
  }
  const FitterParameter& one = require_parameter(kind, trim(assignment.substr(0, equals)));
  const std::string_view text = trim(assignment.substr(equals + 1));
  std::optional<Json> value = one.parse(text);
  if (!value) {
    throw UsageError(
        fmt::format("{}: {}: expected {}, got '{}'", kind.name, one.name, one.expected(), text));
  }
  parameters[one.field] = std::move(*value);
}

std::string value_text(const Json& value) {
  if (value.is_null()) return "none";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number_float()) return value.dump();
  // C4.5 works in float32, whose 0.1 is 0.10000000149011612 as a double.
  const auto number = value.get<double>();
  const auto single = static_cast<float>(number);
  return number == single ? fmt::format("{}", single) : format_double(number);
}

}  // namespace

Fitter::Fitter(const FitterKind& kind, Json parameters)
    : kind_(&kind), parameters_(std::move(parameters)) {}

std::string Fitter::name() const {
  std::string text = kind_->name;
  char before = ':';
  for (const FitterParameter& one : kind_->parameters) {
    const Json& value = parameters_.at(one.field);
    if (value == Json::parse(one.default_value)) continue;
    text += fmt::format("{}{}={}", before, one.name, value_text(value));
    before = ',';
  }
  return text;
}

std::unique_ptr<DecisionFunction> Fitter::fit(const std::vector<Timings>& timings) const {
  return kind_->fit(timings, parameters_);
}

Fitter parse_fitter(std::string_view text) {
  const std::size_t colon = text.find(':');
  const FitterKind& kind = require_kind(trim(text.substr(0, colon)));
  Json parameters = defaults_of(kind);
  if (colon != std::string_view::npos) {
    for (const std::string_view assignment : split(text.substr(colon + 1), ',')) {
      set_parameter(kind, trim(assignment), parameters);
    }
  }
  return {kind, std::move(parameters)};
}

std::vector<Fitter> parse_fitters(std::string_view text) {
  std::vector<Fitter> fitters;
  for (const std::string_view part : split(text, ';')) {
    for (const std::string_view one : split(part, ' ')) {
      if (!trim(one).empty()) fitters.push_back(parse_fitter(trim(one)));
    }
  }
  return fitters;
}

Fitter fitter_of(const DecisionFunction& model) {
  const std::string kind_name = model.kind() == "octree" ? "quadtree" : model.kind();
  const FitterKind* kind = find_kind(kind_name);
  if (kind == nullptr) {
    throw Error(fmt::format(
        "a model of kind '{}' was not fitted here, so it cannot be fitted again", model.kind()));
  }
  const Json stored = model.parameters();
  if (json_flag_or(stored, "weighted", false)) {
    throw Error(
        "the model was fitted with a mix of calls, which its file does not hold; "
        "fit one without --mix to have it fitted again");
  }
  Json parameters = defaults_of(*kind);
  for (const FitterParameter& one : kind->parameters) {
    if (!stored.contains(one.field)) continue;
    const std::string text = value_text(stored[one.field]);
    if (!one.parse(text))
      throw Error(
          fmt::format("the model cannot be fitted again: its parameter '{}' should be {}, "
                      "not {}",
                      one.field, one.expected(), text));
    parameters[one.field] = stored[one.field];
  }
  return {*kind, std::move(parameters)};
}

std::string fitter_help() {
  std::string text;
  for (const FitterKind& kind : fitter_kinds()) {
    std::vector<std::string_view> names;
    for (const FitterParameter& one : kind.parameters) names.emplace_back(one.name);
    text += fmt::format("  {:<9} {} ({})\n", kind.name, kind.summary, fmt::join(names, ", "));
  }
  return text;
}

}  // namespace colltree
