// SPDX-License-Identifier: BSD-3-Clause
// A JSON value, for files and messages, which knows where in its text it stands: the reader is
// json_reader.cpp, the writer json.cpp.
//
// Built by braces as the text is: {{"name", 1}, {"list", Json::array({1, 2})}} is an object, since
// all its elements are pairs whose first is a string; other braces are an array. An object keeps
// the order in which its members came; `dump` sorts them by key, `dump_in_order` does not.
// Wrong access (`at`, `get`) throws JsonValueError: what was expected and found. Looking up a
// member takes time linear in the members before it: objects here have few, lists are arrays.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
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

// What is taken for JSON: as the standard says, or as a library's own parser has it.
enum class JsonDialect : std::uint8_t {
  // RFC 8259, all of it: UTF-8, no control characters in strings, numbers that a double can hold.
  // A key that stands twice in an object is refused.
  kStandard,
  // json-c, which MPICH holds: comments, a comma before a closing bracket, strings in single
  // quotes, words in any case and NaN; what follows the end is not looked at. At most 31 levels
  // below the outermost. Keys that stand twice are kept.
  kJsonC,
};

// What is wrong with a text of JSON, at a line and its byte (from 1). `ends_early`: it stops before
// the value is complete.
class JsonError : public Error {
 public:
  JsonError(std::size_t line, std::size_t column, bool ends_early, const std::string& message)
      : Error(message), line(line), column(column), ends_early(ends_early) {}
  std::size_t line;
  std::size_t column;
  bool ends_early;
};

// Another kind of value than asked for, or none.
class JsonValueError : public Error {
 public:
  using Error::Error;
};

// A list, text aside, whose elements are values of JSON. (Json itself is asked first: whether it
// can be made from its own elements is what the compiler would have to know to answer.)
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

  // Where the value stands in the text that it was read from; of a value that was built, zeros.
  struct Place {
    std::uint32_t line = 0;
    std::uint32_t begin = 0;     // bytes of the text: from its first character
    std::uint32_t end = 0;       // behind its last one
    std::uint32_t key_line = 0;  // of a member

    std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  };

  // Levels below the outermost. Deeper text is refused: reading, writing, destroying recurse.
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
  Json(float value);
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

  Json(const Json& other);
  Json(Json&& other) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&& other) noexcept;
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
  bool is_structured() const { return is_array() || is_object(); }
  bool is_number_unsigned() const;  // an integer >= 0
  bool is_number_integer() const { return holds<std::int64_t>() || holds<std::uint64_t>(); }
  bool is_number_float() const { return holds<double>(); }
  bool is_number() const { return is_number_integer() || is_number_float(); }

  // The value as a T: bool, a number, std::string, Json, or a std::vector of such. An integer is
  // given only where one stands that a T can hold.
  template <class T>
  T get() const;
  const std::string& text() const;
  std::optional<std::int64_t> whole() const;  // an integer, where one stands that fits
  // For a message: the text of a string as it is, numbers and words as JSON, else "an array" and
  // so.
  std::string shown() const;

  // Of lists, objects; 0 for null, 1 for all else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  // Members. `[]` makes an object of null, and the member when it is missing.
  Json& operator[](std::string_view key);
  const Json& operator[](std::string_view key) const { return at(key); }
  Json& at(std::string_view key);
  const Json& at(std::string_view key) const;
  // The first of that key; null when it is missing or this is no object.
  const Json* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  template <class T>
  T value(std::string_view key, T otherwise) const {
    const Json* found = find(key);
    return found == nullptr ? otherwise : found->get<T>();
  }
  std::string value(std::string_view key, const char* otherwise) const {
    return value(key, std::string(otherwise));
  }
  std::span<const Member> items() const;
  void erase(std::string_view key);
  void update(const Json& other);  // takes all members of the other object

  // Elements. `push_back` makes an array of null.
  template <std::integral Index>
  Json& operator[](Index index) {
    return at(index);
  }
  template <std::integral Index>
  const Json& operator[](Index index) const {
    return at(index);
  }
  template <std::integral Index>
  Json& at(Index index) {
    return element(static_cast<std::size_t>(index));
  }
  template <std::integral Index>
  const Json& at(Index index) const {
    return element(static_cast<std::size_t>(index));
  }
  Json& front() { return element(0); }
  const Json& front() const { return element(0); }
  Json& back() { return element(size() - 1); }
  const Json& back() const { return element(size() - 1); }
  void push_back(Json value);
  void resize(std::size_t size);
  // The elements of an array; none for all else.
  const Json* begin() const;
  const Json* end() const { return begin() + (is_array() ? size() : 0); }
  Json* begin();
  Json* end() { return begin() + (is_array() ? size() : 0); }

  // Numbers are equal by value, objects whatever the order of their members.
  friend bool operator==(const Json& one, const Json& other) { return one.equals(other); }
  friend std::ostream& operator<<(std::ostream& out, const Json& json);

  // `indent` < 0: one line. Not-a-number and infinity are null. Throws Error for text that is not
  // UTF-8.
  std::string dump(int indent = -1) const;
  std::string dump_in_order(int indent = -1) const;

 private:
  // Made and destroyed in json.cpp alone: a variant costs each place that it is inlined to.
  using Scalar = std::variant<bool, std::int64_t, std::uint64_t>;
  explicit Json(Scalar value);

  template <class T>
  bool holds() const {
    return std::holds_alternative<T>(value_);
  }
  bool equals(const Json& other) const;
  bool flag() const;
  double number() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  std::uint64_t natural(std::uint64_t most) const;
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

namespace json_detail {

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

}  // namespace json_detail

template <class T>
T Json::get() const {
  if constexpr (std::same_as<T, Json>) {
    return *this;
  } else if constexpr (std::same_as<T, bool>) {
    return flag();
  } else if constexpr (std::signed_integral<T>) {
    return static_cast<T>(integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else if constexpr (std::unsigned_integral<T>) {
    return static_cast<T>(natural(std::numeric_limits<T>::max()));
  } else if constexpr (std::floating_point<T>) {
    return static_cast<T>(number());
  } else if constexpr (json_detail::IsVector<T>::value) {
    T list;
    for (const Json& one : elements()) list.push_back(one.get<typename T::value_type>());
    return list;
  } else {
    static_assert(std::same_as<T, std::string>);
    return text();
  }
}

// Reading JSON that people may have edited or cut: every mistake is an Error that names the field.
// (Json::get turns 1.5 into 1 silently.)
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
// An element rather than a field; `what` names it in errors.
std::uint64_t json_unsigned_value(const Json& value, std::string_view what,
                                  std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
// Each element of an array field, one after the other; an Error of `read` gets its place in front:
// "nodes[17]: ...".
void json_each(const Json& object, std::string_view field,
               const std::function<void(const Json& element)>& read);
std::vector<std::uint64_t> json_unsigned_list(
    const Json& object, std::string_view field,
    std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace colltree
