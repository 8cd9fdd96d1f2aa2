// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI: export I_MPI_ADJUST_<COLLECTIVE>="preset:bytes-bytes@ranks-ranks,...;preset:..."; both
// ends of a range belong to it.
#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "base/text.h"
#include "emit/rules/formats.h"
#include "emit/rules/named_methods.h"
#include "emit/rules/value_list.h"

namespace colltree {

namespace {

constexpr std::string_view kIntelPrefix = "I_MPI_ADJUST_";
constexpr std::uint64_t kMost = INT_MAX;  // ranges have no word for "and more"

std::string range(const Rule& rule) {
  return fmt::format("{}-{}@{}-{}", rule.message.least, std::min(rule.message.most, kMost),
                     rule.communicator_size.least, std::min(rule.communicator_size.most, kMost));
}

}  // namespace

std::string write_intel(const RuleTarget&, const RuleSet& rules, const std::string& comment) {
  std::string text = fmt::format("# {}\n", comment);
  for (const CollectiveRules& one : rules.collectives) {
    std::string value;
    std::string preset;
    for (const Rule& rule : one.rules) {
      if (is_library_default(rule.method)) continue;
      if (rule.method.algorithm == preset) {
        value += "," + range(rule);
      } else {
        value +=
            fmt::format("{}{}:{}", value.empty() ? "" : ";", rule.method.algorithm, range(rule));
      }
      preset = rule.method.algorithm;
    }
    text += variable_line(kIntelPrefix, one.collective, value);
  }
  return text;
}

namespace {

class IntelReader {
 public:
  IntelReader(const RuleTarget& target, RuleFile& file, const CollectiveVariable& variable)
      : target_(target), file_(file), variable_(variable) {}

  void read() {
    for (const std::string_view part : split(variable_.value, ';')) preset(part);
  }

 private:
  void error(std::string text) { file_.error(variable_.line, std::move(text)); }
  void keep(const Rule& rule) { file_.rules.of(variable_.collective).rules.push_back(rule); }

  void preset(std::string_view text) {
    if (text.empty()) return error("an empty part between two ';'");
    const std::size_t colon = text.find(':');
    const std::string_view number = text.substr(0, colon);
    if (!parse_number<unsigned>(number)) {
      return error(fmt::format("'{}' is no number of a preset", number));
    }
    const std::vector<std::string> names = target_names(table_of(target_), variable_.collective);
    if (std::ranges::count(names, number) == 0) {
      return error(fmt::format("{} has no preset {} that is known here", name(variable_.collective),
                               number));
    }
    Rule rule{.method = {std::string(number), 0}, .line = variable_.line};
    if (colon == std::string_view::npos) {
      keep(rule);
      return;
    }
    for (const std::string_view one : split(text.substr(colon + 1), ',')) {
      if (condition(one, rule)) keep(rule);
    }
  }

  bool condition(std::string_view text, Rule& rule) {
    const std::size_t at = text.find('@');
    rule.communicator_size = {};
    return span(text.substr(0, at), "bytes", rule.message) &&
           (at == std::string_view::npos ||
            span(text.substr(at + 1), "ranks", rule.communicator_size));
  }

  bool span(std::string_view text, const char* what, Span& result) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto most =
        dash == std::string_view::npos ? least : parse_number<std::uint64_t>(text.substr(dash + 1));
    if (!least || !most) {
      error(fmt::format("'{}' is no range of {}; write 0-1024", text, what));
      return false;
    }
    if (*most < *least) {
      error(fmt::format("range {} of {} is empty", text, what));
      return false;
    }
    if (*most > kMost) {
      error(fmt::format("range {} of {}: at most {}", text, what, kMost));
      return false;
    }
    result = {*least, *most == kMost ? UINT64_MAX : *most};
    return true;
  }

  const RuleTarget& target_;
  RuleFile& file_;
  const CollectiveVariable& variable_;
};

}  // namespace

RuleFile read_intel(const RuleTarget& target, std::string_view content) {
  RuleFile file;
  read_collective_variables(
      target, kIntelPrefix, content, file,
      [&](const CollectiveVariable& one) { IntelReader(target, file, one).read(); });
  return file;
}

}  // namespace colltree
