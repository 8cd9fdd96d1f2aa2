// SPDX-License-Identifier: BSD-3-Clause
#include "model/parameters.h"

#include <fmt/core.h>

#include <cmath>
#include <stdexcept>

#include "base/error.h"
#include "base/text.h"

namespace colltree::model {

namespace {

using Form = Parameter::Form;

constexpr std::string_view kNone = "none";  // null in M.json

// A value of M.json as its word on the command line.
std::string field_text(const Json& value) {
  if (value.is_null()) return std::string(kNone);
  if (value.is_string()) return value.text();
  if (value.is_number_float()) return format_double(value.number());
  return value.dump();
}

Json field_value(const Parameter& parameter, const Parameters::Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  const auto& whole = std::get<std::optional<std::uint64_t>>(value);
  if (whole) return *whole;
  return std::string_view(parameter.instead) == kNone ? Json() : Json(parameter.instead);
}

}  // namespace

std::string expected_text(const Parameter& parameter) {
  switch (parameter.form) {
    case Form::kFlag:
      return "true or false";
    case Form::kWhole:
      return expected_text(parameter.whole) +
             (parameter.instead == nullptr ? "" : fmt::format(" or {}", parameter.instead));
    case Form::kReal:
    case Form::kSingle:
      return expected_text(parameter.real);
    case Form::kWord:
      break;
  }
  return parameter.words;
}

Parameters::Parameters(std::span<const Parameter> declared) : declared_(declared) {
  for (const Parameter& parameter : declared) {
    auto value = parse(parameter, parameter.otherwise);
    if (!value)
      throw std::logic_error(
          fmt::format("{}: '{}' is no value", parameter.name, parameter.otherwise));
    values_.push_back(std::move(*value));
  }
}

std::optional<Parameters::Value> Parameters::parse(const Parameter& parameter,
                                                   std::string_view text) {
  switch (parameter.form) {
    case Form::kFlag:
      if (text != "true" && text != "false") return std::nullopt;
      return text == "true";
    case Form::kWhole:
      if (parameter.instead != nullptr && text == parameter.instead) {
        return std::optional<std::uint64_t>();
      }
      if (const auto number = find_whole(text, parameter.whole)) return number;
      return std::nullopt;
    case Form::kReal:
    case Form::kSingle:
      if (const auto number = find_real(text, parameter.real)) {
        const bool single = parameter.form == Form::kSingle;
        return single ? static_cast<double>(static_cast<float>(*number)) : *number;
      }
      return std::nullopt;
    case Form::kWord:
      if (!parameter.known(text)) return std::nullopt;
      return std::string(text);
  }
  return std::nullopt;
}

bool Parameters::set(const Parameter& parameter, std::string_view text) {
  auto value = parse(parameter, text);
  if (!value) return false;
  values_[index(parameter.name)] = std::move(*value);
  return true;
}

std::size_t Parameters::index(std::string_view name) const {
  for (std::size_t i = 0; i < declared_.size(); ++i) {
    if (declared_[i].name == name) return i;
  }
  throw std::logic_error(fmt::format("parameter '{}' is not declared", name));
}

bool Parameters::flag(std::string_view name) const { return std::get<bool>(values_[index(name)]); }

std::optional<std::uint64_t> Parameters::whole(std::string_view name) const {
  return std::get<std::optional<std::uint64_t>>(values_[index(name)]);
}

double Parameters::real(std::string_view name) const {
  return std::get<double>(values_[index(name)]);
}

const std::string& Parameters::word(std::string_view name) const {
  return std::get<std::string>(values_[index(name)]);
}

std::string Parameters::text(const Parameter& parameter) const {
  const Value& stored = values_[index(parameter.name)];
  switch (parameter.form) {
    case Form::kFlag:
      return std::get<bool>(stored) ? "true" : "false";
    case Form::kWhole: {
      const auto& number = std::get<std::optional<std::uint64_t>>(stored);
      return number ? fmt::format("{}", *number) : parameter.instead;
    }
    case Form::kReal:
      return format_double(std::get<double>(stored));
    case Form::kSingle:
      return fmt::format("{}", static_cast<float>(std::get<double>(stored)));
    case Form::kWord:
      break;
  }
  return std::get<std::string>(stored);
}

Json to_json(const Parameters& parameters) {
  Json object = Json::object();
  for (const Parameter& parameter : parameters.declared()) {
    object[parameter.field] = field_value(parameter, parameters.value(parameter));
  }
  return object;
}

Parameters read_parameters(std::span<const Parameter> declared, const Json& object) {
  Parameters parameters(declared);
  for (const Parameter& parameter : declared) {
    if (!object.contains(parameter.field)) {
      if (parameter.required) throw Error(fmt::format("'{}' is missing", parameter.field));
      continue;
    }
    const Json& value = object[parameter.field];
    const std::string text = field_text(value);
    const bool is_word = parameter.form == Form::kWord ||
                         (parameter.instead != nullptr && text == parameter.instead);
    if ((value.is_string() && !is_word) || !parameters.set(parameter, text)) {
      throw Error(fmt::format("'{}' must be {}, not {}", parameter.field, expected_text(parameter),
                              value.dump()));
    }
  }
  return parameters;
}

}  // namespace colltree::model
