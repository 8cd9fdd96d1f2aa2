// SPDX-License-Identifier: BSD-3-Clause
#include "model/json_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/printable.h"

namespace colltree {

const nlohmann::json& json_field(const nlohmann::json& object, std::string_view field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  if (found == object.end()) throw Error(fmt::format("field '{}' is missing", field));
  return *found;
}

const nlohmann::json& json_object(const nlohmann::json& object, std::string_view field) {
  const nlohmann::json& value = json_field(object, field);
  if (!value.is_object()) throw Error(fmt::format("'{}' must be an object", field));
  return value;
}

const nlohmann::json& json_array(const nlohmann::json& object, std::string_view field) {
  const nlohmann::json& value = json_field(object, field);
  if (!value.is_array()) throw Error(fmt::format("'{}' must be an array", field));
  return value;
}

// Of one line: other files and terminals get it as it is.
std::string json_string(const nlohmann::json& object, std::string_view field) {
  const nlohmann::json& value = json_field(object, field);
  if (!value.is_string()) throw Error(fmt::format("'{}' must be a string", field));
  const auto& text = value.get_ref<const std::string&>();
  if (const std::string why = unfit_for_line(text); !why.empty()) {
    throw Error(fmt::format("'{}' holds {}; write plain text", field, why));
  }
  return text;
}

std::uint64_t json_unsigned_value(const nlohmann::json& value, std::string_view what,
                                  std::uint64_t most) {
  const bool negative =
      !value.is_number_unsigned() && value.is_number_integer() && value.get<std::int64_t>() < 0;
  if (!value.is_number_integer() || negative || value.get<std::uint64_t>() > most) {
    const std::string limit =
        most == UINT64_MAX ? "an integer >= 0" : fmt::format("an integer from 0 to {}", most);
    throw Error(fmt::format("'{}' must be {}, not {}", what, limit, value.dump()));
  }
  return value.get<std::uint64_t>();
}

std::uint64_t json_unsigned(const nlohmann::json& object, std::string_view field,
                            std::uint64_t most) {
  return json_unsigned_value(json_field(object, field), field, most);
}

bool json_flag_or(const nlohmann::json& object, std::string_view field, bool otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (!found->is_boolean()) throw Error(fmt::format("'{}' must be true or false", field));
  return found->get<bool>();
}

std::string json_string_or(const nlohmann::json& object, std::string_view field,
                           std::string_view otherwise) {
  return object.contains(field) ? json_string(object, field) : std::string(otherwise);
}

double json_number(const nlohmann::json& object, std::string_view field) {
  const nlohmann::json& value = json_field(object, field);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw Error(fmt::format("'{}' must be a number", field));
  return value.get<double>();
}

void json_each(const nlohmann::json& object, std::string_view field,
               const std::function<void(const nlohmann::json& element)>& read) {
  std::size_t place = 0;
  for (const nlohmann::json& element : json_array(object, field)) {
    try {
      read(element);
    } catch (const Error& error) {
      throw Error(fmt::format("{}[{}]: {}", field, place, error.what()));
    }
    ++place;
  }
}

std::vector<std::uint64_t> json_unsigned_list(const nlohmann::json& object, std::string_view field,
                                              std::uint64_t most) {
  std::vector<std::uint64_t> values;
  for (const nlohmann::json& value : json_array(object, field)) {
    values.push_back(json_unsigned_value(value, field, most));
  }
  return values;
}

}  // namespace colltree
