// SPDX-License-Identifier: BSD-3-Clause
// Which methods exist, which of them really are different at an instance, and in which order they
// add up.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_methods.h"
#include "coll/method.h"

namespace colltree {

enum class Measured : std::uint8_t { kPapers, kLater };

// The tree along which an algorithm adds up every element (SumOrder says when it exists). x_0
// is the root's contribution, x_i that of the rank i above it (modulo the communicator size);
// without a root, and where ranks are said, x_i is rank i's.
enum class SumTree : std::uint8_t {
  kUnordered,  // the tree differs from element to element or with the placement, or nothing is
               // added
  kDownwards,  // ((x_0 + x_-1) + x_-2) + ...
  kUpwards,    // ((x_0 + x_1) + x_2) + ..., by ranks
  kChain,      // x_0 + (x_1 + (x_2 + ...))
  kBinomial,   // up the tree of that name: each adds its value, then its children's, nearest first
  kKnomial,    // likewise
  kBinary,     // likewise
  kRanksBinary,  // up the binary tree that stands on the highest rank
  kNearPairs,    // by ranks: neighbours, then pairs of neighbours, ... (power_group.h)
  kNearGroups,   // by ranks: neighbours up to the radix, then groups of these (power_group.h)
  kFarPairs,     // by ranks: one with the one half of all away, then a quarter, ...
  kBlocks,       // of a prefix: neighbours, pairs of neighbours, ..., the longest block last
  kFenwick,      // of a prefix: up the binomial tree over ranks and down again
};

// A row of portable_algorithms.def, which says what the columns mean.
struct AlgorithmInfo {
  Collective collective;
  std::string_view algorithm;
  Measured measured;
  std::uint32_t parameters;  // of AlgorithmParameter
  std::uint64_t radix;       // what the bare name means; 0: it takes none
  std::uint64_t pieces;      // 0: one for each rank
  std::uint64_t min_communicator_size;
  std::uint64_t min_message_size;  // bytes
  std::uint32_t needs;             // of AlgorithmNeed
  std::string_view fallback;
  SumTree sums;

  bool segmented() const { return (parameters & kSegmentSize) != 0; }
};

std::span<const AlgorithmInfo> portable_algorithms();
const AlgorithmInfo* find_portable_algorithm(Collective collective, std::string_view algorithm);

inline constexpr std::uint64_t kMostRadix = 32;
inline constexpr std::uint64_t kMostRequests = 1 << 16;
inline constexpr std::uint64_t kMostFanout = 1 << 16;
// The row has these parameters, and their values are possible.
bool takes(const AlgorithmInfo& info, const MethodParameters& parameters);

// Bytes of what the segment size cuts.
std::uint64_t piece_of(const AlgorithmInfo& info, const Instance& instance);

// The needs that communicator size and count of elements answer, and that are met.
std::uint32_t size_facts(std::uint64_t communicator_size, std::uint64_t count);

// Likewise of the placement; 0 nodes: not known.
std::uint32_t node_facts(std::uint64_t nodes, std::uint64_t ranks_per_node);

// The row's minima and needs are met; where they are not, its fallback runs.
bool can_run(const AlgorithmInfo& info, const Instance& instance, std::uint64_t segment_size,
             bool commutative = true);

// Segment sizes in bytes of the papers: 0 (none), 1, 8, 16, 32, 64, 128 KB.
std::span<const std::uint64_t> paper_segment_sizes();

// Every method of a collective with these values of the parameters, in catalogue order: algorithm
// by algorithm, its own parameter first, unsegmented first. The position in this list breaks ties.
std::vector<Method> portable_methods(Collective collective,
                                     std::span<const std::uint64_t> segment_sizes,
                                     const ParameterValues& values = portable_parameter_values());

// The methods that the papers of 2006 and 2007 measured.
std::vector<Method> paper_methods(Collective collective,
                                  std::span<const std::uint64_t> segment_sizes);

// The method that really runs when `method` is asked for at `instance` with a commutative
// operation: a segment at least as large as the piece it cuts is no segmentation, an algorithm
// whose minima or needs are not met is its fallback, a radix or number of requests that changes no
// message is not said. Methods outside the portable catalogue only lose a segment that is not
// smaller than the message.
Method effective_method(const Method& method, const Instance& instance);

// The methods that are their own effective method here: what is worth measuring.
std::vector<Method> applicable_methods(std::span<const Method> methods, const Instance& instance);

// "Binomial_1K", "knomial" (all its segment sizes and parameters) or a comma list of both, any
// case; "papers" is paper_methods() and the default, "default" the library's own choice. Throws
// Error with the nearest name.
std::vector<Method> parse_methods(std::string_view text, Collective collective,
                                  std::span<const std::uint64_t> segment_sizes,
                                  const ParameterValues& values = portable_parameter_values());

// True if the method is itself only on some placements of ranks on nodes.
bool knows_nodes(Collective collective, const Method& method);
// True if it goes by memory that the ranks of a node share: no simulation has its time.
bool shares_memory(Collective collective, const Method& method);

// Position of the method in the portable catalogue, for tie breaking; methods outside it come
// after.
std::size_t catalogue_rank(Collective collective, const Method& method);

// In which order a method adds up what the ranks contribute. Floating-point addition commutes but
// is not associative: two calls give the same bits where every element is added up along one and
// the same tree of pairs. A method has an order where that tree follows from the communicator size
// and the root alone: not from where in the message an element lies, how long the message is, how
// it is cut, or how ranks are placed on nodes; and where that holds of what runs in its place too.
// Methods of one order may take turns. tests/schedules proves every row.
struct SumOrder {
  SumTree tree = SumTree::kUnordered;
  std::uint64_t radix = 0;  // of kKnomial and kNearGroups

  bool operator==(const SumOrder&) const = default;
};

// "near pairs", "4-nomial tree".
std::string text_of(const SumOrder& order);

// True if the collective adds up; every method of the others gives the same bits.
bool adds_up(Collective collective);

// None: the tree differs from element to element, with the placement, or is not known, as with the
// library's own choice.
std::optional<SumOrder> sum_order(Collective collective, const Method& method);

}  // namespace colltree
