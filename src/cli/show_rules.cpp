// SPDX-License-Identifier: BSD-3-Clause
#include "cli/show_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "colltree/decision.h"
#include "emit/rules/check_rules.h"
#include "emit/rules/rule_set.h"

namespace colltree {

namespace {

constexpr std::size_t kMostRuleRows = 8;  // of one collective

std::string span_text(const Span& span, const char* unit) {
  if (span == Span{}) return fmt::format("any {}", unit);
  if (span.least == span.most) return fmt::format("{} {}", span.least, unit);
  if (span.most == UINT64_MAX) return fmt::format("{} {} and more", span.least, unit);
  return fmt::format("{} to {} {}", span.least, span.most, unit);
}

std::string method_text(const Method& method) {
  return is_library_default(method) ? "the library's own choice" : method.label();
}

std::string row_text(const RuleRow& row) {
  std::string text = span_text(row[0].communicator_size, "ranks");
  if (row[0].ranks_per_node != Span{})
    text += ", " + span_text(row[0].ranks_per_node, "ranks a node");
  if (row[0].nodes != Span{}) text += ", " + span_text(row[0].nodes, "nodes");
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += i == 0 ? ": " : "; ";
    if (row.size() > 1 || row[i].message != Span{})
      text += span_text(row[i].message, "bytes") + " ";
    text += method_text(row[i].method);
    if (!row[i].conditions.empty()) text += fmt::format(" ({})", join(row[i].conditions, ", "));
    if (row[i].required != 0 || row[i].excluded != 0) text += " (under conditions)";
  }
  return text;
}

void print_collective(const CollectiveRules& rules) {
  const std::vector<RuleRow> rows = rows_of(rules);
  fmt::print("{}: {} rules\n", name(rules.collective), rules.rules.size());
  for (std::size_t i = 0; i < rows.size() && i < kMostRuleRows; ++i)
    fmt::print("  {}\n", row_text(rows[i]));
  if (rows.size() > kMostRuleRows) fmt::print("  and {} rows more\n", rows.size() - kMostRuleRows);
}

std::size_t count(const RuleFile& file, Severity severity) {
  return static_cast<std::size_t>(std::ranges::count(file.defects, severity, &Defect::severity));
}

}  // namespace

bool is_rules_file(const std::string& path) {
  // A pipe can be read once only, and a profile is large.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  char begin[16] = "";
  std::ifstream(path, std::ios::binary).read(begin, sizeof begin - 1);
  if (std::string_view(begin) == "SQLite format 3") return false;
  if (std::filesystem::file_size(path, unknown) > kMostModelBytes) return false;
  const std::string content = read_file(path, kMostModelBytes);
  if (content.find("colltree-model") != std::string::npos) return false;
  return detect_target(content) != nullptr;
}

void show_rules(const std::string& path) {
  const std::string content = read_file(path, kMostModelBytes);
  const RuleTarget& target = find_or_detect_target("", content, path);
  const RuleFile file = check_rules(target, content);
  fmt::print("{}: {} ({})\n", path, target.summary, target.name);
  for (const CollectiveRules& one : file.rules.collectives) print_collective(one);
  if (file.rules.collectives.empty()) fmt::print("no rules\n");
  fmt::print("{} errors, {} unsafe, {} warnings: colltree check {} --for {}\n",
             count(file, Severity::kError), count(file, Severity::kUnsafe),
             count(file, Severity::kWarning), path, target.name);
}

void show_compact(const std::string& path) {
  char error[512];
  const std::unique_ptr<colltree_decision, decltype(&colltree_decision_free)> decision(
      colltree_decision_load(path.c_str(), error, sizeof error), colltree_decision_free);
  if (decision == nullptr) throw Error(error);
  std::string text(colltree_decision_describe(decision.get(), nullptr, 0) + 1, '\0');
  colltree_decision_describe(decision.get(), text.data(), text.size());
  text.pop_back();
  fmt::print("{}: compact decision file\n{}", path, text);
  if (!text.ends_with('\n')) fmt::print("\n");
}

}  // namespace colltree
