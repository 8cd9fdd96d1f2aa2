// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a kind of model, each declared once. The declaration gives its word in
// `colltree fit KIND --parameters name=value` and `kind:name=value`, the check of the field in
// M.json, and what errors say was expected.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bounds.h"
#include "base/json.h"

namespace colltree::model {

struct Parameter {
  enum class Form : std::uint8_t { kFlag, kWhole, kReal, kSingle, kWord };

  const char* name;       // in `kind:name=value`
  const char* field;      // in "parameters" of M.json
  const char* otherwise;  // its value where nothing is said
  const char* help;       // of `colltree fit KIND --help`
  Form form = Form::kFlag;
  bool required = false;  // in M.json: files have always had it
  WholeRange whole = {};
  RealRange real = {};            // kSingle: computed with in float32
  const char* instead = nullptr;  // of a whole number: the word for none
  bool (*known)(std::string_view word) = nullptr;
  const char* words = nullptr;  // what errors say `known` are
};

constexpr Parameter flag(const char* name, const char* field, const char* help) {
  return {.name = name, .field = field, .otherwise = "false", .help = help};
}
constexpr Parameter whole(const char* name, const char* otherwise, WholeRange range,
                          const char* help, const char* instead = nullptr) {
  return {.name = name,
          .field = name,
          .otherwise = otherwise,
          .help = help,
          .form = Parameter::Form::kWhole,
          .whole = range,
          .instead = instead};
}
constexpr Parameter real(const char* name, const char* otherwise, RealRange range,
                         const char* help) {
  return {.name = name,
          .field = name,
          .otherwise = otherwise,
          .help = help,
          .form = Parameter::Form::kReal,
          .real = range};
}
constexpr Parameter single(const char* name, const char* field, const char* otherwise,
                           RealRange range, const char* help) {
  Parameter parameter = real(name, otherwise, range, help);
  parameter.field = field;
  parameter.form = Parameter::Form::kSingle;
  return parameter;
}
constexpr Parameter word(const char* name, const char* otherwise, bool (*known)(std::string_view),
                         const char* words, const char* help) {
  return {.name = name,
          .field = name,
          .otherwise = otherwise,
          .help = help,
          .form = Parameter::Form::kWord,
          .known = known,
          .words = words};
}

constexpr Parameter required(Parameter parameter) {
  parameter.required = true;
  return parameter;
}

// The text behind "expected" in errors: "a whole number from 1 to 1000 or auto".
std::string expected_text(const Parameter& parameter);

// The values of all parameters of a kind.
class Parameters {
 public:
  Parameters() = default;  // of a kind that has none
  // Every parameter has its default value.
  explicit Parameters(std::span<const Parameter> declared);

  // The parameter must be declared. If the text is no value, nothing changes and the result is
  // false.
  [[nodiscard]] bool set(const Parameter& parameter, std::string_view text);

  bool flag(std::string_view name) const;
  std::optional<std::uint64_t> whole(std::string_view name) const;  // none: the word for it
  double real(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  // Its type follows from the form.
  using Value = std::variant<bool, std::optional<std::uint64_t>, double, std::string>;
  const Value& value(const Parameter& parameter) const { return values_[index(parameter.name)]; }
  // The parameter must be declared, and the value must have its type and be within its bounds.
  void put(std::string_view name, Value value) { values_[index(name)] = std::move(value); }

  // The text that `set` would read.
  std::string text(const Parameter& parameter) const;
  std::span<const Parameter> declared() const { return declared_; }

 private:
  static std::optional<Value> parse(const Parameter& parameter, std::string_view text);
  std::size_t index(std::string_view name) const;

  std::span<const Parameter> declared_;
  std::vector<Value> values_;
};

// The object "parameters" of M.json.
Json to_json(const Parameters& parameters);
// Reads the object "parameters" of M.json, which may hold more. Throws Error that names the field.
Parameters read_parameters(std::span<const Parameter> declared, const Json& object);

}  // namespace colltree::model
