// SPDX-License-Identifier: BSD-3-Clause
// The choice (Method) and the call that it is made for (Instance).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "coll/collective.h"

namespace colltree {

// The parameters of an algorithm beside its segment size. 0 = its own value.
struct MethodParameters {
  std::uint64_t fanout = 0;    // chains side by side
  std::uint64_t radix = 0;     // of a k-nomial tree or an exchange
  std::uint64_t requests = 0;  // messages of one rank in flight at once
  // Modules of Open MPI's HAN, by its own numbers.
  std::uint64_t up_module = 0;   // between nodes; 1: adapt
  std::uint64_t low_module = 0;  // inside a node; 1: sm

  bool operator==(const MethodParameters&) const = default;
};

// An algorithm with its parameters. Files, tables and command lines have its name() and its segment
// size; only what reads or writes these looks at the name, all else at the fields.
struct Method {
  std::string
      algorithm;  // lower case, as in the catalogue or as the source of the timings names it
  std::optional<std::uint64_t>
      segment_size;  // bytes; 0 = not segmented; none = ruled by the library
  MethodParameters parameters;

  // "chain@fanout=4", "knomial@radix=8", "linear_sync@requests=16"; parse_method_name reads it.
  std::string name() const;

  // The name as in the papers: "Binomial_1K", "SplitBinary_8K", "Linear_0K"; without a segment size
  // the name ("basic_linear"). An algorithm that neither colltree nor a library has keeps its
  // user's name ("rd", "my_ring_8K").
  std::string label() const;
  // In the papers' form whoever named the algorithm ("Rd_0K"): the hashes of models are made of it.
  std::string papers_label() const;

  bool operator==(const Method&) const = default;
  // Compares by name, as text, then by segment size: the order of methods in files and pictures.
  std::strong_ordering operator<=>(const Method& method) const;
};

// The parameters in a name, found without allocating. `unknown`: the first word after an '@' that
// is not a parameter.
struct MethodName {
  std::string_view algorithm;  // "ompi:chain" of "ompi:chain@fanout=4"
  MethodParameters parameters;
  std::optional<std::string_view> unknown;
};
MethodName read_method_name(std::string_view name) noexcept;

// The method of this name. Where it is not what name() would write ("x@gpu", "chain@fanout=04"),
// all of it is the algorithm, because it must be written as it was read; see check_parameters.
Method parse_method_name(std::string_view name,
                         std::optional<std::uint64_t> segment_size = std::nullopt);

// The setting of the job that a method was timed under (tool/measure/settings.h) ends its name:
// "ring@setting=tcp", "default@setting=tcp". Timings are loaded for one setting and without it.
std::string_view setting_of(const Method& method) noexcept;  // "": the plain job
Method without_setting(const Method& method);
Method under_setting(const Method& method, std::string_view setting);

// "linear_synch" of "ompi:linear_synch".
std::string_view without_source(std::string_view algorithm);

inline constexpr const char* kDefaultAlgorithm = "default";  // the MPI library's own choice
inline Method library_default() { return {kDefaultAlgorithm, std::nullopt}; }
inline bool is_library_default(const Method& method) {
  return method.algorithm == kDefaultAlgorithm;
}

struct Instance {
  Collective collective = Collective::kBcast;
  std::uint64_t communicator_size = 0;
  std::uint64_t message_size = 0;    // bytes, see MessageUnit
  std::uint64_t nodes = 0;           // 0 = not known
  std::uint64_t ranks_per_node = 0;  // 0 = not known

  auto operator<=>(const Instance&) const = default;
};

// True if there are `ranks_per_node` ranks on each node, or all on one node where they are fewer.
inline bool has_placement(const Instance& instance, std::uint64_t ranks_per_node) {
  return instance.ranks_per_node == std::min(ranks_per_node, instance.communicator_size);
}

}  // namespace colltree
