// SPDX-License-Identifier: BSD-3-Clause
// Writes and reads the rules of Open MPI 5's coll/han (docs/reference/formats/rules.md):
//   N_COLLECTIVES { NAME N_LEVELS { LEVEL N_SIZES { RANKS N_RULES { BYTES COMPONENT [@ALGORITHM] }
//   } } }
// Of its three levels only the whole communicator's has rules here; the other two choose the
// components of the communicators that HAN makes for itself. The reader takes what HAN takes
// (scanned_file.h): it skips what is no number where one is expected, and of a file that it cannot
// read to the end it takes nothing.
#include "rules/openmpi/openmpi_han.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "rules/openmpi/openmpi_methods.h"
#include "rules/rule_set.h"
#include "rules/scanned_file.h"
#include "rules/targets.h"

namespace colltree::rules {

namespace {

struct HanCollective {
  Collective collective;
  std::string_view algorithms;    // by their numbers, blank between two
  std::string_view default_name;  // the one that "han" alone runs
};
constexpr HanCollective kHanCollectives[] = {
    {Collective::kAllgather, "intra simple", "intra"},
    {Collective::kAllreduce, "intra simple reproducible", "intra"},
    {Collective::kBarrier, "simple", "simple"},
    {Collective::kBcast, "intra simple", "intra"},
    {Collective::kGather, "intra simple", "simple"},
    {Collective::kReduce, "intra simple reproducible", "intra"},
    {Collective::kScatter, "intra simple", "intra"},
};

const HanCollective* find_collective_of_han(Collective collective) {
  const auto* found = std::ranges::find(kHanCollectives, collective, &HanCollective::collective);
  return found == std::end(kHanCollectives) ? nullptr : found;
}

constexpr std::string_view kPrefix = "han_";  // of its algorithms' names as methods

std::string component_text(const Method& method) {
  if (is_library_default(method)) return std::string(kHanComponent);
  const std::string_view algorithm = method.algorithm;
  if (!algorithm.starts_with(kPrefix)) return method.algorithm;
  return fmt::format("{} @{}", kHanComponent, algorithm.substr(kPrefix.size()));
}

}  // namespace

std::vector<std::string> han_algorithms(Collective collective) {
  const HanCollective* found = find_collective_of_han(collective);
  std::vector<std::string> names;
  if (found == nullptr) return names;
  for (const std::string_view name : split(found->algorithms, ' ')) names.emplace_back(name);
  return names;
}

Method han_method(Collective collective, std::string_view algorithm) {
  if (algorithm == find_collective_of_han(collective)->default_name) return library_default();
  return {fmt::format("{}{}", kPrefix, algorithm), 0};
}

Method han_default(Collective collective) {
  return {fmt::format("{}{}", kPrefix, find_collective_of_han(collective)->default_name), 0};
}

Method han_marker(Collective collective) {
  for (const std::string& name : han_algorithms(collective)) {
    if (name != find_collective_of_han(collective)->default_name)
      return han_method(collective, name);
  }
  return library_default();
}

namespace {

// Some of them carry out no blocking collective on several nodes.
constexpr std::string_view kComponents[] = {"self", "basic", "libnbc", "tuned",
                                            "sm",   "adapt", "han"};
constexpr std::string_view kNotBlocking[] = {"self", "libnbc", "sm"};

// HAN searches a list from its end and takes the first entry whose value does not exceed the
// call's. Entries that are never taken have no span.
std::vector<std::optional<Span>> spans_going_up(const std::vector<std::uint64_t>& values) {
  std::vector<std::optional<Span>> spans(values.size());
  std::uint64_t taken_from = UINT64_MAX;  // by an entry further down
  bool last = true;
  for (std::size_t i = values.size(); i-- > 0;) {
    const bool reached = last || values[i] < taken_from;
    if (reached) spans[i] = Span{values[i], last ? UINT64_MAX : taken_from - 1};
    if (reached) taken_from = values[i];
    last = false;
  }
  return spans;
}

class HanReader final : public ScannedRules {
 public:
  HanReader(const RuleTarget& target, std::string_view content)
      : ScannedRules(target, content, "HAN ignores the whole file") {}

 private:
  void read_all() override {
    const std::uint64_t count = number("the number of collectives");
    if (count == 0) drop("0 collectives: the file has no rules");
    for (std::uint64_t i = 0; i < count; ++i) read_collective();
  }

  std::vector<std::optional<Span>> spans_of(
      const std::vector<std::uint64_t>& values) const override {
    return spans_going_up(values);
  }

  // Descending values are read; the last that does not exceed what is looked up is taken.
  std::string hiding(std::size_t line_before, const std::optional<Span>&) const override {
    return fmt::format(
        "HAN takes the last entry that is not above what it looks up, so never line {}",
        line_before);
  }

  std::string_view word(const std::string& what) { return required(scanned_.word(), what).text; }

  void read_collective() {
    const std::string_view text = word("a collective");
    const auto known = collective_of_word(text);
    if (known && !seen_.insert(*known).second)
      warn(fmt::format("{} has rules above already; only these count", name(*known)));
    if (known) forget(*known);
    const std::uint64_t levels = number("the number of levels");
    if (levels == 0) warn("no levels: no effect");
    for (std::uint64_t i = 0; i < levels; ++i) read_level(known);
  }

  // Nothing means that HAN has no rules for the collective.
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
    warn(fmt::format("{}: HAN has no rules for it on several nodes; no effect", called));
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
      warn(fmt::format("level {}: components of HAN's own communicators; not looked at",
                       kHanLevels[level]));
    const std::uint64_t count = number("the number of communicator sizes");
    if (count == 0) warn("no communicator sizes: no effect");
    std::vector<Row> rows;
    for (std::uint64_t i = 0; i < count; ++i) read_row(collective, level, rows);
    if (collective && level == kWholeCommunicator) keep(*collective, rows);
  }

  void read_row(std::optional<Collective> collective, std::size_t level, std::vector<Row>& rows) {
    const std::uint64_t ranks = number("a communicator size");
    if (ranks == 0) drop("communicator size 0");
    if (rows.empty() && ranks != 1)
      drop(fmt::format("the first communicator size is {}, not 1", ranks));
    rows.push_back({ranks, line_, {}});
    const std::uint64_t count = number("the number of message sizes");
    if (count == 0) warn("no message sizes: as without rules");
    for (std::uint64_t i = 0; i < count; ++i) read_rule(collective, level, rows.back());
  }

  void read_rule(std::optional<Collective> collective, std::size_t level, Row& row) {
    const ScannedFile::Number found = required(scanned_.size(), "a message size");
    const auto bytes = static_cast<std::uint64_t>(found.value);
    if (row.rules.empty() && bytes > 1)
      drop(fmt::format("the first message size is {}, not 0", found.text));
    if (row.rules.empty() && bytes == 1)
      warn("the first message size is 1: calls of 0 bytes are as without rules");
    Rule rule{.message = {bytes, UINT64_MAX}, .line = line_};
    rule.method = read_component(collective, level);
    if (scanned_.take('[')) {  // "[ 65536 ]": HAN reads the numbers and forgets them
      file_.warn(scanned_.line(), "segment lengths are read and forgotten by HAN");
      while (!scanned_.take(']')) number("the ']' of segment lengths");
    }
    row.rules.push_back(std::move(rule));
  }

  Method read_component(std::optional<Collective> collective, std::size_t level) {
    const std::string_view text = word("a component");
    if (std::ranges::count(kComponents, text) == 0)
      drop(fmt::format("unknown component '{}'{}", text,
                       did_you_mean(text, std::vector<std::string>(std::begin(kComponents),
                                                                   std::end(kComponents)))));
    if (level == kWholeCommunicator && std::ranges::count(kNotBlocking, text) > 0)
      warn(
          fmt::format("coll/{} carries out no such call on several nodes: HAN takes the next "
                      "component",
                      text));
    if (level != kWholeCommunicator && text == kHanComponent)
      warn("coll/han cannot carry out what it does on its own communicators");
    if (text != kHanComponent) return {std::string(text), 0};
    return read_algorithm(collective);
  }

  // Reads "@simple", also as two words; without it HAN chooses.
  Method read_algorithm(std::optional<Collective> collective) {
    if (!scanned_.take('@')) return library_default();
    const std::string_view text = word("an algorithm");
    // HAN reads "00" as a number.
    const auto id = parse_number<std::size_t>(text);
    if (!collective || text == "default" || id == 0) return library_default();
    const std::vector<std::string> known = han_algorithms(*collective);
    if (id && *id <= known.size()) return han_method(*collective, known[*id - 1]);
    if (std::ranges::count(known, text) == 0)
      drop(fmt::format("HAN has no {} algorithm '{}'{}", name(*collective), text,
                       did_you_mean(text, known)));
    return han_method(*collective, text);
  }
};

class HanTarget final : public RuleTarget {
 public:
  using RuleTarget::RuleTarget;
  std::optional<SizeKey> size_key(Collective collective) const override {
    if (han_algorithms(collective).empty()) return std::nullopt;
    return collective == Collective::kBarrier ? SizeKey::kNone : SizeKey::kMessage;
  }
  Expressed express(Collective collective, const Method& method) const override {
    if (is_library_default(method)) return {library_default(), ""};
    const std::string_view algorithm = method.algorithm;
    if (algorithm == kHandedToTuned) return {Method{method.algorithm, 0}, ""};
    if (algorithm.starts_with(kPrefix)) {
      const auto known = han_algorithms(collective);
      if (std::ranges::count(known, algorithm.substr(kPrefix.size())) == 0)
        return {std::nullopt,
                fmt::format("HAN has no {} '{}'", colltree::name(collective), method.name())};
      std::string reason;
      if (method.segment_size && method.segment_size != std::uint64_t{0})
        reason = fmt::format(
            "{} {}: rules of {} cannot set a segment size (coll_han_{}_segsize is one for the job)",
            colltree::name(collective), algorithm, name, colltree::name(collective));
      if (method.parameters.up_module != 0 || method.parameters.low_module != 0)
        reason = fmt::format(
            "{} {}: rules of {} cannot set HAN's modules (coll_han_{}_up_module is one for the "
            "job)",
            colltree::name(collective), method.name(), name, colltree::name(collective));
      return {han_method(collective, algorithm.substr(kPrefix.size())), reason};
    }
    if (find_algorithm(Library::kOpenmpi, collective, algorithm) == nullptr)
      return {std::nullopt,
              fmt::format("Open MPI has no {} '{}'", colltree::name(collective), method.name())};
    return {Method{kHandedToTuned, 0},
            fmt::format("{}: handed to coll/tuned; which of its algorithms runs says a file for "
                        "openmpi-5.0.7, loaded beside",
                        colltree::name(collective))};
  }
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format(
        "# {}\n# For {}: who carries a call out on several nodes; columns: bytes component\n"
        "{} # collectives\n",
        comment, name, rules.collectives.size());
    for (const CollectiveRules& collective_rules : rules.collectives) {
      const std::vector<RuleRow> rows = rows_of(collective_rules);
      text += fmt::format(
          "\n{} # bytes of one rank's {}\n1 # level\n{} # {}\n{} # communicator sizes\n",
          colltree::name(collective_rules.collective),
          message_unit(collective_rules.collective) == MessageUnit::kBlock ? "block" : "message",
          kWholeCommunicator, kHanLevels[kWholeCommunicator], rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        // The first row begins at 1, or HAN drops the file.
        const std::uint64_t least = i == 0 ? 1 : rows[i][0].communicator_size.least;
        text += fmt::format("{} # ranks and more\n{} # rules\n", least, rows[i].size());
        for (const Rule& rule : rows[i])
          text += fmt::format(
              "{:<24} # {}\n",
              fmt::format("{} {}", rule.message.least, component_text(rule.method)),
              is_library_default(rule.method) ? "as without rules" : rule.method.label());
      }
    }
    return text;
  }
  RuleFile read(std::string_view content) const override {
    return HanReader(*this, content).read();
  }
  std::vector<std::string> settings(const std::string& file) const override {
    return {"OMPI_MCA_coll_han_use_dynamic_file_rules=1",
            "OMPI_MCA_coll_han_dynamic_rules_filename=" + file};
  }
};

}  // namespace

RuleTargets targets::openmpi_han() {
  return targets_with<HanTarget>(
      {{.name = kHanTarget,
        .summary = "rules file of Open MPI 5's coll/han: who carries out a call on several nodes",
        .versions = {"Open MPI", "5.0", "5.0", "run: 5.0.7 on 4 nodes"},
        .version = 50,
        .is_started = true}});
}

}  // namespace colltree::rules
