// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "base/text.h"
#include "model/c45/lexer.h"
#include "model/c45/problem_list.h"
#include "model/c45/reader.h"

namespace colltree::c45 {

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

}  // namespace

Schema parse_names(std::string_view text, std::string_view name, Problems& problems) {
  return NamesParser(text, name, problems).parse();
}

}  // namespace colltree::c45
