// SPDX-License-Identifier: BSD-3-Clause
// Reads rules of coll/han, strictly: HAN skips what it cannot read, takes other numbers for it, and
// of a file with an error takes nothing.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "emit/rules/formats.h"
#include "emit/rules/openmpi_han.h"
#include "emit/rules/openmpi_methods.h"
#include "emit/rules/value_list.h"

namespace colltree {

namespace {

struct Component {
  std::string_view name;
  bool has_blocking;  // carries out a blocking collective on several nodes
};
constexpr Component kComponents[] = {{"self", false}, {"basic", true}, {"libnbc", false},
                                     {"tuned", true}, {"sm", false},   {"adapt", true},
                                     {"han", true}};

// HAN stops here and takes none of the file.
struct DroppedFile {};

class HanReader {
 public:
  HanReader(const RuleTarget& target, std::string_view content)
      : target_(target), tokens_(blank_tokens(content)) {}

  RuleFile read() {
    try {
      const std::uint64_t count = number("the number of collectives");
      if (count == 0) drop("0 collectives: the file has no rules");
      for (std::uint64_t i = 0; i < count; ++i) read_collective();
      if (at_ < tokens_.size())
        file_.warn(tokens_[at_].line,
                   fmt::format("'{}' after the last rule is not read", tokens_[at_].text));
    } catch (const DroppedFile&) {
      file_.rules = {};
    }
    return std::move(file_);
  }

 private:
  struct Row {
    std::uint64_t ranks;
    std::vector<Rule> rules;
  };

  void error(std::string text) { file_.error(line_, std::move(text)); }
  [[noreturn]] void drop(const std::string& text) {
    error(text + "; HAN ignores the whole file");
    throw DroppedFile{};
  }

  std::string_view word(const std::string& what) {
    if (at_ == tokens_.size()) {
      if (!tokens_.empty()) line_ = tokens_.back().line;
      drop(fmt::format("the file ends where {} is expected", what));
    }
    line_ = tokens_[at_].line;
    return tokens_[at_++].text;
  }

  // HAN reads as strtol(.., 0) does, skips what is none, and takes the next number for it.
  std::uint64_t number(const std::string& what) {
    const std::string_view text = word(what);
    const auto value = parse_number<std::uint64_t>(text);
    if (!value || *value > INT64_MAX) drop(fmt::format("expected {}, got '{}'", what, text));
    if (text.size() > 1 && text[0] == '0') drop(fmt::format("'{}' is read as octal", text));
    return *value;
  }

  void read_collective() {
    const std::string_view text = word("a collective");
    const auto known = collective_of_word(text);
    if (known && file_.rules.find(*known) != nullptr) {
      error(fmt::format("{} has rules above already; only these count", name(*known)));
      std::erase_if(file_.rules.collectives,
                    [&](const CollectiveRules& one) { return one.collective == *known; });
    }
    const std::uint64_t levels = number("the number of levels");
    if (levels == 0) file_.warn(line_, "no levels: no effect");
    for (std::uint64_t i = 0; i < levels; ++i) read_level(known);
  }

  // None: HAN has no rules for it.
  std::optional<Collective> collective_of_word(std::string_view text) {
    std::string_view called = text;
    if (const auto id = parse_number<std::uint64_t>(text)) called = openmpi_collective_name(*id);
    bool theirs = false;
    for (std::uint64_t id = 0; id < kOpenmpiCollectives; ++id)
      theirs = theirs || (!called.empty() && openmpi_collective_name(id) == called);
    if (!theirs)
      drop(fmt::format("unknown collective '{}'{}", text,
                       did_you_mean(text, collectives_of(target_))));
    const auto found = find_collective(called);
    if (found && target_.size_key(*found)) return found;
    file_.warn(line_,
               fmt::format("{}: HAN has no rules for it on several nodes; no effect", called));
    return std::nullopt;
  }

  void read_level(std::optional<Collective> collective) {
    const std::string_view text = word("a level");
    const auto* found = std::ranges::find(kHanLevels, text);
    auto level = static_cast<std::size_t>(found - kHanLevels.begin());
    if (found == kHanLevels.end())
      level = parse_number<std::size_t>(text).value_or(kHanLevels.size());
    if (level >= kHanLevels.size())
      drop(
          fmt::format("unknown level '{}'; there are 0 intra_node, 1 inter_node, 2 "
                      "global_communicator",
                      text));
    if (level != kWholeCommunicator)
      file_.warn(line_,
                 fmt::format("level {}: components of HAN's own communicators; not looked at",
                             kHanLevels[level]));
    const std::uint64_t count = number("the number of communicator sizes");
    if (count == 0) file_.warn(line_, "no communicator sizes: no effect");
    std::vector<Row> rows;
    for (std::uint64_t i = 0; i < count; ++i) read_row(collective, level, rows);
    if (collective && level == kWholeCommunicator && count > 0) keep(*collective, rows);
  }

  void read_row(std::optional<Collective> collective, std::size_t level, std::vector<Row>& rows) {
    const std::uint64_t ranks = number("a communicator size");
    if (ranks == 0) drop("communicator size 0");
    if (rows.empty() && ranks != 1)
      drop(fmt::format("the first communicator size is {}, not 1", ranks));
    if (!rows.empty() && ranks <= rows.back().ranks)
      error(fmt::format("communicator size {} after {}: sizes must ascend, or rules are hidden",
                        ranks, rows.back().ranks));
    rows.push_back({ranks, {}});
    const std::uint64_t count = number("the number of message sizes");
    if (count == 0) file_.warn(line_, "no message sizes: as without rules");
    for (std::uint64_t i = 0; i < count; ++i) read_rule(collective, level, rows.back());
  }

  void read_rule(std::optional<Collective> collective, std::size_t level, Row& row) {
    const std::uint64_t bytes = number("a message size");
    if (row.rules.empty() && bytes > 1)
      drop(fmt::format("the first message size is {}, not 0", bytes));
    if (row.rules.empty() && bytes == 1)
      file_.warn(line_, "the first message size is 1: calls of 0 bytes are as without rules");
    if (!row.rules.empty() && bytes <= row.rules.back().message.least)
      error(fmt::format("message size {} after {}: sizes must ascend, or rules are hidden", bytes,
                        row.rules.back().message.least));
    Rule rule{.message = {bytes, UINT64_MAX}, .line = line_};
    rule.method = read_component(collective, level);
    skip_segments();
    row.rules.push_back(std::move(rule));
  }

  Method read_component(std::optional<Collective> collective, std::size_t level) {
    const std::string_view text = word("a component");
    const auto* found = std::ranges::find(kComponents, text, &Component::name);
    if (found == std::end(kComponents)) {
      std::vector<std::string> names;
      for (const Component& one : kComponents) names.emplace_back(one.name);
      drop(fmt::format("unknown component '{}'{}", text, did_you_mean(text, names)));
    }
    if (level == kWholeCommunicator && !found->has_blocking)
      file_.warn(line_, fmt::format("coll/{} carries out no such call on several nodes: HAN takes "
                                    "the next component",
                                    text));
    if (level != kWholeCommunicator && text == kHanComponent)
      file_.warn(line_, "coll/han cannot carry out what it does on its own communicators");
    if (text != kHanComponent) return {std::string(text), 0};
    return read_algorithm(collective);
  }

  // "@simple", also as two words; without one it is HAN's own choice.
  Method read_algorithm(std::optional<Collective> collective) {
    if (at_ == tokens_.size() || !tokens_[at_].text.starts_with('@')) return library_default();
    std::string_view text = word("an algorithm").substr(1);
    if (text.empty()) text = word("an algorithm");
    // HAN reads "00" as the number that it is.
    const auto id = parse_number<std::size_t>(text);
    if (!collective || text == "default" || id == 0) return library_default();
    const std::vector<std::string> known = han_algorithms(*collective);
    if (id && *id <= known.size()) return han_method(*collective, known[*id - 1]);
    if (std::ranges::count(known, text) == 0)
      drop(fmt::format("HAN has no {} algorithm '{}'{}", name(*collective), text,
                       did_you_mean(text, known)));
    return han_method(*collective, text);
  }

  // "[ 65536 ]": HAN reads the numbers and forgets them.
  void skip_segments() {
    if (at_ == tokens_.size() || !tokens_[at_].text.starts_with('[')) return;
    file_.warn(tokens_[at_].line, "segment lengths are read and forgotten by HAN");
    while (!word("the ']' of segment lengths").ends_with(']')) {
    }
  }

  void keep(Collective collective, std::vector<Row>& rows) {
    CollectiveRules made{.collective = collective};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::vector<Rule>& row = rows[i].rules;
      for (std::size_t j = 0; j < row.size(); ++j) {
        row[j].communicator_size = {i == 0 ? 0 : rows[i].ranks,
                                    i + 1 == rows.size() ? UINT64_MAX : rows[i + 1].ranks - 1};
        if (j + 1 < row.size()) row[j].message.most = row[j + 1].message.least - 1;
        made.rules.push_back(std::move(row[j]));
      }
    }
    std::erase_if(file_.rules.collectives,
                  [&](const CollectiveRules& one) { return one.collective == collective; });
    file_.rules.collectives.push_back(std::move(made));
  }

  const RuleTarget& target_;
  std::vector<BlankToken> tokens_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  RuleFile file_;
};

}  // namespace

RuleFile read_openmpi_han(const RuleTarget& target, std::string_view content) {
  return HanReader(target, content).read();
}

}  // namespace colltree
