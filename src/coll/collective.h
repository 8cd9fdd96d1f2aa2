// SPDX-License-Identifier: BSD-3-Clause
// The MPI operations, and what "message size" means for each (docs/glossary.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace colltree {

enum class Collective : std::uint8_t {
  kAllgather,
  kAllgatherv,
  kAllreduce,
  kAlltoall,
  kAlltoallv,
  kBarrier,
  kBcast,
  kExscan,
  kGather,
  kGatherv,
  kReduce,
  kReduceScatter,
  kReduceScatterBlock,
  kScan,
  kScatter,
  kScatterv,
};

// How message_size follows from the call: count x size of the call itself, the block that one rank
// contributes or receives (one pair for alltoall), or the sum over all ranks.
enum class MessageUnit : std::uint8_t { kMessage, kBlock, kTotal, kNone };

struct CollectiveInfo {
  Collective collective;
  std::string_view name;  // in files, columns and options
  MessageUnit unit;
};

std::span<const CollectiveInfo> all_collectives();  // in the order of the enumeration
std::string_view name(Collective collective);
MessageUnit message_unit(Collective collective);
std::optional<Collective> find_collective(std::string_view name);

// Throws Error: "unknown collective 'bcats'; did you mean 'bcast'?".
Collective parse_collective(std::string_view name);
// A comma list; "all" is not one. Sorted as given, without repetition. Throws Error.
std::vector<Collective> parse_collectives(std::string_view names);

}  // namespace colltree

// Collectives by the words that the tables of algorithms (*.def) name them with.
namespace colltree::collective_of {
// NOLINTBEGIN(readability-identifier-naming): they are the tables' words
inline constexpr Collective allgather = Collective::kAllgather;
inline constexpr Collective allgatherv = Collective::kAllgatherv;
inline constexpr Collective allreduce = Collective::kAllreduce;
inline constexpr Collective alltoall = Collective::kAlltoall;
inline constexpr Collective alltoallv = Collective::kAlltoallv;
inline constexpr Collective barrier = Collective::kBarrier;
inline constexpr Collective bcast = Collective::kBcast;
inline constexpr Collective exscan = Collective::kExscan;
inline constexpr Collective gather = Collective::kGather;
inline constexpr Collective gatherv = Collective::kGatherv;
inline constexpr Collective reduce = Collective::kReduce;
inline constexpr Collective reduce_scatter = Collective::kReduceScatter;
inline constexpr Collective reduce_scatter_block = Collective::kReduceScatterBlock;
inline constexpr Collective scan = Collective::kScan;
inline constexpr Collective scatter = Collective::kScatter;
inline constexpr Collective scatterv = Collective::kScatterv;
// NOLINTEND(readability-identifier-naming)
}  // namespace colltree::collective_of
