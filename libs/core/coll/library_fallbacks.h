// SPDX-License-Identifier: BSD-3-Clause
// A library runs something else where a call does not meet an algorithm's needs: Open MPI says
// nothing and goes on with another algorithm, or the call fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "coll/library.h"
#include "coll/method.h"

namespace colltree {

struct Fallback {
  std::string_view algorithm;  // that is not itself here
  std::string_view need;       // "as many elements as ranks"
  std::optional<Method> runs;  // in its place; none: the call fails
};

// From the method to what really runs, step by step; empty: the method is itself here. `version`:
// 41 is 4.1. `element_bytes`: the size of the call's elements, because the needs count elements. An
// operation is taken as commutative. MPICH's rules files have guards instead
// (rules/mpich/mpich_json.h), and of Intel MPI it is not known.
std::vector<Fallback> fallbacks_of(Library library, int version, const Instance& instance,
                                   Method method, std::uint64_t element_bytes);

}  // namespace colltree
