// SPDX-License-Identifier: BSD-3-Clause
// The parts that the writer and the reader of MPICH's selection files share: names and parameters
// of methods, and MPICH's own choices in the form of such a file.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "base/json.h"
#include "rules/rule_target.h"

namespace colltree::rules {

std::optional<SizeKey> mpich_size_key(Collective collective);

// "avg_msg_size" or "total_msg_size"; "" where no condition on the size is allowed.
std::string_view mpich_size_condition(Collective collective);

// The radix of an algorithm where nothing is said; 0: it has none.
std::uint64_t own_radix(const LibraryAlgorithm& algorithm);

// Takes k= and chunk_size= from below the algorithm's name into the method. A missing parameter is
// reported, because MPICH does not set it.
void read_mpich_parameters(const RuleTarget& target, const LibraryAlgorithm& algorithm,
                           const Json::Member& member, Method& method, RuleFile& file);

// Finds an algorithm of the target's version by our name for it, which may be that of another
// version, or by its name in a file ("MPIR_Barrier_intra_dissemination"). nullptr means that the
// version has none.
const LibraryAlgorithm* mpich_algorithm(const RuleTarget& target, Collective collective,
                                        std::string_view name);

// Two selections stacked on each other with a file each: the device's, which composes some
// collectives of others or hands calls down, and MPICH's own among its algorithms. (A third, of
// shared memory within a node, has no file here.)
enum class MpichLayer : std::uint8_t { kSelection, kDevice };

// MPICH's choices without a file, by the names of 4.0: mpich/mpich.json,
// mpich/mpich.device.json.
const Json& mpich_stock(MpichLayer layer = MpichLayer::kSelection);
inline constexpr std::string_view kCollectiveKey = "collective=";

// The composition by which the device hands a call down to the selection below; null means that it
// hands down every call of this collective.
Json mpich_handed_down(Collective collective);

// An algorithm of one of our collectives, with its parameters below its name.
Json mpich_leaf(const RuleTarget& target, const LibraryAlgorithm& algorithm, const Method& method);

// The subtree behind "collective=X" in a file that has no rules for this collective, by the names
// of the target's version.
Json mpich_stock_of(const RuleTarget& target, Collective collective,
                    MpichLayer layer = MpichLayer::kSelection);
// The part of it for intercommunicators; the whole where a file does not tell them apart.
Json mpich_stock_of_inter(const RuleTarget& target, Collective collective);
// MPICH's own choice at a place in a file, for intracommunicators. `known` holds the communicator
// sizes and keys of the calls that come to that place and the facts that hold there, which are not
// asked again.
Json mpich_stock_at(const RuleTarget& target, Collective collective, const Rule& known,
                    MpichLayer layer = MpichLayer::kSelection);

// The tests of MPICH's own choices for intracommunicators: facts (AlgorithmNeed bits) and largest
// sizes.
struct MpichStockTests {
  std::uint32_t facts = 0;
  std::set<std::uint64_t> communicator_sizes;
};
MpichStockTests mpich_stock_tests(Collective collective, MpichLayer layer);

}  // namespace colltree::rules
