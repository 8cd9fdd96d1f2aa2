// SPDX-License-Identifier: BSD-3-Clause
// Which rules of a class say most in the fewest bits.
#pragma once

#include <span>
#include <vector>

#include "engine/arithmetic.h"
#include "engine/rules/rule.h"

namespace colltree::c45 {

// Code lengths in bits.
class CodeLengths {
 public:
  CodeLengths(const Schema& schema, const Cases& cases, float redundancy);
  float of(const Rule& rule) const;

 private:
  float attribute_bits_ = 0;
  std::vector<float> branch_bits_;   // by attribute
  std::vector<std::size_t> values_;  // by attribute
};

// What a rule covers, for all rules at once: bit i of [rule] is case i.
using Coverage = std::vector<std::vector<bool>>;
Coverage coverage_of(std::span<const Rule> rules, const Cases& cases);

// For one class, which of its rules (indices) describe the cases in the fewest bits: of up to 10
// all subsets are tried, of more hills are climbed from 11 random ones, as in release 8.
std::vector<std::size_t> best_subset(const std::vector<std::size_t>& candidates,
                                     std::span<const Rule> rules, const Coverage& coverage,
                                     const Cases& cases, std::uint32_t label, Random& random);

}  // namespace colltree::c45
