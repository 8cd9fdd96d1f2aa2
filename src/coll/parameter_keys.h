// SPDX-License-Identifier: BSD-3-Clause
// What parameters are called in names ("chain@fanout=4") and in --parameters, in that order.
#pragma once

#include <string_view>

#include "coll/library_algorithms.h"

namespace colltree {

struct ParameterKey {
  std::string_view key;
  AlgorithmParameter bit;
  std::uint64_t MethodParameters::*value;
  std::uint64_t most;
};

inline constexpr std::uint64_t kAnyNumber = 1 << 20;  // no communicator has more ranks
inline constexpr ParameterKey kParameterKeys[] = {
    {"fanout", kFanout, &MethodParameters::fanout, kAnyNumber},
    {"radix", kRadix, &MethodParameters::radix, kAnyNumber},
    {"requests", kRequests, &MethodParameters::requests, kAnyNumber},
    // HAN 5.0.7 looks a greater number up behind the end of a table, and crashes.
    {"up_module", kModules, &MethodParameters::up_module, 1},
    {"low_module", kModules, &MethodParameters::low_module, 1}};

}  // namespace colltree
