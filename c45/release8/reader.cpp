// SPDX-License-Identifier: BSD-3-Clause
#include "release8/reader.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "release8/lexer.h"

namespace colltree::c45 {

// Collects what one file does wrong; release 8 gives up at the eleventh.
class ProblemList {
 public:
  ProblemList(std::string_view file, Problems& problems) : file_(file), problems_(problems) {}

  void add(std::size_t line, std::string_view reason) {
    note(line, reason);
    constexpr int kMost = 10;
    if (++count_ > kMost) fail(line, "more than 10 errors, giving up");
  }
  // Does not count towards the limit, as in release 8.
  void note(std::size_t line, std::string_view reason) {
    problems_.push_back(fmt::format("{}:{}: {}", file_, line, reason));
  }
  [[noreturn]] void fail(std::size_t line, std::string_view reason) {
    throw ParseError(file_, line, reason);
  }

 private:
  std::string_view file_;
  Problems& problems_;
  int count_ = 0;
};

namespace {

class NamesParser {
 public:
  NamesParser(std::string_view text, std::string_view file, Problems& problems)
      : lexer_(text), problems_(file, problems) {}

  Schema parse() {
    classes();
    while (std::optional<Word> word = lexer_.next()) attribute(*word);
    if (schema_.attributes.empty()) {
      problems_.fail(lexer_.line(),
                     "no attribute: expected 'name: continuous.' or a list of values");
    }
    return std::move(schema_);
  }

 private:
  // A comma list into `names`; `what` for messages.
  void list(Word word, std::vector<std::string>& names, std::string_view what) {
    std::set<std::string> seen;
    for (;;) {
      check(word, what);
      if (!seen.insert(word.text).second) {
        problems_.add(word.line, fmt::format("{} '{}' is declared twice", what, word.text));
      }
      names.push_back(word.text);
      if (word.delimiter != ',') return;
      word = must_have(fmt::format("a {} after ','", what));
    }
  }

  void check(const Word& word, std::string_view what) {
    if (word.text.find('\r') != std::string::npos) {
      problems_.fail(word.line, "carriage return: convert the file to Unix line ends");
    }
    if (word.text.find('\0') != std::string::npos) {
      problems_.fail(word.line, "zero byte: this is not a text file");
    }
    if (word.text.empty()) {
      problems_.fail(word.line, fmt::format("expected a {}, got '{}'", what, word.delimiter));
    }
  }

  Word must_have(std::string_view what) {
    if (std::optional<Word> word = lexer_.next()) return *word;
    problems_.fail(lexer_.line(), fmt::format("expected {}, got the end of the file", what));
  }

  void classes() {
    const Word first = must_have("the list of classes");
    list(first, schema_.classes, "class");
    if (first.delimiter == ':') {
      problems_.fail(first.line,
                     fmt::format("expected the list of classes, got attribute '{}'", first.text));
    }
  }

  void attribute(const Word& word) {
    check(word, "attribute name");
    if (word.delimiter != ':') {
      problems_.fail(word.line, fmt::format("expected ':' after attribute name '{}'", word.text));
    }
    if (!names_.insert(word.text).second) {
      problems_.add(word.line, fmt::format("attribute '{}' is declared twice", word.text));
    }
    Attribute attribute{.name = word.text};
    values(must_have(fmt::format("the values of attribute '{}'", word.text)), attribute);
    schema_.attributes.push_back(std::move(attribute));
  }

  void values(const Word& first, Attribute& attribute) {
    const bool alone = first.delimiter != ',';
    if (alone && first.text == "continuous") return;
    if (alone && first.text == "ignore") {
      attribute.kind = AttributeKind::kIgnored;
    } else if (first.text.starts_with("discrete")) {
      open_values(first, attribute);
    } else if (alone) {
      only_one(first, attribute);
    } else {
      attribute.kind = AttributeKind::kDiscrete;
      list(first, attribute.values, fmt::format("value of attribute '{}'", attribute.name));
    }
  }

  void open_values(const Word& word, Attribute& attribute) {
    const auto n = parse_number<std::size_t>(trim(std::string_view(word.text).substr(8)));
    if (!n || *n < 2) {
      problems_.fail(
          word.line,
          fmt::format("attribute '{}': expected 'discrete n' with n of 2 or more, got '{}'",
                      attribute.name, word.text));
    }
    attribute.kind = AttributeKind::kDiscrete;
    attribute.open_values = *n;
  }

  // Release 8 says so and treats the attribute as continuous.
  void only_one(const Word& word, Attribute& attribute) {
    check(word, fmt::format("value of attribute '{}'", attribute.name));
    const bool no_newline = word.text == "continuous.\xFF" || word.text == "ignore.\xFF";
    problems_.add(
        word.line,
        fmt::format("attribute '{}' has only one value{}, treated as continuous", attribute.name,
                    no_newline ? " (the last '.' needs a newline behind it)"
                               : fmt::format(" ('{}')", word.text)));
  }

  Lexer lexer_;
  ProblemList problems_;
  Schema schema_;
  std::set<std::string> names_;
};

using Index = std::unordered_map<std::string, std::uint32_t>;

Index index_of(const std::vector<std::string>& names, std::uint32_t from) {
  Index index;
  // The first of equals wins, as in a search from the front.
  for (std::uint32_t i = 0; i < names.size(); ++i) index.emplace(names[i], i + from);
  return index;
}

struct Prefix {
  double value = 0;
  bool whole = false;  // nothing of the word is left over
};

// As strtod, never with the locale: blanks, a sign, decimal or hexadecimal, inf, nan.
Prefix number_prefix(const std::string& word) {
  std::string_view text = trim(word);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) return {};
  double value = 0;
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto format = hex ? std::chars_format::hex : std::chars_format::general;
  const auto [stop, error] = std::from_chars(begin, end, value, format);
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; strtod gives 0 or infinity. The last resort.
    value = std::strtod(std::string(text).c_str(), nullptr);
  } else if (error != std::errc{}) {
    return {};
  }
  return {negative ? -value : value, stop == end};
}

class CasesParser {
 public:
  CasesParser(std::string_view text, std::string_view file, Schema& schema, Problems& problems)
      : lexer_(text), problems_(file, problems), schema_(schema), cases_(empty_cases(schema)) {
    classes_ = index_of(schema.classes, 0);
    for (const Attribute& attribute : schema.attributes) {
      values_.push_back(index_of(attribute.values, 1));
    }
  }

  Cases parse() {
    while (read_case()) {
    }
    return std::move(cases_);
  }

 private:
  // False at the end of the file.
  bool read_case() {
    for (std::size_t a = 0; a < schema_.attributes.size(); ++a) {
      if (!advance(a == 0, fmt::string_view("a value of attribute '{}'"), a)) return false;
      read_value(a);
    }
    advance(false, "a class", 0);
    read_class();
    return true;
  }

  // The next word into word_. At the end inside a case the last word stays, as in release 8.
  bool advance(bool may_end, fmt::string_view expected, std::size_t attribute) {
    if (std::optional<Word> word = lexer_.next()) {
      word_ = std::move(*word);
      if (word_.text.find('\r') != std::string::npos) {
        problems_.fail(word_.line, "carriage return: convert the file to Unix line ends");
      }
      return true;
    }
    if (may_end) return false;
    if (!ended_) {
      problems_.note(word_.line, fmt::format("expected {}, got the end of the file",
                                             fmt::format(fmt::runtime(expected),
                                                         schema_.attributes[attribute].name)));
      ended_ = true;
    }
    return true;
  }

  void read_value(std::size_t a) {
    switch (schema_.attributes[a].kind) {
      case AttributeKind::kContinuous:
        cases_.numbers[a].push_back(word_.text == "?" ? kUnknownNumber : number(a));
        return;
      case AttributeKind::kDiscrete:
        cases_.values[a].push_back(word_.text == "?" ? kUnknownValue : value(a));
        return;
      case AttributeKind::kIgnored:
        return;
    }
  }

  float number(std::size_t a) {
    const Prefix prefix = number_prefix(word_.text);
    if (!prefix.whole || std::isnan(prefix.value)) {
      illegal(fmt::format("expected a number for attribute '{}', got '{}'",
                          schema_.attributes[a].name, word_.text));
    }
    if (std::isnan(prefix.value)) return kUnknownNumber;
    return static_cast<float>(prefix.value);
  }

  std::uint32_t value(std::size_t a) {
    Attribute& attribute = schema_.attributes[a];
    const auto found = values_[a].find(word_.text);
    if (found != values_[a].end()) return found->second;
    if (attribute.values.size() < attribute.open_values) {
      attribute.values.push_back(word_.text);
      const auto fresh = static_cast<std::uint32_t>(attribute.values.size());
      values_[a].emplace(word_.text, fresh);
      return fresh;
    }
    if (attribute.open_values > 0) {  // release 8 ends here too: "Too many values"
      problems_.fail(word_.line, fmt::format("attribute '{}' has more than {} values, got '{}'",
                                             attribute.name, attribute.open_values, word_.text));
    }
    illegal(fmt::format("expected a value of attribute '{}', got '{}'{}", attribute.name,
                        word_.text, did_you_mean(word_.text, attribute.values)));
    return kUnknownValue;
  }

  void read_class() {
    const auto found = classes_.find(word_.text);
    if (found == classes_.end()) {
      illegal(fmt::format("expected a class, got '{}'{}", word_.text,
                          did_you_mean(word_.text, schema_.classes)));
    }
    cases_.label.push_back(found == classes_.end() ? 0 : found->second);
  }

  void illegal(const std::string& reason) { problems_.add(word_.line, reason); }

  Lexer lexer_;
  ProblemList problems_;
  Schema& schema_;
  Cases cases_;
  Index classes_;
  std::vector<Index> values_;
  Word word_;
  bool ended_ = false;
};

}  // namespace

Schema parse_names(std::string_view text, std::string_view name, Problems& problems) {
  return NamesParser(text, name, problems).parse();
}

Cases parse_cases(std::string_view text, std::string_view name, Schema& schema,
                  Problems& problems) {
  return CasesParser(text, name, schema, problems).parse();
}

std::filesystem::path with_ending(const std::filesystem::path& stem, std::string_view ending) {
  return stem.string() + std::string(ending);
}

Dataset read_dataset(const std::filesystem::path& stem, Problems& problems) {
  const std::filesystem::path names = with_ending(stem, ".names");
  const std::filesystem::path data = with_ending(stem, ".data");
  Dataset dataset;
  dataset.schema = parse_names(read_text(names), names.string(), problems);
  dataset.cases = parse_cases(read_text(data), data.string(), dataset.schema, problems);
  if (dataset.cases.size() == 0) throw ParseError(data.string(), 1, "no cases");
  return dataset;
}

}  // namespace colltree::c45
