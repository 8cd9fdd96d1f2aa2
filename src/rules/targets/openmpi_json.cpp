// SPDX-License-Identifier: BSD-3-Clause
// Rules of Open MPI 6: JSON, rule_file_version 3. Algorithms are written as numbers, which no
// version renames.
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/openmpi_methods.h"
#include "rules/rule_set.h"
#include "rules/targets/targets.h"

namespace colltree::rules {

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

struct DroppedValue {};

constexpr Span kNever{1, 0};

// What the library makes of a file (its sources of 2026: coll_tuned_dynamic_file.c, opal_json.c):
// it looks at "collectives" only, refuses the file whole where a value has another kind than it
// must, and overlooks what it does not know.
class OpenMpiJsonReader {
 public:
  explicit OpenMpiJsonReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    try {
      root(Json::parse(content, JsonDialect::kJsonParser));
    } catch (const JsonError& wrong) {
      file_.error(wrong.line, std::string(wrong.what()) +
                                  "; Open MPI reads what is no JSON as rules of 5.0 (--for "
                                  "openmpi-5.0.7)");
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

  void expect(const Json& value, JsonKind kind, const std::string& what) {
    if (value.kind() == kind) return;
    drop(value.line(), fmt::format("{} is {}, not {}", what, name(value.kind()), name(kind)));
  }

  void root(const Json& value) {
    expect(value, JsonKind::kObject, "the file");
    check_keys(value, {"rule_file_version", "module", "collectives"}, file_);
    const Json* version = value.find("rule_file_version");
    if (version == nullptr || version->whole() != 3)
      file_.warn(version == nullptr ? value.line() : version->line(),
                 "rule_file_version is not the number 3; Open MPI does not look at it");
    const Json* module = value.find("module");
    if (module == nullptr || module->shown() != "tuned")
      file_.warn(module == nullptr ? value.line() : module->line(),
                 "module is not \"tuned\"; Open MPI does not look at it");
    const Json* collectives = value.find("collectives");
    if (collectives == nullptr) drop(value.line(), "no \"collectives\"");
    expect(*collectives, JsonKind::kObject, "\"collectives\"");
    if (collectives->items().empty())
      file_.warn(collectives->line(), "no collective: the file has no rules");
    for (const Json::Member& member : collectives->items()) collective(member);
  }

  void collective(const Json::Member& member) {
    bool known = false;
    std::vector<std::string> names;
    for (std::uint64_t id = 0; id < kOpenmpiCollectives; ++id) {
      names.emplace_back(openmpi_collective_name(id));
      known = known || names.back() == member.key;
    }
    if (!known) {
      drop(member.line(),
           fmt::format("unknown collective '{}'{}", member.key, did_you_mean(member.key, names)));
    }
    expect(member.value, JsonKind::kArray, fmt::format("\"{}\"", member.key));
    const auto found = find_collective(member.key);
    const bool has_rules = found && openmpi_size_key(*found);
    if (!has_rules)
      file_.warn(member.line(),
                 fmt::format("coll/tuned has no rules for {}; no effect", member.key));
    rules_ = {.collective = has_rules ? *found : Collective::kBcast};
    for (const Json& row : member.value) communicator(row);
    if (!has_rules) return;
    CollectiveRules& made = file_.rules.of(*found);
    if (!seen_.insert(*found).second)
      file_.warn(member.line(),
                 fmt::format("{} has rules above already; only these count", member.key));
    made = std::move(rules_);
  }

  // "inf" and what begins so, in three spellings, is no end.
  static bool is_infinite(const Json& value) {
    return value.kind() == JsonKind::kString &&
           (value.text().starts_with("inf") || value.text().starts_with("Inf") ||
            value.text().starts_with("INF"));
  }

  // A whole number; nothing: there is none, or it has no end.
  std::optional<std::int64_t> whole(const Json& object, const char* key) {
    const Json* value = object.find(key);
    if (value == nullptr || is_infinite(*value)) return std::nullopt;
    const auto number = value->whole();
    if (!number) {
      drop(value->line(),
           fmt::format("{} is '{}', not a whole number or \"inf\"", key, value->shown()));
    }
    if (*number < 0) file_.warn(value->line(), fmt::format("{} is negative: {}", key, *number));
    return number;
  }

  // The library keeps the low 32 bits.
  std::optional<std::int32_t> small(const Json& object, const char* key) {
    const auto number = whole(object, key);
    if (!number) return std::nullopt;
    const auto kept = static_cast<std::int32_t>(static_cast<std::uint32_t>(*number));
    if (kept != *number)
      file_.warn(object.find(key)->line(),
                 fmt::format("{} is {}; Open MPI keeps 32 bits of it: {}", key, *number, kept));
    return kept;
  }

  std::uint64_t column(const Json& object, const char* key) {
    return static_cast<std::uint64_t>(std::max(small(object, key).value_or(0), 0));
  }

  bool begins_infinite(const Json& object, const char* key) {
    const Json* value = object.find(key);
    return value != nullptr && is_infinite(*value);
  }

  // A communicator size is compared with a sign.
  Span communicator_sizes(const Json& row) {
    const auto least = small(row, "comm_size_min");
    const auto most = small(row, "comm_size_max");
    if (most && *most < 0) return kNever;
    if (begins_infinite(row, "comm_size_min")) return kNever;
    return {static_cast<std::uint64_t>(std::max(least.value_or(0), 0)),
            most && *most < INT_MAX ? static_cast<std::uint64_t>(*most) : UINT64_MAX};
  }

  // A message size has no sign: what is negative is beyond every size.
  Span message_sizes(const Json& rule) {
    const auto least = whole(rule, "msg_size_min");
    const auto most = whole(rule, "msg_size_max");
    if ((least && *least < 0) || begins_infinite(rule, "msg_size_min")) return kNever;
    return {static_cast<std::uint64_t>(least.value_or(0)),
            most && *most >= 0 ? static_cast<std::uint64_t>(*most) : UINT64_MAX};
  }

  void check_span(const Span& span, std::size_t line, const char* what) {
    if (span.least > span.most && span != kNever) {
      file_.warn(line, fmt::format("{}_min {} is above {}_max {}: no effect", what, span.least,
                                   what, span.most));
    }
  }

  void communicator(const Json& row) {
    expect(row, JsonKind::kObject, "a rule for communicators");
    check_keys(row, {"comm_size_min", "comm_size_max", "comm_rank_distribution", "rules"}, file_);
    // The first row that a communicator is in decides: where none of its rules is for the message,
    // the library chooses, and no row below is looked at.
    Rule rule{.method = library_default(), .line = row.line()};
    rule.communicator_size = communicator_sizes(row);
    check_span(rule.communicator_size, row.line(), "comm_size");
    distribution(row, rule);
    const Json* sizes = row.find("rules");
    if (sizes == nullptr) drop(row.line(), "a rule for communicators without \"rules\"");
    expect(*sizes, JsonKind::kArray, "\"rules\"");
    if (sizes->empty()) file_.warn(sizes->line(), "no rules for these communicators");
    const std::size_t first = rules_.rules.size();
    for (const Json& one : *sizes) message(one, rule);
    if (!holds_every_size(std::span(rules_.rules).subspan(first))) rules_.rules.push_back(rule);
  }

  static bool holds_every_size(std::span<const Rule> rules) {
    std::vector<Span> spans;
    for (const Rule& one : rules) spans.push_back(one.message);
    std::ranges::sort(spans, {}, &Span::least);
    std::uint64_t next = 0;
    for (const Span& one : spans) {
      if (one.least > next) return false;
      if (one.most == UINT64_MAX) return true;
      next = std::max(next, one.most + 1);
    }
    return false;
  }

  void distribution(const Json& row, Rule& rule) {
    const Json* value = row.find("comm_rank_distribution");
    if (value == nullptr) return;
    expect(*value, JsonKind::kString, "comm_rank_distribution");
    if (value->text() == "any") return;
    if (value->text() == "one-per-node") {
      rule.ranks_per_node = {0, 1};
    } else if (value->text() == "single-node") {
      rule.nodes = {0, 1};
    } else {
      file_.warn(value->line(),
                 fmt::format("comm_rank_distribution '{}' is read as 'any'; known are any, "
                             "one-per-node, single-node",
                             value->text()));
    }
  }

  void message(const Json& one, Rule rule) {
    expect(one, JsonKind::kObject, "a rule");
    check_keys(one, {"msg_size_min", "msg_size_max", "alg", "faninout", "seg_size", "reqs"}, file_);
    rule.line = one.line();
    rule.message = message_sizes(one);
    check_span(rule.message, one.line(), "msg_size");
    OpenmpiColumns columns{.fanout = column(one, "faninout"),
                           .segment_size = column(one, "seg_size"),
                           .requests = column(one, "reqs")};
    if (!algorithm(one, columns)) return;
    std::vector<std::string> problems;
    const auto method = openmpi_method(target_, rules_.collective, columns, problems);
    for (const std::string& problem : problems) file_.warn(one.line(), problem);
    if (!method) {
      no_effect(*one.find("alg"), fmt::to_string(columns.algorithm), "");
      return;
    }
    rule.method = *method;
    rules_.rules.push_back(std::move(rule));
  }

  void no_effect(const Json& alg, const std::string& called, const std::string& hint) {
    file_.warn(alg.line(), fmt::format("{} has no algorithm {}{}: the rule has no effect",
                                       name(rules_.collective), called, hint));
  }

  // False: the rule is overlooked. A rule that names no algorithm leaves the call to the library.
  bool algorithm(const Json& rule, OpenmpiColumns& columns) {
    const Json* alg = rule.find("alg");
    if (alg == nullptr || (alg->kind() != JsonKind::kString && !alg->whole())) {
      file_.warn(rule.line(), "a rule without a name or number as \"alg\": as without rules");
      columns = {};
      return true;
    }
    if (const auto number = alg->whole()) {
      columns.algorithm = *number < 0 ? UINT64_MAX : static_cast<std::uint64_t>(*number);
      if (*number >= 0) return true;
      no_effect(*alg, alg->shown(), "");
      return false;
    }
    if (alg->text() == "ignore") return true;
    std::vector<std::string> names;
    for (const LibraryAlgorithm& one : openmpi_algorithms()) {
      if (one.collective != rules_.collective || is_of_han(one)) continue;
      names.emplace_back(one.library_name);
      if (names.back() != alg->text()) continue;
      columns.algorithm = static_cast<std::uint64_t>(one.id);
      return true;
    }
    no_effect(*alg, fmt::format("'{}'", alg->text()), did_you_mean(alg->text(), names));
    return false;
  }

  const RuleTarget& target_;
  RuleFile file_;
  CollectiveRules rules_;
  std::set<Collective> seen_;
};

class OpenmpiJsonTarget final : public OpenmpiTarget {
 public:
  using OpenmpiTarget::OpenmpiTarget;
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format(
        "{{\n  \"comment\": {},\n  \"rule_file_version\": 3,\n  \"module\": \"tuned\",\n"
        "  \"collectives\": {{\n",
        Json(comment).dump());
    for (std::size_t c = 0; c < rules.collectives.size(); ++c) {
      const CollectiveRules& one = rules.collectives[c];
      text += fmt::format("    \"{}\": [\n", colltree::name(one.collective));
      const std::vector<RuleRow> rows = rows_of(one);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        text += row_json(one.collective, rows[i]) + (i + 1 < rows.size() ? ",\n" : "\n");
      }
      text += c + 1 < rules.collectives.size() ? "    ],\n" : "    ]\n";
    }
    return text + "  }\n}\n";
  }
  RuleFile read(std::string_view content) const override {
    return OpenMpiJsonReader(*this).read(content);
  }
};

}  // namespace

std::unique_ptr<RuleTarget> targets::openmpi_6() {
  return std::make_unique<OpenmpiJsonTarget>(
      TargetFacts{.name = "openmpi-6",
                  .summary = "JSON rules of Open MPI 6",
                  .versions = {"Open MPI", "6.0", "6", "unproven: from its sources of 2026"},
                  .version = 60,
                  .placement = PlacementAxis::kDistribution});
}

}  // namespace colltree::rules
