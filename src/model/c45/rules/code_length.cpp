// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "model/c45/arithmetic.h"
#include "model/c45/rules/make_rules.h"

namespace colltree::c45 {

namespace {

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

}  // namespace colltree::c45
