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
};

inline constexpr ParameterKey kParameterKeys[] = {
    {"fanout", kFanout, &MethodParameters::fanout},
    {"radix", kRadix, &MethodParameters::radix},
    {"requests", kRequests, &MethodParameters::requests}};

}  // namespace colltree
