// SPDX-License-Identifier: BSD-3-Clause
// Rules of Open MPI's coll/han, which stands above coll/tuned on several nodes: they name who
// carries a collective out there. A file says "han", with an algorithm of its own or without, or
// the component that it hands the call to; which algorithm coll/tuned then takes says a file for
// coll/tuned (openmpi_text.cpp), and both can be loaded together.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rules/rule_target.h"

namespace colltree::rules {

inline constexpr const char* kHanTarget = "openmpi-han";
inline constexpr const char* kHandedToTuned = "tuned";  // as a method
inline constexpr std::string_view kHanComponent = "han";
// In the order of their numbers.
inline constexpr std::array<std::string_view, 3> kHanLevels = {"intra_node", "inter_node",
                                                               "global_communicator"};
inline constexpr std::size_t kWholeCommunicator = 2;

// HAN's own algorithms of a collective: "intra", "simple".
std::vector<std::string> han_algorithms(Collective collective);
// Returns "han_simple" for "simple", or the library's own choice for the algorithm that HAN runs by
// default.
Method han_method(Collective collective, std::string_view algorithm);
// The algorithm that runs by default: "han_intra".
Method han_default(Collective collective);
// A method that only HAN has, so a rule with it is not one of coll/tuned; not HAN's default if
// possible.
Method han_marker(Collective collective);

}  // namespace colltree::rules
