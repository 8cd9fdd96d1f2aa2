// SPDX-License-Identifier: BSD-3-Clause
// The rules as a table, for whoever reads them with a program: one line a rule, both ends of an
// interval belong to it, the first line that applies decides. docs/reference/formats/rules.md has
// the columns.
#include <fmt/core.h>

#include <array>

#include "base/csv_fields.h"
#include "base/text.h"
#include "rules/targets/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

constexpr std::string_view kCsvNoEnd = "inf";
constexpr std::array<const char*, 3> kSpans = {"communicator_size", "message_size",
                                               "ranks_per_node"};
constexpr std::size_t kFields = 9;
constexpr std::string_view kHeader =
    "collective,communicator_size_min,communicator_size_max,message_size_min,"
    "message_size_max,"
    "ranks_per_node_min,ranks_per_node_max,algorithm,segment_size";

class RulesCsvReader {
 public:
  explicit RulesCsvReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    const std::vector<std::string_view> lines = split(content, '\n');
    if (trim(lines[0]) != kHeader) {
      file_.error(1, fmt::format("expected the header {}", kHeader));
      return std::move(file_);
    }
    bool any = false;
    for (line_ = 2; line_ <= lines.size(); ++line_) {
      const std::string_view text = trim(lines[line_ - 1]);
      if (text.empty()) continue;
      any = true;
      if (const auto fields = split_csv(text)) {
        row(*fields);
      } else {
        error("a quote without its end, or in the middle of a field");
      }
    }
    if (!any) file_.error(0, "a header and no line: the file has no rules");
    return std::move(file_);
  }

 private:
  void error(std::string text) { file_.error(line_, std::move(text)); }

  void row(const std::vector<std::string>& fields) {
    if (fields.size() != kFields) {
      return error(fmt::format("{} fields, not {}", fields.size(), kFields));
    }
    const auto collective = read_collective(target_, fields[0], line_, file_);
    if (!collective) return;
    Rule rule{.line = line_};
    Span* const spans[] = {&rule.communicator_size, &rule.message, &rule.ranks_per_node};
    for (std::size_t i = 0; i < kSpans.size(); ++i) {
      if (!span(fields[1 + 2 * i], fields[2 + 2 * i], kSpans[i], *spans[i])) return;
    }
    if (trim(fields[7]).empty()) return error("no algorithm");
    if (const std::string why = unfit_for_line(fields[7]); !why.empty()) {
      return error(fmt::format("the algorithm's name holds {}", why));
    }
    const auto segment = parse_number<std::uint64_t>(fields[8]);
    if (!segment && !fields[8].empty()) {
      return error(fmt::format("segment_size is '{}', not a number of bytes", fields[8]));
    }
    rule.method = parse_method_name(trim(fields[7]), segment);
    file_.rules.of(*collective).rules.push_back(rule);
  }

  bool span(std::string_view low, std::string_view high, const char* what, Span& result) {
    const auto least = parse_number<std::uint64_t>(low);
    const auto most = end_of(high, kCsvNoEnd);
    if (!least) error(fmt::format("{}_min is '{}', not a whole number", what, low));
    if (!most) error(fmt::format("{}_max is '{}', not a whole number or inf", what, high));
    if (!least || !most) return false;
    if (*least > *most) {
      error(fmt::format("{} from {} to {}: never matched", what, low, high));
      return false;
    }
    result = {*least, *most};
    return true;
  }

  const RuleTarget& target_;
  RuleFile file_;
  std::size_t line_ = 0;
};

class RulesCsvTarget final : public AnyMethodTarget {
 public:
  using AnyMethodTarget::AnyMethodTarget;
  std::string write(const RuleSet& rules, const std::string&) const override {
    std::string text = fmt::format("{}\n", kHeader);
    for (const CollectiveRules& one : rules.collectives) {
      for (const Rule& rule : one.rules) {
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{}\n", colltree::name(one.collective),
            rule.communicator_size.least, end_text(rule.communicator_size.most, kCsvNoEnd),
            rule.message.least, end_text(rule.message.most, kCsvNoEnd), rule.ranks_per_node.least,
            end_text(rule.ranks_per_node.most, kCsvNoEnd), csv_field(rule.method.name()),
            rule.method.segment_size ? std::to_string(*rule.method.segment_size) : "");
      }
    }
    return text;
  }
  RuleFile read(std::string_view content) const override {
    return RulesCsvReader(*this).read(content);
  }
};

}  // namespace

std::unique_ptr<RuleTarget> targets::rules_csv() {
  return std::make_unique<RulesCsvTarget>("rules-csv", "the rules as a table, any method");
}

}  // namespace colltree::rules
