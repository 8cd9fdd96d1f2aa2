// SPDX-License-Identifier: BSD-3-Clause
// The MPI operations, and what "message size" means for each (docs/glossary.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace colltree {

// The order of the table is that of the numbers, which compact decision files hold.
enum class Collective : std::uint8_t {
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, takes, Id, ...) k##Id,
#define COLLTREE_MEASURED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
};

// How message_size follows from the call: count x size of the call itself, the block that one rank
// contributes or receives (one pair for alltoall), or the sum over all ranks.
enum class MessageUnit : std::uint8_t { kMessage, kBlock, kTotal, kNone };

// The arguments and the result of a call. kBlocks gives every rank the block of each, kGather gives
// them to the root, kScatter takes them from it, and in kPairs each rank has a block for each; V:
// blocks of different lengths. Reductions deliver the whole (kReduction), that to the root
// (kToRoot), a part of it to each rank (kParts, kReductionV), or the contributions up to the own
// rank (kPrefix) or below it (kPrefixBefore).
enum class CallShape : std::uint8_t {
  kNothing,
  kFromRoot,
  kBlocks,
  kBlocksV,
  kPairs,
  kPairsV,
  kGather,
  kGatherV,
  kScatter,
  kScatterV,
  kReduction,
  kToRoot,
  kParts,
  kReductionV,
  kPrefix,
  kPrefixBefore,
};

struct CollectiveInfo {
  Collective collective;
  std::string_view name;  // in files, columns and options
  MessageUnit unit;
  CallShape shape;
};

std::span<const CollectiveInfo> all_collectives();  // in the order of the enumeration
std::string_view name(Collective collective);
std::vector<std::string> names_of(std::span<const Collective> collectives);
MessageUnit message_unit(Collective collective);
CallShape call_shape(Collective collective);
std::optional<Collective> find_collective(std::string_view name);

// Throws Error: "unknown collective 'bcats'; did you mean 'bcast'?".
Collective parse_collective(std::string_view name);
// A comma list; "all" is not one. Sorted as given, without repetition. Throws Error.
std::vector<Collective> parse_collectives(std::string_view names);

}  // namespace colltree

// Collectives by the words that the tables of algorithms (*.def) name them with.
namespace colltree::collective_of {
// NOLINTBEGIN(readability-identifier-naming): they are the tables' words
#define COLLTREE_COLLECTIVE(Name, name, NAME, n, parameters, arguments, call, takes, Id, ...) \
  inline constexpr Collective name = Collective::k##Id;
#define COLLTREE_MEASURED COLLTREE_COLLECTIVE
#include "coll/collectives.def"
// NOLINTEND(readability-identifier-naming)
}  // namespace colltree::collective_of
