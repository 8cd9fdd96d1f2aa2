// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI: export I_MPI_ADJUST_<COLLECTIVE>="preset:bytes-bytes,...;preset:...". What 2021.19
// makes of such a value was found by trial (docs/reference/formats/rules.md) and is proved by
// tests/intel: only the end of a range counts, the first range whose end is not below the size
// decides, and the last one holds for every larger size. With a communicator size (@) anywhere in a
// value, sizes of messages do not count. No preset is the library's own choice.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "rules/targets/targets.h"
#include "rules/value_list.h"

namespace colltree::rules {

namespace {

constexpr std::uint64_t kMost = INT_MAX;  // the library ignores a value with a larger number

// Presets that are an algorithm of ours. Those of reduce, allreduce and reduce_scatter(_block) were
// recognised by what each rank folds; the others are as the manual describes them.
constexpr NamedMethod kIntelNames[] = {
    {Collective::kAllreduce, "recursive_doubling", "1"},
    {Collective::kAllreduce, "rabenseifner reduce_scatter_allgather", "2"},
    {Collective::kAllreduce, "nonoverlapping", "3"},
    {Collective::kAllreduce, "ring segmented_ring", "8"},
    {Collective::kAllgather, "recursive_doubling", "1"},
    {Collective::kAllgather, "bruck brucks", "2"},
    {Collective::kAllgather, "ring", "3"},
    {Collective::kAllgatherv, "recursive_doubling", "1"},
    {Collective::kAllgatherv, "bruck brucks", "2"},
    {Collective::kAllgatherv, "ring", "3"},
    {Collective::kAlltoall, "bruck brucks modified_bruck", "1"},
    {Collective::kAlltoall, "linear basic_linear scattered", "2"},
    {Collective::kAlltoall, "pairwise ring", "3"},
    {Collective::kAlltoallv, "linear basic_linear scattered", "1"},
    {Collective::kBarrier, "dissemination bruck", "1"},
    {Collective::kBarrier, "recursive_doubling", "2"},
    {Collective::kBcast, "binomial", "1"},
    {Collective::kBcast, "scatter_allgather scatter_recursive_doubling_allgather", "2"},
    {Collective::kBcast, "scatter_allgather_ring scatter_ring_allgather", "3"},
    {Collective::kGather, "binomial", "1"},
    {Collective::kGatherv, "linear", "1"},
    {Collective::kReduce, "binomial", "2"},
    {Collective::kReduce, "rabenseifner reduce_scatter_gather", "5"},
    {Collective::kReduceScatter, "recursive_halving", "1"},
    {Collective::kReduceScatter, "pairwise ring", "2"},
    {Collective::kReduceScatter, "recursive_doubling", "3"},
    {Collective::kReduceScatterBlock, "recursive_halving", "1"},
    {Collective::kReduceScatterBlock, "recursive_doubling", "3"},
    {Collective::kScatter, "binomial", "1"},
    {Collective::kScatterv, "linear", "1"},
};

// The number of the last preset, by impi_info of 2021.19.
struct LastPreset {
  Collective collective;
  unsigned number;
};
constexpr LastPreset kLastPresets[] = {
    {Collective::kAllgather, 6},     {Collective::kAllgatherv, 5},
    {Collective::kAllreduce, 32},    {Collective::kAlltoall, 18},
    {Collective::kAlltoallv, 9},     {Collective::kBarrier, 11},
    {Collective::kBcast, 22},        {Collective::kGather, 5},
    {Collective::kGatherv, 4},       {Collective::kReduce, 19},
    {Collective::kReduceScatter, 6}, {Collective::kReduceScatterBlock, 4},
    {Collective::kScatter, 5},       {Collective::kScatterv, 4}};

constexpr std::string_view kPresetNumbers[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                               "9",  "10", "11", "12", "13", "14", "15", "16", "17",
                                               "18", "19", "20", "21", "22", "23", "24", "25", "26",
                                               "27", "28", "29", "30", "31", "32"};

// Every preset by its number, those of our names first.
std::span<const NamedMethod> all_presets() {
  static const std::vector<NamedMethod> all = [] {
    std::vector<NamedMethod> rows(std::begin(kIntelNames), std::end(kIntelNames));
    for (const LastPreset& last : kLastPresets) {
      for (const std::string_view number : std::span(kPresetNumbers).subspan(1, last.number)) {
        const bool named = std::ranges::any_of(kIntelNames, [&](const NamedMethod& row) {
          return row.collective == last.collective && row.theirs == number;
        });
        if (!named) rows.push_back({last.collective, "", number});
      }
    }
    return rows;
  }();
  return all;
}

constexpr std::string_view kIntelPrefix = "I_MPI_ADJUST_";

// A preset and where it holds, as the manual describes it.
struct PresetRange {
  Span bytes{0, kMost};
  Span ranks{0, kMost};
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
  // The library ignores the whole value, or reads it otherwise than it looks.
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
    check_number(*number);
    PresetRange made{.method = {std::to_string(*number), 0}};
    if (colon == std::string_view::npos || trim(text.substr(colon + 1)).empty()) {
      ranges_.push_back(made);
      return true;
    }
    for (const std::string_view one : split(text.substr(colon + 1), ',')) {
      if (!condition(trim(one), made)) return false;
      ranges_.push_back(made);
    }
    return true;
  }

  void check_number(unsigned number) {
    const std::string_view collective = name(variable_.collective);
    const auto last =
        std::ranges::find(kLastPresets, variable_.collective, &LastPreset::collective)->number;
    if (number == 0) {
      warn(fmt::format("preset 0 of {} is not what Intel MPI chooses without the variable",
                       collective));
    }
    if (number > last) {
      error(fmt::format("Intel MPI {} has no preset {} of {}, only 0 to {}", target_.versions.last,
                        number, collective, last));
    }
  }

  bool condition(std::string_view text, PresetRange& made) {
    const std::size_t at = text.find('@');
    made.bytes = made.ranks = {0, kMost};
    return (at == 0 || span(text.substr(0, at), "bytes", made.bytes)) &&
           (at == std::string_view::npos || span(text.substr(at + 1), "ranks", made.ranks));
  }

  bool span(std::string_view text, const char* what, Span& result) {
    const std::size_t dash = text.find('-');
    const auto least = parse_number<std::uint64_t>(text.substr(0, dash));
    const auto most =
        dash == std::string_view::npos ? least : parse_number<std::uint64_t>(text.substr(dash + 1));
    if (!least || !most)
      return error(fmt::format("'{}' is no range of {}; write 0-1024", text, what));
    if (*most < *least) return error(fmt::format("range {} of {} is empty", text, what));
    if (*most > kMost) {
      return error(fmt::format("range {} of {}: Intel MPI cannot read a number above {}", text,
                               what, kMost));
    }
    result = {*least, *most};
    return true;
  }

  // Each range holds from the ends of those before it to its own, the last one without an end.
  // Sizes below `smallest` do not matter.
  void keep(Span Rule::*axis, Span PresetRange::*axis_of_range, const char* what,
            std::uint64_t smallest) {
    std::vector<Rule>& rules = file_.rules.of(variable_.collective).rules;
    std::uint64_t begin = 0;
    for (const PresetRange& one : ranges_) {
      const bool last = &one == &ranges_.back();
      const Span meant = one.*axis_of_range;
      const Span held{last ? begin : std::min(begin, meant.most), last ? UINT64_MAX : meant.most};
      if (meant.least > std::max(held.least, smallest) || (last && meant.most < kMost)) {
        const std::string where = last ? fmt::format("from {} on", held.least)
                                       : fmt::format("{}-{}", held.least, held.most);
        warn(
            fmt::format("Intel MPI takes preset {} of {} for {} {}: ranges have no gaps, and the "
                        "last has no end",
                        one.method.algorithm, name(variable_.collective), what, where));
      }
      rules.push_back({.method = one.method, .line = variable_.line});
      rules.back().*axis = held;
      begin = std::max(begin, meant.most + 1);
    }
  }

  void keep_last() {
    if (ranges_.size() > 1) {
      warn(fmt::format("Intel MPI does not look at sizes of {}: the last preset counts",
                       name(variable_.collective)));
    }
    file_.rules.of(variable_.collective)
        .rules.push_back({.method = ranges_.back().method, .line = variable_.line});
  }

  // Of conditions that end at one communicator size the last counts, in the place of the first.
  void keep_by_ranks() {
    std::vector<PresetRange> kept;
    bool lost = false;
    for (const PresetRange& one : ranges_) {
      const auto same = std::ranges::find(
          kept, one.ranks.most, [](const PresetRange& other) { return other.ranks.most; });
      lost = lost || same != kept.end() || one.bytes != Span{0, kMost};
      if (same == kept.end()) {
        kept.push_back(one);
      } else {
        *same = one;
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

// The manual has more variables than rules are known for here: of calls that do not block
// (IBCAST), of other collectives, and what belongs to one preset (BCAST_SEGMENT,
// ALLREDUCE_KN_RADIX).
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

class IntelTarget final : public NamedTarget {
 public:
  using NamedTarget::NamedTarget;
  // adapt_rules leaves one row, and no part of it to the library.
  std::string write(const RuleSet& rules, const std::string& comment) const override {
    std::string text = fmt::format("# {}\n", comment);
    for (const CollectiveRules& one : rules.collectives) {
      if (leaves_all(one)) continue;
      std::string value;
      for (const Rule& rule : one.rules) {
        value += fmt::format("{}{}", value.empty() ? "" : ";", rule.method.algorithm);
        if (rule.message == Span{}) continue;
        value += fmt::format(":{}-{}", rule.message.least, std::min(rule.message.most, kMost));
      }
      text += variable_line(kIntelPrefix, colltree::name(one.collective), value);
    }
    return text;
  }
  RuleFile read(std::string_view content) const override {
    RuleFile file;
    read_collective_variables(
        *this, kIntelPrefix, content, file,
        [](std::string_view word) -> std::optional<std::string> {
          if (upper(word) != word || !is_of_the_manual(word)) return std::nullopt;
          return not_taken_into_account(kIntelPrefix, word);
        },
        [&](const CollectiveVariable& one) { IntelReader(*this, file, one).read(); });
    return file;
  }

 private:
  // Found by trial: one block of allgather(v), alltoall, gather, scatter and reduce_scatter_block
  // (allgatherv: the mean), all blocks of reduce_scatter. The other v-forms have no size.
  SizeKey key_of(Collective collective) const override {
    constexpr Collective kUnsized[] = {Collective::kBarrier, Collective::kAlltoallv,
                                       Collective::kGatherv, Collective::kScatterv};
    return std::ranges::count(kUnsized, collective) > 0 ? SizeKey::kNone : SizeKey::kMessage;
  }
};

}  // namespace

std::unique_ptr<RuleTarget> targets::intel() {
  return std::make_unique<IntelTarget>(
      TargetFacts{.name = "intel",
                  .summary = "I_MPI_ADJUST variables of Intel MPI",
                  .versions = {"Intel MPI", "", "2021.19", "run: 2021.19"},
                  .has_communicator_size = false,
                  .leaves_parts = false,
                  .most_message = kMost,
                  .names = all_presets()});
}

}  // namespace colltree::rules
