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

constexpr std::string_view kPrefix = "I_MPI_ADJUST_";
constexpr std::uint64_t kMost = INT_MAX;  // ranges have no word for "and more"

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

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
    if (!value.empty()) {
      text += fmt::format("export {}{}=\"{}\"\n", kPrefix, upper(name(one.collective)), value);
    }
  }
  return text;
}

namespace {

class Reader {
 public:
  explicit Reader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    const std::vector<Assignment> lines = read_assignments(content);
    if (lines.empty()) error("no variable: the file has no rules");
    for (const Assignment& one : lines) {
      line_ = one.line;
      if (!one.problem.empty()) {
        error(one.problem);
      } else {
        variable(one);
      }
    }
    return std::move(file_);
  }

 private:
  void error(std::string text) {
    file_.defects.push_back({line_, Severity::kError, std::move(text)});
  }

  void variable(const Assignment& one) {
    if (!one.variable.starts_with(kPrefix)) {
      return error(fmt::format("'{}' is no I_MPI_ADJUST_<COLLECTIVE>", one.variable));
    }
    const std::string_view word = one.variable.substr(kPrefix.size());
    const std::string collective = lower(word);
    std::vector<std::string> names;
    for (const CollectiveInfo& info : all_collectives()) {
      if (target_.size_key(info.collective)) names.push_back(upper(info.name));
    }
    const auto found = find_collective(collective);
    if (!found || !target_.size_key(*found) || upper(word) != word) {
      return error(
          fmt::format("unknown collective '{}'{}", word, did_you_mean(upper(word), names)));
    }
    if (file_.rules.find(*found) != nullptr) {
      error(fmt::format("{} stands twice: the last one counts", one.variable));
      std::erase_if(file_.rules.collectives,
                    [&](const CollectiveRules& rules) { return rules.collective == *found; });
    }
    rules_ = {.collective = *found};
    if (one.value.empty()) return error(fmt::format("{} is empty", one.variable));
    for (const std::string_view part : split(one.value, ';')) preset(part);
    file_.rules.collectives.push_back(rules_);
  }

  void preset(std::string_view text) {
    if (text.empty()) return error("an empty part between two ';'");
    const std::size_t colon = text.find(':');
    const std::string_view number = text.substr(0, colon);
    if (!parse_number<unsigned>(number)) {
      return error(fmt::format("'{}' is no number of a preset", number));
    }
    const std::vector<std::string> names = target_names("intel", rules_.collective);
    if (std::ranges::count(names, number) == 0) {
      return error(
          fmt::format("{} has no preset {} that is known here", name(rules_.collective), number));
    }
    Rule rule{.method = {std::string(number), 0}, .line = line_};
    if (colon == std::string_view::npos) {
      rules_.rules.push_back(rule);
      return;
    }
    for (const std::string_view one : split(text.substr(colon + 1), ',')) {
      if (condition(one, rule)) rules_.rules.push_back(rule);
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
  RuleFile file_;
  CollectiveRules rules_;
  std::size_t line_ = 0;
};

}  // namespace

RuleFile read_intel(const RuleTarget& target, std::string_view content) {
  return Reader(target).read(content);
}

}  // namespace colltree
