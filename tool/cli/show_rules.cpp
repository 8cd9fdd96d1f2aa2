// SPDX-License-Identifier: BSD-3-Clause
#include "cli/show_rules.h"

#include <fmt/core.h>

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "base/input.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "coll/library_algorithms.h"
#include "rules/check_rules.h"
#include "rules/rule_set.h"

namespace colltree::cli {

namespace {

constexpr std::size_t kMostRuleRows = 8;  // of one collective, as text

std::string span_text(const rules::Span& span, const char* unit) {
  return span == rules::Span{} ? fmt::format("any {}", unit) : rules::text(span, unit);
}

std::string row_text(const rules::RuleRow& row) {
  std::string text = span_text(row[0].communicator_size, "ranks");
  if (row[0].ranks_per_node != rules::Span{})
    text += ", " + span_text(row[0].ranks_per_node, "ranks a node");
  if (row[0].nodes != rules::Span{}) text += ", " + span_text(row[0].nodes, "nodes");
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += i == 0 ? ": " : "; ";
    if (row.size() > 1 || row[i].message != rules::Span{})
      text += span_text(row[i].message, "bytes") + " ";
    text += is_library_default(row[i].method) ? "the library's own choice" : row[i].method.label();
    if (!row[i].conditions.empty()) text += fmt::format(" ({})", join(row[i].conditions, ", "));
    if (row[i].required != 0 || row[i].excluded != 0) text += " (under conditions)";
  }
  return text;
}

void print_collective(const rules::CollectiveRules& rules) {
  const std::vector<rules::RuleRow> rows = rules::rows_of(rules);
  fmt::print("{}: {} rules\n", name(rules.collective), rules.rules.size());
  for (std::size_t i = 0; i < rows.size() && i < kMostRuleRows; ++i)
    fmt::print("  {}\n", row_text(rows[i]));
  if (rows.size() > kMostRuleRows)
    fmt::print("  and {} rows more; --json prints all\n", rows.size() - kMostRuleRows);
}

// The rules of a file. A script with several commands has a set of rules for every command.
std::vector<rules::RunRules> runs_of(const rules::RuleFile& file) {
  return file.runs.empty() ? std::vector{rules::RunRules{0, file.rules}} : file.runs;
}

void print_file(const std::string& path, const rules::RuleTarget& target,
                const rules::RuleFile& file) {
  fmt::print("{}: {} ({})\n", path, target.summary, target.name);
  for (const rules::RunRules& run : runs_of(file)) {
    if (!file.runs.empty()) fmt::print("{}:\n", rules::run_text(run));
    for (const rules::CollectiveRules& rules : run.rules.collectives) print_collective(rules);
    if (run.rules.collectives.empty()) fmt::print("no rules\n");
  }
  fmt::print("{} errors, {} unsafe, {} warnings: colltree check {} --for {}\n",
             file.count(rules::Severity::kError), file.count(rules::Severity::kUnsafe),
             file.count(rules::Severity::kWarning), path, target.name);
}

Json span_json(const rules::Span& span) {
  return Json::array({span.least, span.most == UINT64_MAX ? Json() : Json(span.most)});
}

// The conditions of a rule besides its sizes, in words.
Json conditions_json(const rules::Rule& rule) {
  Json conditions = rule.conditions;
  for (const BitWord& need : need_words()) {
    if ((rule.required & need.bit) != 0) conditions.push_back(need.text);
    if ((rule.excluded & need.bit) != 0) conditions.push_back(fmt::format("not: {}", need.text));
  }
  return conditions;
}

Json rule_json(const rules::Rule& rule) {
  const std::optional<std::uint64_t>& segment = rule.method.segment_size;
  return {{"line", rule.line},
          {"communicator_size", span_json(rule.communicator_size)},
          {"message_size", span_json(rule.message)},
          {"ranks_per_node", span_json(rule.ranks_per_node)},
          {"nodes", span_json(rule.nodes)},
          {"algorithm", rule.method.name()},
          {"segment_size", segment ? Json(*segment) : Json()},
          {"conditions", conditions_json(rule)},
          {"usual", rule.usual}};
}

constexpr const char* kSizeKeys[] = {"message_size", "message_size_times_ranks",
                                     "none"};  // SizeKey

Json run_json(const rules::RuleTarget& target, const rules::RunRules& run) {
  Json collectives = Json::array();
  for (const rules::CollectiveRules& rules : run.rules.collectives) {
    const auto key = target.size_key(rules.collective).value_or(rules::SizeKey::kNone);
    collectives.push_back({{"collective", name(rules.collective)},
                           {"size_key", kSizeKeys[static_cast<std::size_t>(key)]},
                           {"rules", json_list(rules.rules, rule_json)}});
  }
  return {{"line", run.line}, {"collectives", collectives}};
}

Json file_json(const std::string& path, const rules::RuleTarget& target,
               const rules::RuleFile& file) {
  Json runs = Json::array();
  for (const rules::RunRules& run : runs_of(file)) runs.push_back(run_json(target, run));
  return {{"file", path},
          {"for", target.name},
          {"errors", file.count(rules::Severity::kError)},
          {"unsafe", file.count(rules::Severity::kUnsafe)},
          {"warnings", file.count(rules::Severity::kWarning)},
          {"runs", runs}};
}

}  // namespace

bool is_rules_file(const std::string& path) {
  const std::string begin = first_bytes(path, 15);
  if (begin.empty() || begin == "SQLite format 3") return false;
  std::error_code unknown;
  if (std::filesystem::file_size(path, unknown) > kMostModelBytes) return false;
  const std::string content = read_file(path, kMostModelBytes);
  if (content.find("colltree-model") != std::string::npos) return false;
  return rules::detect_target(content) != nullptr;
}

void show_rules(const std::string& path, bool json) {
  const std::string content = read_file(path, kMostModelBytes);
  const rules::RuleTarget& target = rules::find_or_detect_target("", content, path);
  const rules::RuleFile file = rules::check_rules(target, content);
  if (json) return print_results("colltree/rules/1", file_json(path, target, file));
  print_file(path, target, file);
}

}  // namespace colltree::cli
