// SPDX-License-Identifier: BSD-3-Clause
// MPICH tells the values of a control variable only in its description, for people: after a
// sentence one "name - what it does" each, in the order of their numbers from 0 (proved on 4.2.1:
// campaign.numbers_mpich). 4.1 and later put each on its own line; 4.0 drops the line breaks,
// so that a name follows the last letter of the text before it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace colltree {

// Number and name. `known`: names that a description without lines is searched for; what stands at
// a number there and is none of them is left out.
std::map<int, std::string> described_values(std::string_view description,
                                            std::span<const std::string_view> known);

// Intel MPI tells them as "range: 0-22": each number is its own name.
std::map<int, std::string> described_range(std::string_view description);

}  // namespace colltree
