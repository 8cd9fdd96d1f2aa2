// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "engine/rules/rules.h"

namespace colltree::c45 {

namespace {

// log2 of a whole number of at least 1 as code lengths use it: release 8 looks it up in a table
// of float32, so each is rounded before it is added or divided.
float log2_of_count(std::size_t n) { return static_cast<float>(log2_of(static_cast<float>(n))); }

// Unknown values are no value of their own, but cases all the same.
float discrete_bits(const std::vector<std::uint32_t>& values, std::size_t count) {
  std::vector<std::size_t> frequency(count + 1, 0);
  for (const std::uint32_t v : values) ++frequency[v];
  const auto all = static_cast<double>(values.size());
  float bits = 0;
  for (std::size_t v = 1; v <= count; ++v) {
    if (frequency[v] == 0) continue;
    const float value_bits = log2_of_count(values.size()) - log2_of_count(frequency[v]);
    bits = static_cast<float>(bits + static_cast<double>(frequency[v]) / all * value_bits);
  }
  return bits;
}

float continuous_bits(std::vector<float> values) {
  std::ranges::sort(values);
  const auto distinct =
      static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
  return distinct > 1 ? 1 + log2_of_count(distinct) / 2 : 0.0F;
}

// log2(n!) for n = 0, 1, ... `most`.
std::vector<float> log_factorials(std::size_t most) {
  std::vector<float> result = {0.0F};
  for (std::size_t n = 1; n <= most; ++n) result.push_back(result.back() + log2_of_count(n));
  return result;
}

// Bits to say which `errors` of `items` cases are wrong, when `expected` would be.
float error_bits(double items, double errors, double expected) {
  constexpr double kTiny = 1e-6;
  constexpr float kImpossible = 1e6F;
  if (expected <= kTiny) return errors == 0 ? 0.0F : kImpossible;
  if (expected >= items - kTiny) return errors == items ? 0.0F : kImpossible;
  const auto rate = static_cast<float>(expected / items);
  return static_cast<float>(-errors * log2_of(rate) - (items - errors) * log2_of(1 - rate));
}

class SubsetSearch {
 public:
  SubsetSearch(const std::vector<std::size_t>& candidates, std::span<const Rule> rules,
               const Coverage& coverage, const Cases& cases, std::uint32_t label)
      : candidates_(candidates),
        cases_(cases.size()),
        log_factorials_(log_factorials(candidates.size())),
        in_(candidates.size(), false),
        count_(cases.size(), 0),
        positive_(cases.size()) {
    for (std::size_t id = 0; id < cases.size(); ++id) {
      positive_[id] = cases.label[id] == label;
      false_negatives_ += positive_[id];
    }
    for (const std::size_t rule : candidates) {
      bits_.push_back(rules[rule].bits);
      std::vector<std::uint32_t>& covered = covered_.emplace_back();
      for (std::uint32_t id = 0; id < cases.size(); ++id) {
        if (coverage[rule][id]) covered.push_back(id);
      }
    }
  }

  // The last rule outermost, "out" before "in": with rule 0 as the lowest bit, plain counting.
  void try_all() {
    const std::uint32_t subsets = 1U << candidates_.size();
    for (std::uint32_t subset = 0; subset < subsets; ++subset) {
      for (std::size_t r = 0; r < in_.size(); ++r) {
        if (in_[r] != ((subset >> r & 1U) != 0)) flip(r);
      }
      note();
    }
  }

  void climb_hills(Random& random) {
    for (int tenth = 0; tenth <= 10; ++tenth) {
      for (std::size_t r = 0; r < in_.size(); ++r) {
        if (in_[r] != (random.fraction() < tenth * 0.1)) flip(r);
      }
      while (improve()) {
      }
      note();
    }
  }

  std::vector<std::size_t> best() const {
    std::vector<std::size_t> chosen;
    for (std::size_t r = 0; r < best_.size(); ++r) {
      if (best_[r]) chosen.push_back(candidates_[r]);
    }
    return chosen;
  }

 private:
  void flip(std::size_t r) {
    in_[r] = !in_[r];
    const int step = in_[r] ? 1 : -1;
    selected_ = in_[r] ? selected_ + 1 : selected_ - 1;
    for (const std::uint32_t id : covered_[r]) {
      const bool was = count_[id] > 0;
      count_[id] += step;
      const bool is = count_[id] > 0;
      if (was == is) continue;
      fires_ += step;
      (positive_[id] ? false_negatives_ : false_positives_) += positive_[id] ? -step : step;
    }
  }

  // In float32 and in the rules' order: equal subsets then differ in the last bit as in release 8.
  float rule_bits() const {
    float bits = 0;
    for (std::size_t r = 0; r < in_.size(); ++r) {
      if (in_[r]) bits += bits_[r];
    }
    return bits;
  }

  float value(double rule_bits) const {
    const auto n = static_cast<double>(cases_);
    const double wrong = (false_positives_ + false_negatives_) / 2.0;
    const bool most = fires_ > n / 2;
    // Each part is rounded to float32 before it is added: of subsets that say the same, the last
    // bit decides which one is kept, as in release 8.
    const float exceptions =
        log2_of_count(cases_) +
        error_bits(fires_, false_positives_, most ? wrong : false_positives_) +
        error_bits(n - fires_, false_negatives_, most ? false_negatives_ : wrong);
    return static_cast<float>(0.5 * (rule_bits - log_factorials_[selected_]) + exceptions);
  }

  void note() {
    const float now = value(rule_bits());
    if (!best_.empty() && !(now < best_value_)) return;
    best_ = in_;
    best_value_ = now;
  }

  bool improve() {
    const float bits = rule_bits();
    const float now = value(bits);
    std::size_t best = in_.size();
    float best_gain = 0;
    for (std::size_t r = 0; r < in_.size(); ++r) {
      flip(r);
      const double step = in_[r] ? bits_[r] : -bits_[r];
      const float gain = now - value(bits + step);
      flip(r);
      if (gain > best_gain) {
        best_gain = gain;
        best = r;
      }
    }
    if (best == in_.size()) return false;
    flip(best);
    return true;
  }

  const std::vector<std::size_t>& candidates_;
  std::size_t cases_;
  std::vector<float> log_factorials_;
  std::vector<float> bits_;                          // by candidate
  std::vector<std::vector<std::uint32_t>> covered_;  // by candidate
  std::vector<bool> in_;                             // by candidate
  std::vector<int> count_;                           // by case: selected rules that cover it
  std::vector<bool> positive_;                       // by case: of the class
  std::size_t selected_ = 0;
  int fires_ = 0;
  int false_positives_ = 0;
  int false_negatives_ = 0;
  std::vector<bool> best_;
  float best_value_ = 0;
};

}  // namespace

CodeLengths::CodeLengths(const Schema& schema, const Cases& cases, float redundancy) {
  float sum = 0;
  for (std::size_t a = 0; a < schema.attributes.size(); ++a) {
    const Attribute& attribute = schema.attributes[a];
    float bits = 0;
    if (attribute.kind == AttributeKind::kContinuous) bits = continuous_bits(cases.numbers[a]);
    if (attribute.kind == AttributeKind::kDiscrete) {
      bits = discrete_bits(cases.values[a], attribute.values.size());
    }
    branch_bits_.push_back(bits);
    values_.push_back(attribute.values.size());
    sum += bits;
  }
  float entropy = 0;
  for (const float bits : branch_bits_) {
    const float share = bits / sum;
    if (share > 0) entropy = static_cast<float>(entropy - share * log2_of(share));
  }
  attribute_bits_ = entropy / redundancy;
}

float CodeLengths::of(const Rule& rule) const {
  float bits = 0;
  float orders = 0;  // log2 of the number of orders of the conditions
  for (std::size_t d = 0; d < rule.conditions.size(); ++d) {
    const Condition& condition = rule.conditions[d];
    bits += attribute_bits_ + (condition.kind == ConditionKind::kGroup
                                   ? static_cast<float>(values_[condition.attribute])
                                   : branch_bits_[condition.attribute]);
    orders += log2_of_count(d + 1);
  }
  return bits + log2_of_count(rule.conditions.size()) - orders;
}

// The subset of a class's rules with the shortest description: the rules themselves and the cases
// on which they are wrong.

Coverage coverage_of(std::span<const Rule> rules, const Cases& cases) {
  Coverage coverage;
  for (const Rule& rule : rules) {
    std::vector<bool>& row = coverage.emplace_back(cases.size());
    if (rule.error > kMostError) continue;
    for (std::uint32_t id = 0; id < cases.size(); ++id) row[id] = covers(rule, cases, id);
  }
  return coverage;
}

std::vector<std::size_t> best_subset(const std::vector<std::size_t>& candidates,
                                     std::span<const Rule> rules, const Coverage& coverage,
                                     const Cases& cases, std::uint32_t label, Random& random) {
  if (candidates.empty()) return {};
  SubsetSearch search(candidates, rules, coverage, cases, label);
  constexpr std::size_t kMostExhaustive = 10;
  if (candidates.size() <= kMostExhaustive) {
    search.try_all();
  } else {
    search.climb_hills(random);
  }
  return search.best();
}

}  // namespace colltree::c45
