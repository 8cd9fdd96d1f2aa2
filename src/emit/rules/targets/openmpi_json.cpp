// SPDX-License-Identifier: BSD-3-Clause
// Rules of Open MPI 6: JSON, rule_file_version 3. Algorithms are written as numbers, which no
// version renames.
#include <fmt/format.h>

#include <climits>

#include "base/text.h"
#include "emit/rules/json_lines.h"
#include "emit/rules/openmpi_methods.h"
#include "emit/rules/rule_set.h"
#include "emit/rules/targets/targets.h"

namespace colltree {

namespace {

// Also a minimum can be read as "inf".
std::string bound_json(std::uint64_t bound) {
  return bound == UINT64_MAX ? "\"inf\"" : std::to_string(bound);
}

std::string rule_json(Collective collective, const Rule& rule) {
  const OpenmpiColumns columns = openmpi_columns(collective, rule.method);
  std::string text = fmt::format("        {{ \"msg_size_min\": {}, \"msg_size_max\": {}",
                                 bound_json(rule.message.least), bound_json(rule.message.most));
  text += fmt::format(", \"alg\": {}", columns.algorithm);
  if (columns.fanout != 0) text += fmt::format(", \"faninout\": {}", columns.fanout);
  if (columns.segment_size != 0) text += fmt::format(", \"seg_size\": {}", columns.segment_size);
  if (columns.requests != 0) text += fmt::format(", \"reqs\": {}", columns.requests);
  return text + " }";
}

std::string row_json(Collective collective, const RuleRow& row) {
  std::string text =
      fmt::format("      {{ \"comm_size_min\": {}", bound_json(row[0].communicator_size.least));
  if (row[0].communicator_size.most != UINT64_MAX) {
    text += fmt::format(", \"comm_size_max\": {}", row[0].communicator_size.most);
  }
  if (row[0].ranks_per_node.most == 1) text += ", \"comm_rank_distribution\": \"one-per-node\"";
  if (row[0].nodes.most == 1) text += ", \"comm_rank_distribution\": \"single-node\"";
  text += ", \"rules\": [\n";
  for (std::size_t i = 0; i < row.size(); ++i) {
    text += rule_json(collective, row[i]) + (i + 1 < row.size() ? ",\n" : " ] }");
  }
  return text;
}

std::string write_openmpi_json(const RuleTarget&, const RuleSet& rules, const std::string&) {
  std::string text =
      "{\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n  \"collectives\": {\n";
  for (std::size_t c = 0; c < rules.collectives.size(); ++c) {
    const CollectiveRules& one = rules.collectives[c];
    text += fmt::format("    \"{}\": [\n", name(one.collective));
    const std::vector<RuleRow> rows = rows_of(one);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      text += row_json(one.collective, rows[i]) + (i + 1 < rows.size() ? ",\n" : "\n");
    }
    text += c + 1 < rules.collectives.size() ? "    ],\n" : "    ]\n";
  }
  return text + "  }\n}\n";
}

struct DroppedValue {};

class OpenMpiJsonReader {
 public:
  explicit OpenMpiJsonReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    try {
      root(parse_json_lines(content));
    } catch (const JsonError& wrong) {
      file_.error(wrong.line, wrong.text);
      file_.rules = {};
    } catch (const DroppedValue&) {
      file_.rules = {};
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void drop(std::size_t line, const std::string& text) {
    file_.error(line, text + "; Open MPI ignores the whole file");
    throw DroppedValue{};
  }

  void expect(const JsonValue& value, JsonKind kind, const std::string& what) {
    if (value.kind == kind) return;
    drop(value.line, fmt::format("{} is {}, not {}", what, name(value.kind), name(kind)));
  }

  void root(const JsonValue& value) {
    expect(value, JsonKind::kObject, "the file");
    check_keys(value, {"rule_file_version", "module", "collectives"}, file_);
    const JsonValue* version = value.find("rule_file_version");
    if (version == nullptr) drop(value.line, "no \"rule_file_version\"");
    if (version->integer() != 3) {
      drop(version->line, fmt::format("rule_file_version is {} ({}), not the number 3",
                                      version->text, name(version->kind)));
    }
    const JsonValue* module = value.find("module");
    if (module == nullptr) drop(value.line, "no \"module\"");
    if (module->text != "tuned") {
      drop(module->line, fmt::format("module is '{}', not 'tuned'", module->text));
    }
    const JsonValue* collectives = value.find("collectives");
    if (collectives == nullptr) drop(value.line, "no \"collectives\"");
    expect(*collectives, JsonKind::kObject, "\"collectives\"");
    if (collectives->members.empty())
      file_.error(collectives->line, "no collective: the file has no rules");
    for (const JsonMember& member : collectives->members) collective(member);
  }

  void collective(const JsonMember& member) {
    bool known = false;
    std::vector<std::string> names;
    for (std::uint64_t id = 0; id < kOpenmpiCollectives; ++id) {
      names.emplace_back(openmpi_collective_name(id));
      known = known || names.back() == member.key;
    }
    if (!known) {
      drop(member.line,
           fmt::format("unknown collective '{}'{}", member.key, did_you_mean(member.key, names)));
    }
    expect(member.value, JsonKind::kArray, fmt::format("\"{}\"", member.key));
    const auto found = find_collective(member.key);
    if (!found || !openmpi_size_key(*found)) {
      file_.warn(member.line, fmt::format("coll/tuned has no rules for {}; no effect", member.key));
      return;
    }
    if (file_.rules.find(*found) != nullptr) {
      file_.error(member.line, fmt::format("{} has rules above already", member.key));
      return;
    }
    rules_ = {.collective = *found};
    for (const JsonValue& row : member.value.items) communicator(row);
    file_.rules.collectives.push_back(rules_);
  }

  std::uint64_t size(const JsonValue& object, const char* key, std::uint64_t otherwise,
                     std::uint64_t most) {
    const JsonValue* value = object.find(key);
    if (value == nullptr) return otherwise;
    if (value->kind == JsonKind::kString && lower(value->text) == "inf") return UINT64_MAX;
    const auto number = value->integer();
    if (!number) {
      drop(value->line, fmt::format("{} is '{}', not a whole number or \"inf\"", key, value->text));
    }
    if (*number < 0) {
      file_.error(value->line, fmt::format("{} is negative: {}", key, *number));
      return 0;
    }
    if (static_cast<std::uint64_t>(*number) > most) {
      file_.error(value->line, fmt::format("{} is {}; at most {}", key, *number, most));
    }
    return static_cast<std::uint64_t>(*number);
  }

  void check_span(const Span& span, std::size_t line, const char* what) {
    if (span.least > span.most) {
      file_.error(line, fmt::format("{}_min {} is above {}_max {}: no effect", what, span.least,
                                    what, span.most));
    }
  }

  void communicator(const JsonValue& row) {
    expect(row, JsonKind::kObject, "a rule for communicators");
    check_keys(row, {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"}, file_);
    Rule rule;
    rule.communicator_size = {size(row, "comm_size_min", 0, INT_MAX),
                              size(row, "comm_size_max", UINT64_MAX, INT_MAX)};
    if (rule.communicator_size.most >= INT_MAX) rule.communicator_size.most = UINT64_MAX;
    check_span(rule.communicator_size, row.line, "comm_size");
    distribution(row, rule);
    const JsonValue* sizes = row.find("rules");
    if (sizes == nullptr) drop(row.line, "a rule for communicators without \"rules\"");
    expect(*sizes, JsonKind::kArray, "\"rules\"");
    if (sizes->items.empty()) file_.warn(sizes->line, "no rules for these communicators");
    for (const JsonValue& one : sizes->items) message(one, rule);
  }

  void distribution(const JsonValue& row, Rule& rule) {
    const JsonValue* value = row.find("comm_rank_distribution");
    if (value == nullptr || value->text == "any") return;
    if (value->text == "one-per-node") {
      rule.ranks_per_node = {0, 1};
    } else if (value->text == "single-node") {
      rule.nodes = {0, 1};
    } else {
      file_.error(value->line,
                  fmt::format("comm_rank_distribution '{}' is read as 'any'; known are any, "
                              "one-per-node, single-node",
                              value->text));
    }
  }

  void message(const JsonValue& one, Rule rule) {
    expect(one, JsonKind::kObject, "a rule");
    check_keys(one, {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"}, file_);
    rule.line = one.line;
    rule.message = {size(one, "msg_size_min", 0, INT64_MAX),
                    size(one, "msg_size_max", UINT64_MAX, INT64_MAX)};
    check_span(rule.message, one.line, "msg_size");
    OpenmpiColumns columns{.fanout = size(one, "faninout", 0, INT_MAX),
                           .segment_size = size(one, "seg_size", 0, INT_MAX),
                           .requests = size(one, "reqs", 0, INT_MAX)};
    const JsonValue* alg = one.find("alg");
    if (alg == nullptr) drop(one.line, "a rule without \"alg\"");
    if (!algorithm(*alg, columns)) return;
    std::vector<std::string> problems;
    const auto method = openmpi_method(target_, rules_.collective, columns, problems);
    for (const std::string& problem : problems) file_.warn(one.line, problem);
    if (!method) {
      file_.error(alg->line, fmt::format("{} has no algorithm {}: the rule has no effect",
                                         name(rules_.collective), alg->text));
      return;
    }
    rule.method = *method;
    rules_.rules.push_back(std::move(rule));
  }

  bool algorithm(const JsonValue& alg, OpenmpiColumns& columns) {
    if (const auto number = alg.integer()) {
      columns.algorithm = *number < 0 ? UINT64_MAX : static_cast<std::uint64_t>(*number);
      return true;
    }
    if (alg.kind != JsonKind::kString) {
      drop(alg.line, fmt::format("alg is {}, not a name or a number", name(alg.kind)));
    }
    if (alg.text == "ignore") return true;
    std::vector<std::string> names;
    for (const LibraryAlgorithm& one : openmpi_algorithms()) {
      if (one.collective != rules_.collective || is_of_han(one)) continue;
      names.emplace_back(one.library_name);
      if (names.back() != alg.text) continue;
      columns.algorithm = static_cast<std::uint64_t>(one.id);
      return true;
    }
    file_.error(alg.line,
                fmt::format("{} has no algorithm '{}'{}: the rule has no effect",
                            name(rules_.collective), alg.text, did_you_mean(alg.text, names)));
    return false;
  }

  const RuleTarget& target_;
  RuleFile file_;
  CollectiveRules rules_;
};

RuleFile read_openmpi_json(const RuleTarget& target, std::string_view content) {
  return OpenMpiJsonReader(target).read(content);
}

}  // namespace

RuleTarget targets::openmpi_6() {
  return openmpi_target({.name = "openmpi-6",
                         .summary = "JSON rules of Open MPI 6",
                         .versions = {"Open MPI", "6.0", "6", "its sources of 2026; not run"},
                         .version = 60,
                         .placement = PlacementAxis::kDistribution,
                         .write = write_openmpi_json,
                         .read = read_openmpi_json});
}

}  // namespace colltree
