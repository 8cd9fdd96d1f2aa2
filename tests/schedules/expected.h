// SPDX-License-Identifier: BSD-3-Clause
// What the literature says that each row of the catalogue sends.
#pragma once

#include <cstdint>

#include "trial.h"

namespace colltree::test {

inline constexpr std::uint64_t kNotSaid = ~std::uint64_t{0};

struct Expected {
  std::uint64_t rounds;    // at most, with so many ports
  std::uint64_t messages;  // exactly, in all; kNotSaid: some are sent in two parts
  std::uint64_t bytes;     // exactly, in all; kNotSaid: blocks have several lengths
  std::uint64_t ports = 1;
  std::uint64_t messages_between = kNotSaid;  // nodes
  std::uint64_t bytes_between = kNotSaid;
};

// Of a call with root 0 and blocks of one size. False: no line for this row.
bool expected_of(const Trial& trial, std::uint64_t message_bytes, Expected* expected);

// Likewise where blocks have several lengths: those of the trial.
bool expected_of_varied(const Trial& trial, Expected* expected);

// How many ranks take part in the exchanges of recursive_multiplying.
std::uint64_t members_of(const Trial& trial);

}  // namespace colltree::test
