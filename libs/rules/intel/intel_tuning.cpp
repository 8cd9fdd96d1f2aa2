// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI's tuning file, I_MPI_TUNING=FILE: JSON of json-c's kind, whose objects nest the ends of
// intervals of communicator sizes and message sizes. Intel documents no such file; what 2021.19
// makes of one was found by trial (docs/reference/formats/rules.md) and is proved by
// `ctest -R proven_intel`.
#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "rules/intel/intel.h"
#include "rules/targets.h"

namespace colltree::rules {

namespace {

// The levels below "coll=Bcast", from outside in; the last holds presets, "BCAST=3".
constexpr std::array<std::string_view, 4> kLevels = {"ppn", "comm_size", "comm_id", "msg_size"};
constexpr std::size_t kCommunicator = 1;
constexpr std::size_t kMessage = 3;

std::string end_key(std::string_view level, std::uint64_t end) {
  return end > kMostOfIntel ? fmt::format("\"{}=-1\"", level)
                            : fmt::format("\"{}={}\"", level, end);
}

std::string row_text(Collective collective, const RuleRow& row) {
  std::string text;
  for (const Rule& rule : row) {
    text += fmt::format("{}{}: {{\"{}={}\": {{}}}}", text.empty() ? "" : ", ",
                        end_key("msg_size", rule.message.most), upper(name(collective)),
                        preset_number(collective, rule.method));
  }
  return fmt::format("    {}: {{\"comm_id=-1\": {{{}}}}}",
                     end_key("comm_size", row[0].communicator_size.most), text);
}

class IntelTuningReader {
 public:
  explicit IntelTuningReader(const RuleTarget& target) : target_(target) {}

  RuleFile read(std::string_view content) {
    try {
      const Json value = Json::parse(content, JsonDialect::kJsonC);
      if (!value.is_object()) drop(value.line(), "the file is no object");
      for (const Json::Member& member : value.items()) collective(member);
    } catch (const JsonError& wrong) {
      file_.error(wrong.line, std::string(wrong.what()) + kDropped);
      file_.rules = {};
    } catch (const NotReadFurther&) {
      file_.rules = {};
    }
    return std::move(file_);
  }

 private:
  static constexpr const char* kDropped = "; Intel MPI ignores the whole file";

  [[noreturn]] void drop(std::size_t line, const std::string& text) {
    file_.error(line, text + kDropped);
    throw NotReadFurther{};
  }

  void collective(const Json::Member& member) {
    constexpr std::string_view kCollective = "coll=";
    if (!member.key.starts_with(kCollective))
      drop(member.line(), fmt::format("'{}' is not coll=COLLECTIVE", member.key));
    const std::string word = lower(member.key.substr(kCollective.size()));
    const auto known = find_collective(word);
    if (!(known && target_.size_key(*known)) && is_of_the_manual(upper(word)))
      return file_.warn(member.line(),
                        fmt::format("{} is not taken into account here", member.key));
    const auto found = read_collective(target_, word, member.line(), file_);
    if (!found) return;
    collective_ = *found;
    level(member.value, 0, {.line = member.line()});
  }

  // Reads the entries of kLevels[depth]; `rule` holds the values of the levels above.
  void level(const Json& value, std::size_t depth, Rule rule) {
    if (depth == kLevels.size()) return preset(value, std::move(rule));
    if (value.items().empty())
      file_.error(rule.line, fmt::format("expected {{\"{}=N\": {{...}}}} here", kLevels[depth]));
    std::uint64_t begin = 0;
    for (const Json::Member& member : value.items()) {
      const auto end = end_of_entry(member, depth);
      if (!end) return;
      const Span span = held(begin, *end, &member == &value.items().back());
      rule.line = member.line();
      if (depth == kCommunicator) rule.communicator_size = span;
      if (depth == kMessage) rule.message = span;
      level(member.value, depth + 1, rule);
    }
  }

  std::optional<std::uint64_t> end_of_entry(const Json::Member& member, std::size_t depth) {
    const std::string word = fmt::format("{}=", kLevels[depth]);
    const std::string_view number =
        member.key.starts_with(word) ? std::string_view(member.key).substr(word.size()) : "";
    const auto end =
        number == "-1" ? std::optional(UINT64_MAX) : parse_number<std::uint64_t>(number);
    const auto error = [&](const std::string& text) {
      file_.error(member.line(), fmt::format("'{}': {}", member.key, text));
      return std::nullopt;
    };
    if (!end) return error(fmt::format("expected {}N, or -1 for no end", word));
    if (*end == UINT64_MAX) return end;
    if (depth != kCommunicator && depth != kMessage) return error("only -1 is known here");
    if (*end > kMostOfIntel)
      return error(fmt::format("Intel MPI cannot read a number above {}", kMostOfIntel));
    return end;
  }

  void preset(const Json& value, Rule rule) {
    const std::string word = upper(name(collective_)) + "=";
    const std::string_view key =
        value.items().empty() ? "" : std::string_view(value.items()[0].key);
    const auto number =
        key.starts_with(word) ? parse_number<unsigned>(key.substr(word.size())) : std::nullopt;
    if (!number || value.size() != 1) {
      file_.error(rule.line, fmt::format("expected one preset here: {{\"{}N\": {{}}}}", word));
      return;
    }
    check_preset(target_, collective_, *number, rule.line, file_);
    rule.method = preset_method(collective_, *number);
    file_.rules.rules_for(collective_).rules.push_back(std::move(rule));
  }

  const RuleTarget& target_;
  RuleFile file_;
  Collective collective_ = Collective::kBcast;
};

class IntelTuningTarget final : public IntelRules {
 public:
  using IntelRules::IntelRules;
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text;
    for (const CollectiveRules& collective_rules : rules.collectives) {
      if (leaves_all(collective_rules)) continue;
      std::string rows;
      for (const RuleRow& row : rows_of(collective_rules))
        rows += (rows.empty() ? "" : ",\n") + row_text(collective_rules.collective, row);
      std::string word(colltree::name(collective_rules.collective));
      word[0] = upper(word.substr(0, 1))[0];
      text += fmt::format("{}  \"coll={}\": {{\"ppn=-1\": {{\n{}}}}}", text.empty() ? "" : ",\n",
                          word, rows);
    }
    return fmt::format("// {}\n{{\n{}\n}}\n", comment, text);
  }
  RuleFile read(std::string_view content) const override {
    return IntelTuningReader(*this).read(content);
  }
  std::vector<std::string> settings(const std::string& file) const override {
    return {"I_MPI_TUNING=" + file};
  }
};

}  // namespace

RuleTargets targets::intel_tuning() {
  return targets_with<IntelTuningTarget>(
      {{.name = "intel-tuning",
        .summary = "tuning file of Intel MPI (I_MPI_TUNING), by communicator and message size",
        .sign = "\"coll="}});
}

}  // namespace colltree::rules
