// SPDX-License-Identifier: BSD-3-Clause
// The methods of an MPI library: its algorithms, each with the values of its parameters that are
// worth trying.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_algorithms.h"

namespace colltree {

// Values to try beside the library's own. Radix and requests, and HAN's modules, are
// process-wide parameters in Open MPI that no rules file can set, so by default only the library's
// own are measured.
struct ParameterValues {
  std::vector<std::uint64_t> fanout = {2, 4, 8};
  std::vector<std::uint64_t> radix;
  std::vector<std::uint64_t> requests;
  std::vector<std::uint64_t> up_module;
  std::vector<std::uint64_t> low_module;
  bool nonblocking = false;  // MPICH: also what its algorithm "nb" can run
  // True: the requests of our own trees are tried, too. Trees have segments to try already, so this
  // must be asked for.
  bool tree_requests = false;
};

// The values of our own algorithms, whose bare names mean a value already
// (portable_algorithms.def).
ParameterValues portable_parameter_values();

// "fanout=2:4,radix=8,nonblocking": throws UsageError. A parameter that is not named keeps its
// default.
ParameterValues parse_parameter_values(std::string_view text, ParameterValues values = {});

// Each value of these parameters (of AlgorithmParameter), one parameter at a time.
std::vector<MethodParameters> parameter_choices(std::uint32_t parameters,
                                                const ParameterValues& values);

// The variable that the environment must hold when a job that runs the method starts: "NAME=VALUE";
// "" = nothing.
std::string start_setting(Library library, Collective collective, const Method& method);

// The algorithm's name in the library's own control variable, "nb_" in front where that is the
// nonblocking collective's; "" = it is not in the table.
std::string told_name(Library library, Collective collective, std::string_view algorithm);

// An algorithm that an installed library tells of and the table has not: "magic" is measured as
// "unknown_magic". Nothing is known of what it needs and breaks, so no rules name it.
std::string unknown_algorithm(std::string_view name);
// The library's name for it; "" = the name is not of this kind.
std::string_view told_unknown(std::string_view algorithm);

// Every method in the table's order; algorithms without segments have no segment size. A fan-out is
// always said, because what a library takes when nothing is said differs between its parameters (4)
// and its rules files (1).
std::vector<Method> library_methods(Library library, Collective collective,
                                    std::span<const std::uint64_t> segment_sizes,
                                    const ParameterValues& values);

// The methods whose segments are smaller than the message. Only a run shows if an algorithm is
// itself at an instance.
std::vector<Method> segmented_below(std::span<const Method> methods, std::uint64_t message_size);

// "Binomial_1K", "chain" (with all its segment sizes and parameters), "default", or a comma list.
// Any case. Throws Error with the nearest name, and the collective when it is given.
std::vector<Method> select_methods(std::string_view text, std::span<const Method> known,
                                   std::optional<Collective> collective = std::nullopt);

}  // namespace colltree
