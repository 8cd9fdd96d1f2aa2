// SPDX-License-Identifier: BSD-3-Clause
#include "base/options.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

SizeList::SizeList(std::string list)
    : text(std::move(list)), sizes(parse_size_list(text, "sizes")) {}

namespace {

std::string comma_list(const std::vector<std::string>& words, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? last : std::string_view(", ");
    text += words[i];
  }
  return text;
}

}  // namespace

Option& Option::required() {
  required_ = true;
  return *this;
}

Option& Option::show_default() { return show_default(present_()); }

Option& Option::show_default(const std::string& text) {
  default_ = text;
  return *this;
}

Option& Option::one_of(std::vector<std::string> words) {
  type_ += fmt::format(":{{{}}}", join(words, ","));
  expected_ = comma_list(words, " or ");
  words_ = std::move(words);
  return *this;
}

Option& Option::or_word(std::string word) {
  type_ += "|" + word;
  expected_ += " or " + word;
  no_value_word_ = std::move(word);
  return *this;
}

Option& Option::or_standard_output() {
  dash_ = true;
  return *this;
}

Option& Option::once() {
  once_ = true;
  return *this;
}

const std::string& Option::name() const {
  const auto long_name =
      std::ranges::find_if(names_, [](const std::string& one) { return one.starts_with("--"); });
  return long_name == names_.end() ? names_.front() : *long_name;
}

std::string Option::value_text() const {
  if (type_.empty()) return "";
  return type_ + (default_.empty() ? "" : "=" + default_) + (takes_several() ? " ..." : "") +
         (required_ ? " REQUIRED" : "");
}

// An empty value is a shell variable that was not set more often than a wish.
void Option::refuse_empty() const {
  throw UsageError(fmt::format("{}: the value is empty; {}", name(),
                               required_ ? "give one" : "give one or leave it out"));
}

// "-o=x" is "-o" with "=x", as everywhere; who writes it means x. Who writes "-" means no file of
// that name.
void Option::refuse_odd_output(const std::string& value) const {
  if (value == "-") {
    throw UsageError(
        fmt::format("{}: '-' does not stand for standard output here; name a file", name()));
  }
  throw UsageError(fmt::format(
      "{0}: its value begins with '='; write '{0} {1}', or '{0} ./{2}' for a file of that name",
      name(), value.substr(1), value));
}

void Option::take_values() const {
  if (kind_ != ValueKind::kFlag && !takes_several() && values_.size() > 1)
    throw UsageError(fmt::format("{}: given {} times; give it once", name(), values_.size()));
  for (const std::string& text : values_) {
    if (text.empty() && kind_ == ValueKind::kWord) refuse_empty();
    const bool is_odd = (text == "-" && !dash_) || (text.size() > 1 && text.front() == '=');
    if (output_ && is_odd) refuse_odd_output(text);
    if (!no_value_word_.empty() && text == no_value_word_) {
      clear_();
      continue;
    }
    if (!words_.empty() && std::ranges::count(words_, text) == 0) refuse(name(), expected_, text);
    if (!take_(text)) refuse(name(), expected_, text);
  }
}

namespace {

std::string bare_name(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

}  // namespace

Option& CommandLine::declare(const std::string& names, const std::string& help) {
  auto option = std::make_unique<Option>();
  for (const std::string_view one : split(names, ',')) option->names_.emplace_back(one);
  option->help_ = help;
  option->group_ = begun_group_;
  const std::string name = bare_name(option->name());
  for (const auto& other : options_) {
    if (bare_name(other->name()) == name)
      throw std::logic_error(fmt::format("{}: '{}' is declared twice", name_, name));
  }
  options_.push_back(std::move(option));
  return *options_.back();
}

template <WordTarget Word>
Option& CommandLine::add(const std::string& names, Word& target, const std::string& help) {
  Option& option = declare(names, help);
  option.type_ = "TEXT";
  if constexpr (std::same_as<Word, std::vector<std::string>>) {
    option.list_ = true;
    option.present_ = [&target] { return join(target, " "); };
  } else {
    option.present_ = [&target] { return std::optional(target).value_or(""); };
  }
  option.take_ = [&target](std::string_view text) {
    if constexpr (std::same_as<Word, std::vector<std::string>>) {
      target.emplace_back(text);
    } else {
      target = text;
    }
    return true;
  };
  return option;
}

#define COLLTREE_WORD(Word) \
  template Option& CommandLine::add<Word>(const std::string&, Word&, const std::string&);
COLLTREE_WORD(std::string)
COLLTREE_WORD(std::optional<std::string>)
COLLTREE_WORD(std::vector<std::string>)
#undef COLLTREE_WORD

Option& CommandLine::add_output(const std::string& names, std::string& target,
                                const std::string& help) {
  Option& option = add(names, target, help);
  option.output_ = true;
  return option;
}

Option& CommandLine::add_flag(const std::string& names, bool& target, const std::string& help) {
  Option& option = declare(names, help);
  option.kind_ = ValueKind::kFlag;
  option.expected_ = "no value";
  option.take_ = [&target](std::string_view text) {
    if (text != "true" && text != "false") return false;
    target = text == "true";
    return true;
  };
  option.present_ = [] { return std::string(); };
  return option;
}

Option& CommandLine::declare_number(const std::string& names, const std::string& help,
                                    std::string type, std::string expected,
                                    std::function<bool(std::string_view)> take,
                                    std::function<std::string()> present) {
  Option& option = declare(names, help);
  option.kind_ = ValueKind::kNumber;
  option.type_ = std::move(type);
  option.expected_ = std::move(expected);
  option.take_ = std::move(take);
  option.present_ = std::move(present);
  return option;
}

namespace {

template <class T>
struct NumberOf {
  using Type = T;
  static std::string text(T target) { return fmt::format("{}", target); }
  static void clear(T&) {}  // or_word is for optional targets
};
template <class T>
struct NumberOf<std::optional<T>> {
  using Type = T;
  static std::string text(const std::optional<T>& target) {
    return target ? fmt::format("{}", *target) : "";
  }
  static void clear(std::optional<T>& target) { target.reset(); }
};

// Stores what was read, if anything was.
template <typename Number, typename Value>
bool store(Number& target, const std::optional<Value>& value) {
  if (value) target = static_cast<typename NumberOf<Number>::Type>(*value);
  return value.has_value();
}

}  // namespace

template <WholeTarget Number>
Option& CommandLine::add(const std::string& names, Number& target, WholeRange range,
                         const std::string& help) {
  Option& option = declare_number(
      names, help, "UINT:" + short_text(range), expected_text(range),
      [&target, range](std::string_view text) { return store(target, find_whole(text, range)); },
      [&target] { return NumberOf<Number>::text(target); });
  option.clear_ = [&target] { NumberOf<Number>::clear(target); };
  return option;
}

// A float is read as one: rounding a double would round twice.
template <RealTarget Number>
Option& CommandLine::add(const std::string& names, Number& target, RealRange range,
                         const std::string& help) {
  Option& option = declare_number(
      names, help, "FLOAT:" + short_text(range), expected_text(range),
      [&target, range](std::string_view text) {
        return find_real(text, range) &&
               store(target, parse_number<typename NumberOf<Number>::Type>(text));
      },
      [&target] { return NumberOf<Number>::text(target); });
  option.clear_ = [&target] { NumberOf<Number>::clear(target); };
  return option;
}

#define COLLTREE_NUMBER(Number, Range) \
  template Option& CommandLine::add<Number>(const std::string&, Number&, Range, const std::string&);
COLLTREE_NUMBER(int, WholeRange)
COLLTREE_NUMBER(std::uint32_t, WholeRange)
COLLTREE_NUMBER(std::uint64_t, WholeRange)
COLLTREE_NUMBER(std::optional<std::uint64_t>, WholeRange)
COLLTREE_NUMBER(float, RealRange)
COLLTREE_NUMBER(double, RealRange)
COLLTREE_NUMBER(std::optional<float>, RealRange)
COLLTREE_NUMBER(std::optional<double>, RealRange)
#undef COLLTREE_NUMBER

Option& CommandLine::add_size(const std::string& names, std::uint64_t& target, WholeRange range,
                              const std::string& help) {
  return declare_number(
      names, help, "SIZE", expected_size_text(range),
      [&target, range](std::string_view text) { return store(target, find_size(text, range)); },
      [&target] { return size_text(target); });
}

Option& CommandLine::add_sizes(const std::string& names, SizeList& target, WholeRange range,
                               const std::string& help) {
  Option& option = declare_number(names, help, "SIZES", "a list of sizes", {},
                                  [&target] { return target.text; });
  // The list says itself which of its parts is wrong.
  option.take_ = [&target, range, &option](std::string_view text) {
    target.sizes = parse_size_list(text, range, option.name());
    target.text = text;
    return true;
  };
  option.clear_ = [&target, &option] {
    target.sizes.clear();
    target.text = option.no_value_word_;
  };
  return option;
}

Option& CommandLine::add_percent(const std::string& names, double& fraction, RealRange percent,
                                 const std::string& help) {
  return declare_number(
      names, help, "PERCENT", expected_percent_text(percent),
      [&fraction, percent](std::string_view text) {
        return store(fraction, find_percent(text, percent));
      },
      [&fraction] { return fmt::format("{}%", 100 * fraction); });
}

}  // namespace colltree
