// SPDX-License-Identifier: BSD-3-Clause
// Parameters in the names of methods, and what a size alone says of needs. Without fmt and
// exceptions: the runtime library has it.
#include <algorithm>
#include <bit>

#include "base/text.h"
#include "coll/library_algorithms.h"

namespace colltree {

namespace {

struct Suffix {
  std::string_view key;
  std::uint64_t MethodWords::*value;
};
constexpr Suffix kSuffixes[] = {{"fanout", &MethodWords::fanout},
                                {"radix", &MethodWords::radix},
                                {"requests", &MethodWords::requests}};

bool read_suffix(std::string_view suffix, MethodWords& words) {
  const std::size_t equals = suffix.find('=');
  if (equals == std::string_view::npos) return false;
  const auto* found = std::ranges::find(kSuffixes, suffix.substr(0, equals), &Suffix::key);
  // No parameter may be 0.
  const auto value = parse_number<std::uint64_t>(suffix.substr(equals + 1)).value_or(0);
  if (found == std::end(kSuffixes) || value == 0) return false;
  words.*found->value = value;
  return true;
}

}  // namespace

std::string_view read_method_name(std::string_view algorithm, MethodWords& words) noexcept {
  std::string_view rest = algorithm.substr(algorithm.find(':') + 1);
  words = {.algorithm = rest.substr(0, rest.find('@'))};
  while (rest.find('@') != std::string_view::npos) {
    rest = rest.substr(rest.find('@') + 1);
    const std::string_view suffix = rest.substr(0, rest.find('@'));
    if (!read_suffix(suffix, words)) return suffix.empty() ? "@" : suffix;
  }
  return "";
}

std::string join_method_name(const MethodWords& words) {
  std::string name(words.algorithm);
  for (const Suffix& suffix : kSuffixes) {
    if (words.*suffix.value != 0) {
      name.append("@").append(suffix.key).append("=").append(std::to_string(words.*suffix.value));
    }
  }
  return name;
}

std::uint32_t size_facts(std::uint64_t communicator_size, std::uint64_t count) {
  std::uint32_t facts = 0;
  if (std::has_single_bit(communicator_size)) facts |= kPowerOfTwo;
  if (communicator_size % 2 == 0) facts |= kEvenRanks;
  if (communicator_size == 2) facts |= kTwoRanks;
  if (count >= communicator_size) facts |= kCountAtLeastRanks;
  if (count >= std::bit_floor(communicator_size)) facts |= kCountAtLeastPowerOfTwo;
  return facts;
}

}  // namespace colltree
