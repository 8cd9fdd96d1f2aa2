// SPDX-License-Identifier: BSD-3-Clause
#include "base/json_fields.h"

#include <fmt/core.h>

#include <cmath>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"

namespace colltree {

const Json& json_field(const Json& object, std::string_view field) {
  const Json* found = object.find(field);
  if (found == nullptr) throw Error(fmt::format("field '{}' is missing", field));
  return *found;
}

const Json& json_object(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_object()) throw Error(fmt::format("'{}' must be an object", field));
  return value;
}

const Json& json_array(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_array()) throw Error(fmt::format("'{}' must be an array", field));
  return value;
}

// Of one line: other files and terminals get it as it is.
std::string json_string(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_string()) throw Error(fmt::format("'{}' must be a string", field));
  const auto& text = value.text();
  if (const std::string why = unfit_for_line(text); !why.empty()) {
    throw Error(fmt::format("'{}' holds {}; write plain text", field, why));
  }
  return text;
}

std::uint64_t json_unsigned_value(const Json& value, std::string_view what, std::uint64_t most) {
  const bool negative =
      !value.is_number_unsigned() && value.is_number_integer() && value.get<std::int64_t>() < 0;
  if (!value.is_number_integer() || negative || value.get<std::uint64_t>() > most) {
    const std::string limit =
        most == UINT64_MAX ? "an integer >= 0" : fmt::format("an integer from 0 to {}", most);
    throw Error(fmt::format("'{}' must be {}, not {}", what, limit, value.dump()));
  }
  return value.get<std::uint64_t>();
}

std::uint64_t json_unsigned(const Json& object, std::string_view field, std::uint64_t most) {
  return json_unsigned_value(json_field(object, field), field, most);
}

bool json_flag_or(const Json& object, std::string_view field, bool otherwise) {
  const Json* found = object.find(field);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) throw Error(fmt::format("'{}' must be true or false", field));
  return found->get<bool>();
}

std::string json_string_or(const Json& object, std::string_view field, std::string_view otherwise) {
  return object.contains(field) ? json_string(object, field) : std::string(otherwise);
}

double json_number(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw Error(fmt::format("'{}' must be a number", field));
  return value.get<double>();
}

void json_each(const Json& object, std::string_view field,
               const std::function<void(const Json& element)>& read) {
  std::size_t place = 0;
  for (const Json& element : json_array(object, field)) {
    try {
      read(element);
    } catch (const Error& error) {
      throw Error(fmt::format("{}[{}]: {}", field, place, error.what()));
    }
    ++place;
  }
}

std::vector<std::uint64_t> json_unsigned_list(const Json& object, std::string_view field,
                                              std::uint64_t most) {
  std::vector<std::uint64_t> values;
  for (const Json& value : json_array(object, field)) {
    values.push_back(json_unsigned_value(value, field, most));
  }
  return values;
}

}  // namespace colltree
