// SPDX-License-Identifier: BSD-3-Clause
// Parameters and needs of a library's algorithms in words, for people.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace colltree {

struct BitWord {
  std::uint32_t bit;
  std::string_view text;
};

std::span<const BitWord> parameter_words();  // of AlgorithmParameter
std::span<const BitWord> need_words();       // of AlgorithmNeed: "needs " ...

// The words of the bits that are set, with ", " between two.
std::string words_of(std::span<const BitWord> words, std::uint32_t bits);

}  // namespace colltree
