// SPDX-License-Identifier: BSD-3-Clause
// The parameters of a kind of model, each declared once: the declaration makes the option of
// `colltree fit KIND`, the word of `kind:name=value`, the check of the field in M.json, and what
// errors say was expected.
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

  const char* name;       // in `kind:name=value`; as option --name with '-' for '_'
  const char* field;      // in "parameters" of M.json
  const char* otherwise;  // its value where nothing is said
  const char* help;       // of the option
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

// "a whole number from 1 to 1000 or auto": what stands behind "expected".
std::string expected_text(const Parameter& parameter);

// The values of all parameters of a kind.
class Parameters {
 public:
  Parameters() = default;  // of a kind that has none
  // Each as where nothing is said.
  explicit Parameters(std::span<const Parameter> declared);

  // Of one that is declared. Nothing happens and the answer is false when the text is no value.
  [[nodiscard]] bool set(const Parameter& parameter, std::string_view text);

  bool flag(std::string_view name) const;
  std::optional<std::uint64_t> whole(std::string_view name) const;  // none: the word for it
  double real(std::string_view name) const;
  const std::string& word(std::string_view name) const;

  // What an option of the command line writes to: of the type that follows from the form, and
  // checked by it but for words.
  using Value = std::variant<bool, std::optional<std::uint64_t>, double, std::string>;
  Value& value(const Parameter& parameter) { return values_[index(parameter.name)]; }
  const Value& value(const Parameter& parameter) const { return values_[index(parameter.name)]; }
  // Of a declared one, in its own type and within its bounds.
  void put(std::string_view name, Value value) { values_[index(name)] = std::move(value); }

  // As `set` reads it.
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
// From the object "parameters" of M.json, which may hold more. Throws Error that names the field.
Parameters read_parameters(std::span<const Parameter> declared, const Json& object);

}  // namespace colltree::model
