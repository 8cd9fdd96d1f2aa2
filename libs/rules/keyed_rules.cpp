// SPDX-License-Identifier: BSD-3-Clause
#include "rules/keyed_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

namespace colltree::rules {

namespace {

constexpr std::uint64_t kExactBeyond = 64;  // ranks, in the interval without an end
constexpr std::uint64_t kMostRanks = std::uint64_t{1} << 24;  // beyond: as the last row before

std::uint64_t times(std::uint64_t bytes, std::uint64_t ranks) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(bytes, ranks, &product) ? UINT64_MAX : product;
}

// m <= most  <=>  m x p < (most + 1) x p  <=>  key <= (most + 1) x p - 1, for every key that is
// not a multiple of p too: libraries divide nothing, so such keys do not occur.
Span scaled(const Span& bytes, std::uint64_t ranks) {
  Span key;
  key.least = times(bytes.least, ranks);
  if (bytes.most != UINT64_MAX) {
    const std::uint64_t end = times(bytes.most + 1, ranks);
    key.most = end == UINT64_MAX ? UINT64_MAX : end - 1;
  }
  return key;
}

class Scaler {
 public:
  Scaler(std::vector<Rule>& out, const std::set<std::uint64_t>& measured)
      : out_(out), measured_(measured) {}

  bool approximate() const { return approximate_; }

  void add(const std::vector<Rule>& row) {
    const Span ranks = row[0].communicator_size;
    const bool several = row.size() > 1;
    std::uint64_t first = std::max<std::uint64_t>(ranks.least, 1);
    if (!several) {
      out_.push_back(row[0]);
      return;
    }
    while (true) {
      const std::uint64_t last = piece_end(first, ranks.most);
      append(row, {first == 1 ? ranks.least : first, last}, first);
      if (last == ranks.most) return;
      first = last + 1;
    }
  }

 private:
  std::uint64_t piece_end(std::uint64_t first, std::uint64_t most) {
    if (first >= kMostRanks) return most;
    ++pieces_;
    const bool exact = most == UINT64_MAX ? first <= kExactBeyond : pieces_ <= kExactRows;
    if (exact || measured_.contains(first)) return first;
    std::uint64_t last = std::min(first + first / 8, most);
    const auto next = measured_.upper_bound(first);
    if (next != measured_.end() && *next <= last) last = *next - 1;
    approximate_ = true;
    return last;
  }

  // The middle of the piece stands for all of it, with an error of at most 1/16.
  void append(const std::vector<Rule>& row, const Span& ranks, std::uint64_t first) {
    const std::uint64_t middle =
        ranks.most >= kMostRanks ? first : first + (ranks.most - first) / 2;
    for (Rule rule : row) {
      rule.communicator_size = ranks;
      rule.message = scaled(rule.message, middle);
      if (rule.message.least <= rule.message.most) out_.push_back(rule);
    }
  }

  std::vector<Rule>& out_;
  const std::set<std::uint64_t>& measured_;
  std::size_t pieces_ = 0;
  bool approximate_ = false;
};

// Each placement has its own exact rows.
CollectiveRules scaled_rules(const CollectiveRules& rules, const std::set<std::uint64_t>& measured,
                             bool& approximate) {
  CollectiveRules joined{.collective = rules.collective};
  std::optional<Scaler> scaler;
  const Rule* before = nullptr;
  for (const RuleRow& row : rows_of(rules)) {
    if (before == nullptr || !same_placement(*before, row[0]))
      scaler.emplace(joined.rules, measured);
    scaler->add(row);
    approximate = approximate || scaler->approximate();
    before = &row[0];
  }
  return joined;
}

std::set<std::uint64_t> measured_sizes(const std::vector<Timings>* timings, Collective collective) {
  std::set<std::uint64_t> sizes;
  if (timings == nullptr) return sizes;
  for (const Timings& measured : *timings) {
    if (measured.collective != collective) continue;
    for (const Instance& instance : measured.instances) sizes.insert(instance.communicator_size);
  }
  return sizes;
}

// Calls beyond the largest number stay with the library if the model leaves them to it.
void end_before_default(std::uint64_t most, CollectiveRules& rules) {
  std::vector<Rule> ended;
  for (auto rule = rules.rules.begin(); rule != rules.rules.end(); ++rule) {
    ended.push_back(*rule);
    const auto next = std::next(rule);
    const bool last = rule->message.least < most && rule->message.most >= most;
    if (!last || next == rules.rules.end() || next->message.least <= rule->message.most ||
        !is_library_default(next->method))
      continue;
    ended.back().message.most = most - 1;
    ended.push_back(*next);
    ended.back().message.least = most;
  }
  rules.rules = std::move(ended);
}

// Rules above the largest number that the target can hold go: they would never be reached.
void clip(const RuleTarget& target, CollectiveRules& rules, std::vector<std::string>& notes) {
  std::size_t dropped = 0;
  end_before_default(target.most_message, rules);
  std::erase_if(rules.rules, [&](const Rule& rule) {
    const bool out = rule.message.least > target.most_message ||
                     rule.communicator_size.least > target.most_communicator;
    dropped += out ? 1 : 0;
    return out;
  });
  for (Rule& rule : rules.rules) {
    if (rule.message.most >= target.most_message) rule.message.most = UINT64_MAX;
    if (rule.communicator_size.most >= target.most_communicator) {
      rule.communicator_size.most = UINT64_MAX;
    }
  }
  if (dropped > 0) {
    notes.push_back(fmt::format("{}: {} cannot name sizes above {}; {} {} left out",
                                name(rules.collective), target.name, target.most_message, dropped,
                                dropped == 1 ? "rule" : "rules"));
  }
}

// A rule without an end would also hold for the communicator sizes that earlier rules leave to the
// library. So it gets an end, and the library decides beyond it.
void end_single_sizes(const RuleTarget& target, CollectiveRules& rules,
                      std::vector<std::string>& notes) {
  const std::uint64_t most = target.most_single_sizes;
  std::vector<RuleRow> rows = rows_of(rules);
  if (most == 0 || rows.empty() || rows.back()[0].communicator_size.most != UINT64_MAX) return;
  if (std::ranges::all_of(rows.back(), is_library_default, &Rule::method)) return;
  rows.pop_back();
  if (std::ranges::none_of(rows, [](const RuleRow& row) {
        return std::ranges::any_of(row, is_library_default, &Rule::method);
      }))
    return;
  cut_rows(rules, most);
  for (Rule& rule : rules.rules) {
    if (rule.communicator_size.least > most) rule.method = library_default();
  }
  merge_rules(rules);
  notes.push_back(
      fmt::format("{}: a rule of {} for all other communicator sizes would hold for those that the "
                  "model leaves to the library too; from {} ranks on the library decides",
                  name(rules.collective), target.name, most + 1));
}

}  // namespace

RuleSet keyed_rules(const RuleTarget& target, const RuleSet& rules,
                    const std::vector<Timings>* timings, std::vector<std::string>& notes) {
  RuleSet keyed;
  for (const CollectiveRules& collective_rules : rules.collectives) {
    CollectiveRules joined_rules = collective_rules;
    std::erase_if(joined_rules.rules,
                  [](const Rule& rule) { return rule.communicator_size.most == 0; });
    bool approximate = false;
    if (target.size_key(collective_rules.collective) == SizeKey::kTimesRanks) {
      joined_rules = scaled_rules(
          joined_rules, measured_sizes(timings, collective_rules.collective), approximate);
    }
    if (approximate) {
      notes.push_back(fmt::format(
          "{}: {} compares message size x ranks; on large communicators that were not measured the "
          "thresholds are within 6 %",
          name(collective_rules.collective), target.name));
    }
    clip(target, joined_rules, notes);
    merge_rules(joined_rules);
    end_single_sizes(target, joined_rules, notes);
    keyed.collectives.push_back(std::move(joined_rules));
  }
  return keyed;
}

}  // namespace colltree::rules
