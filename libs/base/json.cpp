// SPDX-License-Identifier: BSD-3-Clause
#include "base/json.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

std::string natural_text(std::uint64_t most) {
  return most == UINT64_MAX ? "an integer >= 0" : concat("an integer from 0 to ", most);
}

[[noreturn]] void wrong_kind(const std::string& expected, const Json& found) {
  const std::string text = found.dump();
  constexpr std::size_t kShown = 40;
  throw JsonValueError("JSON: expected " + expected + ", got " +
                       (text.size() <= kShown ? text : text.substr(0, kShown) + "..."));
}

}  // namespace

std::string_view name(JsonKind kind) {
  static constexpr std::string_view kNames[] = {"null",     "true or false", "a number",
                                                "a string", "an array",      "an object"};
  return kNames[static_cast<std::size_t>(kind)];
}

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(Scalar value) {
  std::visit([&](auto scalar) { value_ = scalar; }, value);
}
Json::Json(double value) : value_(value) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const Json& json) = default;
Json::Json(Json&& json) noexcept = default;
Json& Json::operator=(const Json& json) = default;
Json& Json::operator=(Json&& json) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> list)
    : Json(std::ranges::all_of(list,
                               [](const Json& json) {
                                 return json.is_array() && json.size() == 2 && json[0].is_string();
                               })
               ? object(list)
               : array(list)) {}

Json Json::array(std::initializer_list<Json> list) {
  Json json;
  json.value_ = Array(list);
  return json;
}

Json Json::object(std::initializer_list<Json> members) {
  Json json;
  json.value_ = Object();
  for (const Json& member : members) json[member[0].text()] = member[1];
  return json;
}

JsonKind Json::kind() const {
  using enum JsonKind;
  static constexpr JsonKind kKinds[] = {kNull,   kBoolean, kNumber, kNumber,
                                        kNumber, kString,  kArray,  kObject};
  return kKinds[value_.index()];
}

bool Json::is_number_unsigned() const {
  const auto* negative = std::get_if<std::int64_t>(&value_);
  return holds<std::uint64_t>() || (negative != nullptr && *negative >= 0);
}

const std::string& Json::text() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  wrong_kind("a text", *this);
}

bool Json::flag() const {
  if (const auto* flag = std::get_if<bool>(&value_)) return *flag;
  wrong_kind("true or false", *this);
}

double Json::number() const {
  if (const auto* value = std::get_if<double>(&value_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*value);
  wrong_kind("a number", *this);
}

std::uint64_t Json::natural(std::uint64_t most) const {
  const auto* large = std::get_if<std::uint64_t>(&value_);
  const auto* small = std::get_if<std::int64_t>(&value_);
  if (large != nullptr && *large <= most) return *large;
  if (small != nullptr && *small >= 0 && static_cast<std::uint64_t>(*small) <= most)
    return static_cast<std::uint64_t>(*small);
  wrong_kind(natural_text(most), *this);
}

std::optional<std::int64_t> Json::whole() const {
  if (const auto* small = std::get_if<std::int64_t>(&value_)) return *small;
  const auto* large = std::get_if<std::uint64_t>(&value_);
  if (large == nullptr || *large > INT64_MAX) return std::nullopt;
  return static_cast<std::int64_t>(*large);
}

std::string Json::shown() const {
  if (is_string() && !text().empty()) return text();
  return is_string() || is_array() || is_object() ? std::string(name(kind())) : dump();
}

std::size_t Json::size() const {
  if (const auto* list = std::get_if<Array>(&value_)) return list->size();
  if (const auto* object = std::get_if<Object>(&value_)) return object->size();
  return is_null() ? 0 : 1;
}

Json::Object& Json::members() {
  if (is_null()) value_ = Object();
  if (auto* object = std::get_if<Object>(&value_)) return *object;
  wrong_kind("an object", *this);
}

Json& Json::operator[](std::string_view key) {
  Object& object = members();
  const auto found = std::ranges::find(object, key, &Member::key);
  if (found != object.end()) return found->value;
  object.push_back({std::string(key), Json()});
  return object.back().value;
}

const Json* Json::find(std::string_view key) const {
  const auto* object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(*object, key, &Member::key);
  return found == object->end() ? nullptr : &found->value;
}

const Json& Json::operator[](std::string_view key) const {
  if (const Json* found = find(key)) return *found;
  throw JsonValueError("JSON: field '" + std::string(key) + "' is missing");
}

std::span<const Json::Member> Json::items() const {
  const auto* object = std::get_if<Object>(&value_);
  return object == nullptr ? std::span<const Member>() : *object;
}

void Json::erase(std::string_view key) {
  std::erase_if(members(), [&](const Member& member) { return member.key == key; });
}

Json::Array& Json::elements() {
  if (auto* list = std::get_if<Array>(&value_)) return *list;
  wrong_kind("a list", *this);
}

void Json::update(const Json& added) {
  for (const auto& [key, value] : added.items()) (*this)[key] = value;
}

const Json::Array& Json::elements() const {
  if (const auto* list = std::get_if<Array>(&value_)) return *list;
  wrong_kind("a list", *this);
}

namespace {

// `elements` belongs to a list, const or not.
template <class Elements>
auto& element_of(Elements& elements, std::size_t index) {
  if (index < elements.size()) return elements[index];
  throw JsonValueError("JSON: a list of " + std::to_string(elements.size()) + " has no element " +
                       std::to_string(index));
}

}  // namespace

const Json& Json::element(std::size_t index) const { return element_of(elements(), index); }

Json& Json::element(std::size_t index) { return element_of(elements(), index); }

void Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  elements().push_back(std::move(value));
}

const Json* Json::begin() const {
  const auto* list = std::get_if<Array>(&value_);
  return list == nullptr ? nullptr : list->data();
}

Json* Json::begin() {
  auto* list = std::get_if<Array>(&value_);
  return list == nullptr ? nullptr : list->data();
}

bool Json::equals(const Json& compared) const {
  if (is_number() && compared.is_number()) {
    if (is_number_float() || compared.is_number_float()) return number() == compared.number();
    if (is_number_unsigned() != compared.is_number_unsigned()) return false;
    return is_number_unsigned() ? natural() == compared.natural() : whole() == compared.whole();
  }
  if (value_.index() != compared.value_.index()) return false;
  if (is_boolean()) return flag() == compared.flag();
  if (is_string()) return text() == compared.text();
  if (is_array()) return elements() == compared.elements();
  return size() == compared.size() && std::ranges::all_of(items(), [&](const Member& member) {
           const Json* found = compared.find(member.key);
           return found != nullptr && member.value.equals(*found);
         });
}

const Json& json_field(const Json& object, std::string_view field) {
  const Json* found = object.find(field);
  if (found == nullptr) throw Error(concat("field '", field, "' is missing"));
  return *found;
}

const Json& json_object(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_object()) throw Error(concat("'", field, "' must be an object"));
  return value;
}

const Json& json_array(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_array()) throw Error(concat("'", field, "' must be an array"));
  return value;
}

// The string must be fit for one line, because it is printed as it is into other files and
// terminals.
std::string json_string(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_string()) throw Error(concat("'", field, "' must be a string"));
  const auto& text = value.text();
  if (const std::string why = unfit_for_line(text); !why.empty()) {
    throw Error(concat("'", field, "' holds ", why, "; write plain text"));
  }
  return text;
}

std::uint64_t json_unsigned_value(const Json& value, std::string_view what, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.natural() > most)
    throw Error(concat("'", what, "' must be ", natural_text(most), ", not ", value.dump()));
  return value.natural();
}

std::uint64_t json_unsigned(const Json& object, std::string_view field, std::uint64_t most) {
  return json_unsigned_value(json_field(object, field), field, most);
}

bool json_flag_or(const Json& object, std::string_view field, bool otherwise) {
  const Json* found = object.find(field);
  if (found == nullptr) return otherwise;
  if (!found->is_boolean()) throw Error(concat("'", field, "' must be true or false"));
  return found->flag();
}

std::string json_string_or(const Json& object, std::string_view field, std::string_view otherwise) {
  return object.contains(field) ? json_string(object, field) : std::string(otherwise);
}

double json_number(const Json& object, std::string_view field) {
  const Json& value = json_field(object, field);
  if (!value.is_number() || !std::isfinite(value.number()))
    throw Error(concat("'", field, "' must be a number"));
  return value.number();
}

void json_each(const Json& object, std::string_view field,
               const std::function<void(const Json& element)>& read) {
  std::size_t place = 0;
  for (const Json& element : json_array(object, field)) {
    try {
      read(element);
    } catch (const Error& error) {
      throw Error(concat(field, "[", place, "]: ", error.what()));
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
