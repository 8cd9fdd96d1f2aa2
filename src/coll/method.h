// SPDX-License-Identifier: BSD-3-Clause
// What is chosen (Method) and what it is chosen for (Instance).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "coll/collective.h"

namespace colltree {

// An algorithm with its parameters.
struct Method {
  std::string
      algorithm;  // lower case, as in the catalogue or as the source of the timings names it
  std::optional<std::uint64_t>
      segment_size;  // bytes; 0 = not segmented; none = ruled by the library

  // As in the papers: "Binomial_1K", "SplitBinary_8K", "Linear_0K"; without a segment size the
  // algorithm's own name ("basic_linear").
  std::string label() const;

  auto operator<=>(const Method&) const = default;
};

inline constexpr const char* kDefaultAlgorithm = "default";  // the MPI library's own choice

struct Instance {
  Collective collective = Collective::kBcast;
  std::uint64_t communicator_size = 0;
  std::uint64_t message_size = 0;    // bytes, see MessageUnit
  std::uint64_t nodes = 0;           // 0 = not known
  std::uint64_t ranks_per_node = 0;  // 0 = not known

  auto operator<=>(const Instance&) const = default;
};

}  // namespace colltree
