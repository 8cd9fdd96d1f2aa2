// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads rules as JSON for other programs; the first rule that applies decides.
// docs/reference/formats/rules.md lists the fields.
#include <fmt/core.h>

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "rules/targets.h"

namespace colltree::rules {

namespace {

constexpr std::string_view kFormat = "colltree rules";

class RulesJsonReader {
 public:
  explicit RulesJsonReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    try {
      root(Json::parse(content));
    } catch (const JsonError& wrong) {
      file_.error(wrong.line, wrong.what());
    } catch (const NotReadFurther&) {
    }
    return std::move(file_);
  }

 private:
  // A value of another kind than the format demands; nothing below it can be read.
  [[noreturn]] void stop(std::size_t line, std::string text) {
    file_.error(line, std::move(text));
    throw NotReadFurther{};
  }

  void expect(const Json& value, JsonKind kind, std::string_view what) {
    if (value.kind() == kind) return;
    stop(value.line(), fmt::format("{} is {}, not {}", what, name(value.kind()), name(kind)));
  }

  const Json& member(const Json& object, const char* key) {
    const Json* value = object.find(key);
    if (value == nullptr) stop(object.line(), fmt::format("no \"{}\"", key));
    return *value;
  }

  void root(const Json& value) {
    expect(value, JsonKind::kObject, "the file");
    check_keys(value, {"format", "version", "comment", "collectives"}, file_);
    const Json& format = member(value, "format");
    if (format.shown() != kFormat) {
      stop(format.line(), fmt::format("the format is '{}', not '{}'", format.shown(), kFormat));
    }
    const Json& version = member(value, "version");
    if (version.whole() != 1) {
      stop(version.line(), fmt::format("version {} is not known here; 1 is", version.shown()));
    }
    const Json* collectives = value.find("collectives");
    if (collectives == nullptr) return file_.error(0, "no collective: the file has no rules");
    expect(*collectives, JsonKind::kObject, "\"collectives\"");
    if (collectives->items().empty())
      file_.error(collectives->line(), "no collective: the file has no rules");
    for (const Json::Member& entry : collectives->items()) {
      if (const auto found = read_collective(target_, entry.key, entry.line(), file_)) {
        rules(*found, entry.value);
      }
    }
  }

  void rules(Collective collective, const Json& list) {
    expect(list, JsonKind::kArray, name(collective));
    for (const Json& entry : list) {
      try {
        file_.rules.rules_for(collective).rules.push_back(rule(entry));
      } catch (const NotReadFurther&) {
        continue;  // said; the next rule is read
      }
    }
  }

  Rule rule(const Json& entry) {
    expect(entry, JsonKind::kObject, "a rule");
    check_keys(entry,
               {"communicator_size", "message_size", "ranks_per_node", "algorithm", "segment_size"},
               file_);
    Rule result{.communicator_size = span(member(entry, "communicator_size"), "communicator_size"),
                .message = span(member(entry, "message_size"), "message_size"),
                .line = entry.line()};
    if (const Json* ranks = entry.find("ranks_per_node")) {
      result.ranks_per_node = span(*ranks, "ranks_per_node");
    }
    const Json& algorithm = member(entry, "algorithm");
    expect(algorithm, JsonKind::kString, "algorithm");
    if (algorithm.text().empty()) stop(algorithm.line(), "no algorithm");
    if (const std::string why = unfit_for_line(algorithm.text()); !why.empty()) {
      stop(algorithm.line(), fmt::format("the algorithm's name holds {}", why));
    }
    result.method = parse_method_name(algorithm.text());
    if (const Json* segment = entry.find("segment_size")) {
      result.method.segment_size = number(*segment, "segment_size");
    }
    return result;
  }

  std::uint64_t number(const Json& value, std::string_view what) {
    if (value.is_number_unsigned()) return value.natural();
    stop(value.line(), fmt::format("{} is {}, not a whole number", what, value.shown()));
  }

  Span span(const Json& ends, std::string_view what) {
    expect(ends, JsonKind::kArray, what);
    if (ends.size() != 2) {
      stop(ends.line(), fmt::format("{} is a list of {}, not of 2 ends", what, ends.size()));
    }
    Span span{number(ends[0], what), UINT64_MAX};
    if (!ends[1].is_null()) span.most = number(ends[1], what);
    if (span.least > span.most) {
      stop(ends.line(),
           fmt::format("{} from {} to {}: never matched", what, span.least, span.most));
    }
    return span;
  }

  const RuleTarget& target_;
  RuleFile file_;
};

class RulesJsonTarget final : public AnyMethodTarget {
 public:
  using AnyMethodTarget::AnyMethodTarget;
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    Json json = {{"format", kFormat}, {"version", 1}, {"comment", comment}};
    const auto span = [](const Span& entry) {
      Json ends = {entry.least};
      ends.push_back(entry.most == UINT64_MAX ? Json() : Json(entry.most));
      return ends;
    };
    for (const CollectiveRules& collective_rules : rules.collectives) {
      auto& list = json["collectives"][std::string(colltree::name(collective_rules.collective))];
      for (const Rule& rule : collective_rules.rules) {
        Json entry = {{"communicator_size", span(rule.communicator_size)},
                      {"message_size", span(rule.message)},
                      {"algorithm", rule.method.name()}};
        if (rule.ranks_per_node != Span{}) entry["ranks_per_node"] = span(rule.ranks_per_node);
        if (rule.method.segment_size) entry["segment_size"] = *rule.method.segment_size;
        list.push_back(entry);
      }
    }
    return json.dump_in_order(1) + "\n";
  }
  RuleFile read(std::string_view content) const override {
    return RulesJsonReader(*this).read(content);
  }
};

}  // namespace

RuleTargets targets::rules_json() {
  return targets_with<RulesJsonTarget>(
      {{.name = "rules-json", .summary = "the rules as JSON, any method"}});
}

}  // namespace colltree::rules
