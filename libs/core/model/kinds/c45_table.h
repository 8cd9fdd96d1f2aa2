// SPDX-License-Identifier: BSD-3-Clause
// Timings as C4.5 sees them (2006, section 3): one case for each measured instance, the label is
// the best method there.
#pragma once

#include <vector>

#include "colltree/c45.hpp"
#include "model/rule_tree.h"
#include "timings/timings.h"

namespace colltree::model {

// Attributes beyond collective (when there are several), communicator size and message size.
struct C45FeatureOptions {
  bool nodes = true;               // where the profile knows them and they vary
  bool ranks_per_node = true;      // likewise
  bool power_of_two = false;       // whether the communicator size is a power of two
  bool parity = false;             // whether the message size is even
  bool log2_message_size = false;  // log2(message size), instead of nothing: both may be tested
};

enum class C45Feature : std::uint8_t {
  kCollective,
  kCommunicatorSize,
  kMessageSize,
  kNodes,
  kRanksPerNode,
  kPowerOfTwo,
  kParity,
  kLog2MessageSize,
};

std::string_view name(C45Feature feature);

// The names behind the indices in the nodes and conditions of C4.5.
struct C45Vocabulary {
  std::vector<C45Feature> features;     // by attribute of the schema
  std::vector<Collective> collectives;  // value v of the attribute collective is [v - 1]
  std::vector<Method> methods;          // by class
};

// Its methods are those that are best somewhere.
struct C45Table : C45Vocabulary {
  c45::Schema schema;
  c45::Cases cases;
};

// Throws Error when there is no instance, or none with a time.
C45Table make_c45_table(const std::vector<Timings>& timings, const C45FeatureOptions& options);

// The value of a continuous feature, in float32 as the tree compares it.
float feature_value(C45Feature feature, const Instance& instance);

// The form of a feature's test in a rule tree: value <= threshold, for the greatest integer whose
// feature value is not above `cut`. The two agree for every integer, also above 2^24, where float32
// no longer holds every integer. Nothing when not even 0 satisfies the test.
std::optional<Bound> integer_test(C45Feature feature, float cut);

}  // namespace colltree::model
