// SPDX-License-Identifier: BSD-3-Clause
// A JSON value for files and messages, which knows its place in the text that it was read from. The
// reader is json_reader.cpp, the writer json_writer.cpp.
//
// A value can be built from braces that look like the text: {{"name", 1}, {"list", Json::array({1,
// 2})}} is an object, because all its elements are pairs that begin with a string; other braces
// make an array. An object keeps the order of its members; `dump` sorts them by key,
// `dump_in_order` does not. Wrong access (`[]`, `text`) throws JsonValueError with what was
// expected and found. Looking up a member takes time linear in the members before it: objects here
// have few, lists are arrays.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace colltree {

class Json;

enum class JsonKind : std::uint8_t { kNull, kBoolean, kNumber, kString, kArray, kObject };
std::string_view name(JsonKind kind);  // "an object", "a number", ...

// The texts that are accepted as JSON: those of the standard, or those of a library's own parser.
enum class JsonDialect : std::uint8_t {
  // RFC 8259, all of it: UTF-8, no control characters in strings, numbers that a double can hold.
  // A key must not occur twice in an object.
  kStandard,
  // json-c, which MPICH contains: comments, a comma before a closing bracket, strings in single
  // quotes, words in any case and NaN; text after the end is ignored. At most 31 levels below the
  // outermost. Repeated keys are kept.
  kJsonC,
};

// The mistake in a text of JSON, with its line and byte (from 1). `ends_early`: the text ends
// before the value is complete.
class JsonError : public Error {
 public:
  JsonError(std::size_t line, std::size_t column, bool ends_early, const std::string& message)
      : Error(message), line(line), column(column), ends_early(ends_early) {}
  std::size_t line;
  std::size_t column;
  bool ends_early;
};

// A value of another kind than expected, or none.
class JsonValueError : public Error {
 public:
  using Error::Error;
};

// A list other than text whose elements can be values of JSON. (Json itself must be excluded first,
// or the compiler would have to know the answer to compute it.)
template <class List>
concept JsonList = !std::same_as<List, Json> && !std::convertible_to<List, std::string_view> &&
                   requires(const List& list) {
  list.begin();
  list.end();
  requires std::constructible_from<Json, decltype(*list.begin())>;
};

class Json {
 public:
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  // The place of the value in the text that it was read from; zeros for a value that was built.
  struct Place {
    std::uint32_t line = 0;
    std::uint32_t begin = 0;     // bytes of the text: from its first character
    std::uint32_t end = 0;       // behind its last one
    std::uint32_t key_line = 0;  // of a member
  };

  // The most levels below the outermost, because reading, writing and destroying recurse.
  static constexpr std::size_t kDeepest = 1000;

  Json();
  Json(std::nullptr_t);
  template <std::same_as<bool> Flag>
  Json(Flag value) : Json(Scalar(value)) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value)
      : Json(Scalar(static_cast<
                    std::conditional_t<std::signed_integral<Integer>, std::int64_t, std::uint64_t>>(
            value))) {}
  Json(double value);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(std::initializer_list<Json> list);
  template <JsonList List>
  Json(const List& list) : Json(array()) {
    for (const auto& element : list) push_back(Json(element));
  }
  template <class First, class Second>
  Json(const std::pair<First, Second>& pair) : Json(array({pair.first, pair.second})) {}

  Json(const Json& json);
  Json(Json&& json) noexcept;
  Json& operator=(const Json& json);
  Json& operator=(Json&& json) noexcept;
  ~Json();

  static Json array(std::initializer_list<Json> list = {});
  static Json object(std::initializer_list<Json> members = {});

  // Throws JsonError.
  static Json parse(std::string_view text, JsonDialect dialect = JsonDialect::kStandard);
  // Nothing when the text is not JSON.
  static std::optional<Json> try_parse(std::string_view text);

  const Place& place() const { return place_; }
  std::size_t line() const { return place_.line; }

  JsonKind kind() const;
  bool is_null() const { return holds<std::monostate>(); }
  bool is_boolean() const { return holds<bool>(); }
  bool is_string() const { return holds<std::string>(); }
  bool is_array() const { return holds<Array>(); }
  bool is_object() const { return holds<Object>(); }
  bool is_number_unsigned() const;  // an integer >= 0
  bool is_number_integer() const { return holds<std::int64_t>() || holds<std::uint64_t>(); }
  bool is_number_float() const { return holds<double>(); }
  bool is_number() const { return is_number_integer() || is_number_float(); }

  // The value, which must be of that kind.
  const std::string& text() const;
  bool flag() const;
  double number() const;
  std::uint64_t natural(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  std::optional<std::int64_t> whole() const;  // an integer, where one stands that fits
  // The value for a message: a string as it is, numbers and words as JSON, otherwise its kind ("an
  // array").
  std::string shown() const;

  // The number of elements or members; 0 for null, 1 for any other value.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Access to members. `[]` makes an object of null, and adds the member when it is missing.
  Json& operator[](std::string_view key);
  const Json& operator[](std::string_view key) const;  // throws when the member is missing
  // The first member with that key; nullptr when it is missing or this is no object.
  const Json* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  std::span<const Member> items() const;
  void erase(std::string_view key);
  void update(const Json& added);  // takes all members of the other object

  // Access to elements. `push_back` makes an array of null.
  template <std::integral Index>
  Json& operator[](Index index) {
    return element(static_cast<std::size_t>(index));
  }
  template <std::integral Index>
  const Json& operator[](Index index) const {
    return element(static_cast<std::size_t>(index));
  }
  void push_back(Json value);
  // The elements of an array; none for other values.
  const Json* begin() const;
  const Json* end() const { return begin() + (is_array() ? size() : 0); }
  Json* begin();
  Json* end() { return begin() + (is_array() ? size() : 0); }

  // Numbers are equal by value; the order of an object's members does not count.
  friend bool operator==(const Json& a, const Json& b) { return a.equals(b); }
  // `indent` < 0: one line. Not-a-number and infinity are null. Throws Error for text that is not
  // UTF-8.
  std::string dump(int indent = -1) const;
  std::string dump_in_order(int indent = -1) const;

 private:
  // Constructors and destructor are in json.cpp, because inlined code of a variant is large.
  using Scalar = std::variant<bool, std::int64_t, std::uint64_t>;
  explicit Json(Scalar value);

  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(value_);
  }
  bool equals(const Json& compared) const;
  Json& element(std::size_t index);
  const Json& element(std::size_t index) const;
  Array& elements();
  const Array& elements() const;
  Object& members();

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Array,
               Object>
      value_;
  Place place_;

  friend class JsonReader;
};

struct Json::Member {
  std::string key;
  Json value;

  std::size_t line() const { return value.place().key_line; }
};

// Readers for JSON that people may have edited or truncated: every mistake is an Error that names
// the field.
const Json& json_field(const Json& object, std::string_view field);
const Json& json_object(const Json& object, std::string_view field);
const Json& json_array(const Json& object, std::string_view field);
std::string json_string(const Json& object, std::string_view field);
std::uint64_t json_unsigned(const Json& object, std::string_view field,
                            std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// A field that may be missing.
bool json_flag_or(const Json& object, std::string_view field, bool otherwise);
std::string json_string_or(const Json& object, std::string_view field, std::string_view otherwise);
double json_number(const Json& object, std::string_view field);
// Reads an element rather than a field; `what` names it in errors.
std::uint64_t json_unsigned_value(const Json& value, std::string_view what,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// Reads each element of an array field in order. An Error of `read` gets its place in front:
// "nodes[17]: ...".
void json_each(const Json& object, std::string_view field,
               const std::function<void(const Json& element)>& read);
std::vector<std::uint64_t> json_unsigned_list(
    const Json& object, std::string_view field,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

// An array with what `item` makes of each element.
template <typename Elements, typename Item>
Json json_list(const Elements& elements, const Item& item) {
  Json list = Json::array();
  for (const auto& element : elements) list.push_back(item(element));
  return list;
}

}  // namespace colltree
