// SPDX-License-Identifier: BSD-3-Clause
// JSON with the line of each value: what is wrong with a rules file is said by line, also where the
// JSON itself is right. Objects keep their order and repeated keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/rules/rule_target.h"

namespace colltree {

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
std::string_view name(JsonKind kind);  // "an object", "a number", ...

struct JsonMember;

struct JsonValue {
  JsonKind kind = JsonKind::kNull;
  std::size_t line = 0;
  std::string text;  // of a string its content, of a number or boolean its letters
  std::vector<JsonMember> members;
  std::vector<JsonValue> items;
  std::size_t begin = 0;  // bytes of the file: from its first character
  std::size_t end = 0;    // behind its last one

  const JsonValue* find(std::string_view key) const;
  std::optional<std::int64_t> integer() const;  // of a number without fraction and exponent
};

struct JsonMember {
  std::string key;
  std::size_t line;
  JsonValue value;
};

// What is wrong with the JSON, at a line.
struct JsonError {
  std::size_t line;
  std::string text;
};

// What is taken for JSON: as the standard says, or as a library's own parser has it.
enum class JsonDialect : std::uint8_t {
  kStandard,
  // json-c, which MPICH holds: comments, a comma before a closing bracket, strings in single
  // quotes, words in any case and NaN; what follows the end is not looked at. At most 31 levels
  // below the outermost.
  kJsonC,
  // json.c of Open MPI 6 (json-parser): a comma before a closing bracket, a byte order mark, line
  // ends in strings, any character after a backslash.
  kJsonParser,
};

// Throws JsonError. At most 128 levels, unless the dialect has less.
JsonValue parse_json_lines(std::string_view content, JsonDialect dialect = JsonDialect::kStandard);

// The keys of a JSON object in a rules file: those that stand twice, of which the first counts, and
// those that nobody reads.
void check_repeated(const JsonValue& object, RuleFile& file);
// Also those that are not `known`, each with the nearest that is.
void check_keys(const JsonValue& object, const std::vector<std::string>& known, RuleFile& file);

}  // namespace colltree
