// SPDX-License-Identifier: BSD-3-Clause
#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>

namespace colltree {

namespace {

[[noreturn]] void wrong_kind(const char* expected, const Json& found) {
  const std::string text = found.dump();
  constexpr std::size_t kShown = 40;
  throw JsonValueError("JSON: expected " + std::string(expected) + ", got " +
                       (text.size() <= kShown ? text : text.substr(0, kShown) + "..."));
}

// Builds a value from what the library reports, piece by piece.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Json take() { return std::move(root_); }
  std::size_t position() const { return position_; }
  const char* refusal() const { return refusal_; }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return add(value); }
  bool number_unsigned(std::uint64_t value) override { return add(value); }
  bool number_float(double value, const std::string&) override { return add(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool key(std::string& value) override {
    key_ = std::move(value);
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    position_ = position;
    refusal_ = error.id == 406 ? "holds a number that is too large" : "is not JSON";
    return false;
  }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool add(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    if (open_.size() == Json::kDeepest) {
      refusal_ = "is nested too deep";
      return false;
    }
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::size_t position_ = 0;
  const char* refusal_ = "";
};

// `Library`: nlohmann::json, which sorts the members of objects, or ordered_json.
template <class Library>
Library library_value(const Json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (json.is_string()) return json.text();
  if (json.is_array()) {
    Library list = Library::array();
    for (const Json& element : json) list.push_back(library_value<Library>(element));
    return list;
  }
  if (!json.is_object()) return nullptr;
  Library object = Library::object();
  for (const auto& [key, value] : json.items()) object[key] = library_value<Library>(value);
  return object;
}

template <class Library>
std::string written(const Json& json, int indent) {
  try {
    return library_value<Library>(json).dump(indent);
  } catch (const nlohmann::json::exception&) {
    throw Error("cannot be written as JSON: a text in it is not UTF-8");
  }
}

bool is_member(const Json& json) {
  return json.is_array() && json.size() == 2 && json[0].is_string();
}

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(Scalar value) {
  std::visit([&](auto scalar) { value_ = scalar; }, value);
}
Json::Json(double value) : value_(value) {}
Json::Json(float value) : value_(static_cast<double>(value)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(const Json& other) = default;
Json::Json(Json&& other) noexcept = default;
Json& Json::operator=(const Json& other) = default;
Json& Json::operator=(Json&& other) noexcept = default;
Json::~Json() = default;

Json::Json(std::initializer_list<Json> list)
    : Json(std::ranges::all_of(list, is_member) ? object(list) : array(list)) {}

Json Json::array(std::initializer_list<Json> list) {
  Json json;
  json.value_ = Array(list);
  return json;
}

Json Json::object(std::initializer_list<Json> members) {
  Json json;
  json.value_ = Object();
  for (const Json& one : members) json[one.at(0).text()] = one.at(1);
  return json;
}

Json Json::parse(std::string_view text) {
  Builder builder;
  if (nlohmann::json::sax_parse(text, &builder)) return builder.take();
  const std::size_t position = builder.position();
  const std::string_view before = text.substr(0, std::min(position, text.size()));
  const auto line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
  throw JsonSyntaxError(line, position, position > text.size(), builder.refusal());
}

std::optional<Json> Json::try_parse(std::string_view text) {
  try {
    return parse(text);
  } catch (const JsonSyntaxError&) {
    return std::nullopt;
  }
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
  if (const auto* one = std::get_if<double>(&value_)) return *one;
  if (const auto* one = std::get_if<std::int64_t>(&value_)) return static_cast<double>(*one);
  if (const auto* one = std::get_if<std::uint64_t>(&value_)) return static_cast<double>(*one);
  wrong_kind("a number", *this);
}

std::int64_t Json::integer() const {
  if (const auto* one = std::get_if<std::int64_t>(&value_)) return *one;
  if (const auto* one = std::get_if<std::uint64_t>(&value_)) return static_cast<std::int64_t>(*one);
  const double value = number();
  if (value >= -0x1p63 && value < 0x1p63) return static_cast<std::int64_t>(value);
  wrong_kind("an integer", *this);
}

std::uint64_t Json::unsigned_integer() const {
  if (const auto* one = std::get_if<std::uint64_t>(&value_)) return *one;
  if (const auto* one = std::get_if<std::int64_t>(&value_)) {
    if (*one >= 0) return static_cast<std::uint64_t>(*one);
    wrong_kind("an integer >= 0", *this);
  }
  const double value = number();
  if (value > -1 && value < 0x1p64) return static_cast<std::uint64_t>(value);
  wrong_kind("an integer >= 0", *this);
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

const Json& Json::at(std::string_view key) const {
  if (const Json* found = find(key)) return *found;
  throw JsonValueError("JSON: field '" + std::string(key) + "' is missing");
}

Json& Json::at(std::string_view key) { return const_cast<Json&>(std::as_const(*this).at(key)); }

std::span<const Json::Member> Json::items() const {
  const auto* object = std::get_if<Object>(&value_);
  return object == nullptr ? std::span<const Member>() : *object;
}

std::span<Json::Member> Json::items() {
  auto* object = std::get_if<Object>(&value_);
  return object == nullptr ? std::span<Member>() : *object;
}

void Json::erase(std::string_view key) {
  std::erase_if(members(), [&](const Member& one) { return one.key == key; });
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

const Json::Array& Json::elements() const {
  if (const auto* list = std::get_if<Array>(&value_)) return *list;
  wrong_kind("a list", *this);
}

const Json& Json::element(std::size_t index) const {
  const Array& list = elements();
  if (index < list.size()) return list[index];
  throw JsonValueError("JSON: a list of " + std::to_string(list.size()) + " has no element " +
                       std::to_string(index));
}

Json& Json::element(std::size_t index) {
  return const_cast<Json&>(std::as_const(*this).element(index));
}

void Json::push_back(Json value) {
  if (is_null()) value_ = Array();
  const_cast<Array&>(elements()).push_back(std::move(value));
}

void Json::resize(std::size_t size) { const_cast<Array&>(elements()).resize(size); }

void Json::erase_element(std::size_t index) {
  element(index);
  auto& list = const_cast<Array&>(elements());
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
}

const Json* Json::begin() const {
  const auto* list = std::get_if<Array>(&value_);
  return list == nullptr ? nullptr : list->data();
}

Json* Json::begin() {
  auto* list = std::get_if<Array>(&value_);
  return list == nullptr ? nullptr : list->data();
}

bool Json::equals(const Json& other) const {
  if (is_number() && other.is_number()) {
    if (is_number_float() || other.is_number_float()) return number() == other.number();
    if (is_number_unsigned() != other.is_number_unsigned()) return false;
    return integer() == other.integer();
  }
  if (value_.index() != other.value_.index()) return false;
  if (is_boolean()) return flag() == other.flag();
  if (is_string()) return text() == other.text();
  if (is_array()) return elements() == other.elements();
  return size() == other.size() && std::ranges::all_of(items(), [&](const Member& one) {
           const Json* found = other.find(one.key);
           return found != nullptr && one.value.equals(*found);
         });
}

std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.dump(); }

std::string Json::dump(int indent) const { return written<nlohmann::json>(*this, indent); }

std::string Json::dump_in_order(int indent) const {
  return written<nlohmann::ordered_json>(*this, indent);
}

}  // namespace colltree
