// SPDX-License-Identifier: BSD-3-Clause
// The parts that writer and reader of MPICH's selection files share: names and parameters of
// methods, and what MPICH does without a file, as parts of one.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string_view>

#include "base/json.h"
#include "rules/rule_target.h"

namespace colltree::rules {

std::optional<SizeKey> mpich_size_key(Collective collective);

// "avg_msg_size" or "total_msg_size"; "" where no condition on the size is allowed.
std::string_view mpich_size_condition(Collective collective);

// The radix of an algorithm where nothing is said; 0: it has none.
std::uint64_t own_radix(const LibraryAlgorithm& algorithm);

// Takes k= and chunk_size= from below the algorithm's name into the method. What is missing is an
// error: MPICH does not set it.
void read_mpich_parameters(const RuleTarget& target, const LibraryAlgorithm& algorithm,
                           const Json::Member& member, Method& method, RuleFile& file);

// The algorithm as a version's selection file names it: by our name (in that file's version or
// another) or by a file's ("MPIR_Barrier_intra_dissemination"). nullptr: the version has none.
const LibraryAlgorithm* mpich_algorithm(const RuleTarget& target, Collective collective,
                                        std::string_view name);

// Two selections stacked on each other, each with a file: the device's, which composes some
// collectives of others or hands calls down, and MPICH's own among its algorithms. (A third, of
// shared memory within a node, has no file here.)
enum class MpichLayer : std::uint8_t { kSelection, kDevice };

// MPICH's choices without a file, by the names of 4.0: targets/mpich.json,
// targets/mpich.device.json.
const Json& mpich_stock(MpichLayer layer = MpichLayer::kSelection);
inline constexpr std::string_view kCollectiveKey = "collective=";

// The composition of the device that is the collective itself, by the selection below; null: the
// device does nothing else with this collective.
Json mpich_handed_down(Collective collective);

// An algorithm of one of our collectives, with its parameters below its name.
Json mpich_leaf(const RuleTarget& target, const LibraryAlgorithm& algorithm, const Method& method);

// The subtree behind "collective=X" in a file that has no rules for this collective, by the names
// of the target's version.
Json mpich_stock_of(const RuleTarget& target, Collective collective,
                    MpichLayer layer = MpichLayer::kSelection);
// The part of it for intercommunicators; null where it is one with that for intracommunicators.
Json mpich_stock_of_inter(const RuleTarget& target, Collective collective);
// MPICH's choice at a place of a file, on intracommunicators: `known` holds the communicators and
// keys that come there and the facts that are settled. These are not asked again.
Json mpich_stock_at(const RuleTarget& target, Collective collective, const Rule& known,
                    MpichLayer layer = MpichLayer::kSelection);

// The questions that MPICH asks of an intracommunicator: facts (AlgorithmNeed bits) and largest
// sizes.
struct MpichStockTests {
  std::uint32_t facts = 0;
  std::set<std::uint64_t> communicator_sizes;
};
MpichStockTests mpich_stock_tests(Collective collective, MpichLayer layer);

}  // namespace colltree::rules
