// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI: export I_MPI_ADJUST_<COLLECTIVE>="preset:bytes-bytes,...;preset:...". What 2021.19
// makes of such a value was found by trial (docs/reference/formats/rules.md) and is proved by
// `ctest -R proven_intel`: only the end of a range counts, the first range whose end is not below
// the size decides, and the last one holds for every larger size. With a communicator size (@)
// anywhere in a value, sizes of messages do not count. No preset is the library's own choice.
#include "rules/intel/intel.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/input.h"
#include "base/text.h"
#include "coll/library_algorithms.h"
#include "rules/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

constexpr std::string_view kIntelFamily = "I_MPI_";
constexpr std::string_view kIntelPrefix = "I_MPI_ADJUST_";
constexpr std::string_view kPreset = "preset_";

// A preset with the ranges for which it holds, as the manual describes them.
struct PresetRange {
  Span bytes{0, kMostOfIntel};
  Span ranks{0, kMostOfIntel};
  Method method;
};

class IntelReader {
 public:
  IntelReader(const RuleTarget& target, RuleFile& file, const CollectiveVariable& variable)
      : target_(target), file_(file), variable_(variable) {}

  void read() {
    std::string_view value = variable_.value;
    if (value.ends_with(';')) value.remove_suffix(1);
    for (const std::string_view part : split(value, ';')) {
      if (!preset(trim(part))) return;
    }
    if (value.find('@') != std::string_view::npos) return keep_by_ranks();
    if (target_.size_key(variable_.collective) == SizeKey::kNone) return keep_last();
    keep(&Rule::message, &PresetRange::bytes, "bytes", 1);
  }

 private:
  // A value that the library ignores as a whole, or reads otherwise than it looks.
  bool error(std::string text) {
    file_.error(variable_.line, std::move(text));
    return false;
  }
  void warn(std::string text) { file_.warn(variable_.line, std::move(text)); }

  bool preset(std::string_view text) {
    if (text.empty()) return error("an empty part between two ';': Intel MPI ignores the value");
    const std::size_t colon = text.find(':');
    const auto number = parse_number<unsigned>(trim(text.substr(0, colon)));
    if (!number) return error(fmt::format("'{}' is no number of a preset", text.substr(0, colon)));
    check_preset(target_, variable_.collective, *number, variable_.line, file_);
    PresetRange range{.method = preset_method(variable_.collective, *number)};
    if (colon == std::string_view::npos || trim(text.substr(colon + 1)).empty()) {
      ranges_.push_back(range);
      return true;
    }
    for (const std::string_view name : split(text.substr(colon + 1), ',')) {
      if (!condition(trim(name), range)) return false;
      ranges_.push_back(range);
    }
    return true;
  }

  bool condition(std::string_view text, PresetRange& range) {
    const std::size_t position = text.find('@');
    range.bytes = range.ranks = {0, kMostOfIntel};
    return (position == 0 || span(text.substr(0, position), "bytes", range.bytes)) &&
           (position == std::string_view::npos ||
            span(text.substr(position + 1), "ranks", range.ranks));
  }

  bool span(std::string_view text, const char* what, Span& result) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto most =
        dash == std::string_view::npos ? least : parse_number<std::uint64_t>(text.substr(dash + 1));
    if (!least || !most)
      return error(fmt::format("'{}' is no range of {}; write 0-1024", text, what));
    if (*most < *least) return error(fmt::format("range {} of {} is empty", text, what));
    if (*most > kMostOfIntel) {
      return error(fmt::format("range {} of {}: Intel MPI cannot read a number above {}", text,
                               what, kMostOfIntel));
    }
    result = {*least, *most};
    return true;
  }

  // Each range holds from the ends of those before it to its own end; the last has no end.
  // A gap below `smallest` does not matter, because no call has such a size.
  void keep(Span Rule::*axis, Span PresetRange::*axis_of_range, const char* what,
            std::uint64_t smallest) {
    std::vector<Rule>& rules = file_.rules.rules_for(variable_.collective).rules;
    std::uint64_t begin = 0;
    for (const PresetRange& range : ranges_) {
      const bool last = &range == &ranges_.back();
      const Span meant = range.*axis_of_range;
      const Span holds = held(begin, meant.most, last);
      if (meant.least > std::max(holds.least, smallest) || (last && meant.most < kMostOfIntel)) {
        const std::string where = last ? fmt::format("from {} on", holds.least)
                                       : fmt::format("{}-{}", holds.least, holds.most);
        warn(
            fmt::format("Intel MPI takes preset {} of {} for {} {}: ranges have no gaps, and the "
                        "last has no end",
                        preset_number(variable_.collective, range.method),
                        name(variable_.collective), what, where));
      }
      rules.push_back({.method = range.method, .line = variable_.line});
      rules.back().*axis = holds;
    }
  }

  void keep_last() {
    if (ranges_.size() > 1) {
      warn(fmt::format("Intel MPI does not look at sizes of {}: the last preset counts",
                       name(variable_.collective)));
    }
    file_.rules.rules_for(variable_.collective)
        .rules.push_back({.method = ranges_.back().method, .line = variable_.line});
  }

  // If conditions end at the same communicator size, the last counts, in the place of the first.
  void keep_by_ranks() {
    std::vector<PresetRange> kept;
    bool lost = false;
    for (const PresetRange& range : ranges_) {
      const auto same =
          std::ranges::find(kept, range.ranks.most,
                            [](const PresetRange& kept_range) { return kept_range.ranks.most; });
      lost = lost || same != kept.end() || range.bytes != Span{0, kMostOfIntel};
      if (same == kept.end()) {
        kept.push_back(range);
      } else {
        *same = range;
      }
    }
    if (lost) {
      warn(
          fmt::format("Intel MPI {} looks at no message sizes in a value with '@': the last preset "
                      "for a communicator size counts",
                      target_.versions.last));
    }
    ranges_ = std::move(kept);
    keep(&Rule::communicator_size, &PresetRange::ranks, "ranks", 2);
  }

  const RuleTarget& target_;
  RuleFile& file_;
  const CollectiveVariable& variable_;
  std::vector<PresetRange> ranges_;
};

class IntelTarget final : public IntelRules {
 public:
  using IntelRules::IntelRules;
  // adapt_rules has left one row, without any part that is left to the library.
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format("# {}\n", comment);
    for (const CollectiveRules& collective_rules : rules.collectives) {
      if (leaves_all(collective_rules)) continue;
      std::string value;
      for (const Rule& rule : collective_rules.rules) {
        value += fmt::format("{}{}", value.empty() ? "" : ";",
                             preset_number(collective_rules.collective, rule.method));
        if (rule.message == Span{}) continue;
        value +=
            fmt::format(":{}-{}", rule.message.least, std::min(rule.message.most, kMostOfIntel));
      }
      text += variable_line(kIntelPrefix, colltree::name(collective_rules.collective), value);
    }
    return text;
  }
  RuleFile read(std::string_view content) const override {
    return read_each_run(content, kIntelFamily, fmt::format("{}<COLLECTIVE>", kIntelPrefix),
                         [this](const auto& settings, RuleFile& file) {
                           const bool others = say_other_choosers(settings, file);
                           return read_settings(settings, file) || others;
                         });
  }
  std::vector<std::string> settings(const std::string& file) const override {
    std::vector<std::string> settings;
    const std::vector<ScriptRun> runs = read_runs(read_file(file), kIntelPrefix);
    if (runs.size() > 1)
      throw Error(
          fmt::format("{}: runs several commands under settings of their own; name a file "
                      "for one",
                      file));
    for (const Assignment& assignment : runs.back().settings)
      settings.push_back(fmt::format("{}={}", assignment.variable, assignment.value));
    return settings;
  }

 private:
  bool read_settings(const std::vector<Assignment>& settings, RuleFile& file) const {
    return read_collective_variables(
        *this, kIntelPrefix, settings, file,
        [](std::string_view word) -> std::optional<std::string> {
          if (upper(word) != word || !is_of_the_manual(word)) return std::nullopt;
          return not_taken_into_account(kIntelPrefix, word);
        },
        [&](const CollectiveVariable& variable) { IntelReader(*this, file, variable).read(); });
  }

  // Files of presets, and other layers of collectives, decide where no variable does.
  static bool say_other_choosers(const std::vector<Assignment>& settings, RuleFile& file) {
    bool any = false;
    for (const Assignment& assignment : settings) {
      if (!assignment.variable.starts_with("I_MPI_TUNING") &&
          !assignment.variable.starts_with("I_MPI_COLL_"))
        continue;
      file.warn(assignment.line, not_taken_into_account("", assignment.variable));
      any = true;
    }
    return any;
  }
};

}  // namespace

bool is_of_the_manual(std::string_view word) {
  if (word.starts_with("NEIGHBOR_")) return true;
  const bool nonblocking = word.starts_with('I');
  const std::string rest = lower(word.substr(nonblocking ? 1 : 0)) + "_";
  return rest.starts_with("alltoallw_") || rest.starts_with("sendrecv_replace_") ||
         word.starts_with("FAILURE_ON_") ||
         std::ranges::any_of(all_collectives(), [&](const CollectiveInfo& info) {
           return rest.starts_with(std::string(info.name) + "_");
         });
}

IntelRules::IntelRules(TargetFacts facts)
    : RuleTarget((facts.versions = {"Intel MPI", "", "2021.19", "run: 2021.19"},
                  facts.library = Library::kIntel, facts.leaves_parts = false,
                  facts.most_message = kMostOfIntel, facts.is_started = true, facts)) {}

std::optional<SizeKey> IntelRules::size_key(Collective collective) const {
  constexpr Collective kUnsized[] = {Collective::kBarrier, Collective::kAlltoallv,
                                     Collective::kGatherv, Collective::kScatterv};
  if (find_algorithm(Library::kIntel, collective, 1) == nullptr) return std::nullopt;
  return std::ranges::count(kUnsized, collective) > 0 ? SizeKey::kNone : SizeKey::kMessage;
}

Expressed IntelRules::express(Collective collective, const Method& method) const {
  if (is_library_default(method)) return {library_default(), ""};
  check_parameters(method);
  const LibraryAlgorithm* found = find_algorithm(Library::kIntel, collective, method.algorithm);
  if (found == nullptr)
    return {std::nullopt,
            fmt::format("{} has no {} '{}'", name, colltree::name(collective), method.name())};
  return {
      Method{std::string(found->algorithm), std::nullopt},
      not_set(*this, fmt::format("{} {}", colltree::name(collective), found->algorithm), method)};
}

Method preset_method(Collective collective, unsigned number) {
  const LibraryAlgorithm* known =
      number > INT_MAX ? nullptr
                       : find_algorithm(Library::kIntel, collective, static_cast<int>(number));
  return {known == nullptr ? fmt::format("{}{}", kPreset, number) : std::string(known->algorithm),
          std::nullopt};
}

std::string_view preset_number(Collective collective, const Method& canonical) {
  const LibraryAlgorithm* known = find_algorithm(Library::kIntel, collective, canonical.algorithm);
  return known == nullptr ? std::string_view(canonical.algorithm).substr(kPreset.size())
                          : known->library_name;
}

void check_preset(const RuleTarget& target, Collective collective, unsigned number,
                  std::size_t line, RuleFile& file) {
  const auto last =
      std::ranges::count(algorithms_of(Library::kIntel), collective, &LibraryAlgorithm::collective);
  if (number == 0) {
    file.warn(line, fmt::format("preset 0 of {} is not what Intel MPI chooses without the variable",
                                name(collective)));
  }
  if (number > last) {
    file.error(line, fmt::format("Intel MPI {} has no preset {} of {}, only 0 to {}",
                                 target.versions.last, number, name(collective), last));
  }
}

Span held(std::uint64_t& begin, std::uint64_t end, bool is_last) {
  const Span span{is_last ? begin : std::min(begin, end), is_last ? UINT64_MAX : end};
  begin = std::max(begin, end == UINT64_MAX ? end : end + 1);
  return span;
}

RuleTargets targets::intel() {
  return targets_with<IntelTarget>(
      {{.name = "intel",
        .summary = "I_MPI_ADJUST variables of Intel MPI, by message size",
        .has_communicator_size = false,
        .is_script = true,
        .family = kIntelFamily}});
}

}  // namespace colltree::rules
