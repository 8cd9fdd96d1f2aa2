// SPDX-License-Identifier: BSD-3-Clause
// This file throws nothing, because the runtime library links it. Labels are in words.cpp.
#include "coll/method.h"

#include <algorithm>

#include "base/text.h"
#include "coll/library_algorithms.h"

namespace colltree {

namespace {

// "fanout=4"; false: no parameter.
bool read_parameter(std::string_view word, MethodParameters& parameters) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos) return false;
  const auto* found = std::ranges::find(kParameterKeys, word.substr(0, equals), &ParameterKey::key);
  // No parameter may be 0.
  const auto value = parse_number<std::uint64_t>(word.substr(equals + 1)).value_or(0);
  if (found == std::end(kParameterKeys) || value == 0) return false;
  parameters.*found->value = value;
  return true;
}

std::string full_name(std::string_view algorithm, const MethodParameters& parameters) {
  std::string name(algorithm);
  for (const ParameterKey& key : kParameterKeys) {
    const std::uint64_t value = parameters.*key.value;
    if (value != 0) name.append("@").append(key.key).append("=").append(std::to_string(value));
  }
  return name;
}

constexpr std::string_view kUnder = "@setting=";

}  // namespace

std::string Method::name() const { return full_name(algorithm, parameters); }

std::strong_ordering Method::operator<=>(const Method& method) const {
  constexpr MethodParameters kNone;
  const bool bare = parameters == kNone && method.parameters == kNone;
  // '@' lies between the characters of algorithms: "chain2" < "chain@fanout=2" < "chain_x".
  const auto by_name = bare ? algorithm <=> method.algorithm : name() <=> method.name();
  return by_name != 0 ? by_name : segment_size <=> method.segment_size;
}

// No parameter is called so: what ends in a setting is an algorithm of its own to whoever reads it.
std::string_view setting_of(const Method& method) noexcept {
  const std::size_t found = method.algorithm.find(kUnder);
  if (found == std::string::npos) return "";
  return std::string_view(method.algorithm).substr(found + kUnder.size());
}

Method without_setting(const Method& method) {
  const std::size_t found = method.algorithm.find(kUnder);
  if (found == std::string::npos) return method;
  return parse_method_name(std::string_view(method.algorithm).substr(0, found),
                           method.segment_size);
}

Method under_setting(const Method& method, std::string_view setting) {
  if (setting.empty()) return method;
  return {method.name().append(kUnder).append(setting), method.segment_size};
}

std::string_view without_source(std::string_view algorithm) {
  return algorithm.substr(algorithm.find(':') + 1);
}

MethodName read_method_name(std::string_view name) noexcept {
  const std::size_t source = name.find(':') + 1;
  std::size_t position = name.find('@', source);
  MethodName read{.algorithm = name.substr(0, position)};
  while (position != std::string_view::npos) {
    const std::size_t next = name.find('@', position + 1);
    const std::string_view word = name.substr(position + 1, next - position - 1);
    if (!read_parameter(word, read.parameters)) {
      read.unknown = word;
      break;
    }
    position = next;
  }
  return read;
}

Method parse_method_name(std::string_view name, std::optional<std::uint64_t> segment_size) {
  const MethodName read = read_method_name(name);
  if (read.algorithm == name) return {std::string(name), segment_size};
  // "default" alone is the library's own choice: it takes no parameters.
  const bool ours = !read.unknown && !read.algorithm.empty() &&
                    read.algorithm != kDefaultAlgorithm &&
                    full_name(read.algorithm, read.parameters) == name;
  if (!ours) return {std::string(name), segment_size};
  return {std::string(read.algorithm), segment_size, read.parameters};
}

}  // namespace colltree
