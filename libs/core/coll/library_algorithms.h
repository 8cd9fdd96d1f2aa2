// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that MPI libraries let one choose: what they are called, which parameters they
// take, where they are themselves and which correct programs they break. Data of
// openmpi_algorithms.def, openmpi_han.def, mpich_algorithms.def, mpich_hazards.def and
// intel_algorithms.def.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "coll/library.h"
#include "coll/method.h"

namespace colltree {

// The parameters that a call of the algorithm can be given: Method::segment_size and
// MethodParameters.
enum AlgorithmParameter : std::uint32_t {
  kSegmentSize = 1 << 0,  // bytes; Method::segment_size
  kFanout = 1 << 1,       // chains side by side
  kRadix = 1 << 2,        // of a k-nomial tree
  kRequests = 1 << 3,     // outstanding requests
  kModules = 1 << 4,      // HAN: the components between and inside nodes
};

// Conditions under which the algorithm is itself.
enum AlgorithmNeed : std::uint32_t {
  kPowerOfTwo = 1 << 0,              // communicator size
  kEvenRanks = 1 << 1,               // communicator size
  kTwoRanks = 1 << 2,                // communicator size 2
  kCountAtLeastRanks = 1 << 3,       // elements, not bytes
  kCountAtLeastPowerOfTwo = 1 << 4,  // the largest power of two not above the communicator size
  kCommutative = 1 << 5,             // operation
  kBuiltInOperation = 1 << 6,
  kInPlace = 1 << 7,
  kNotInPlace = 1 << 8,
  kRegularBlocks = 1 << 9,       // all receive counts equal
  kHierarchy = 1 << 10,          // a communicator over several nodes with several ranks on one
  kConsecutiveNodes = 1 << 11,   // ranks of a node follow each other
  kBytesAtLeastRanks = 1 << 12,  // message size not below the communicator size
  kSmallSegments = 1 << 13,      // a segment size below the piece that it cuts
  kOneNode = 1 << 14,            // all ranks on one node, where they share memory
  kDirectCopy = 1 << 15,         // processes of a node that may read each other's memory
  kNodeMemory = 1 << 16,         // the ranks of each of several nodes share memory
};

// Correct programs that go wrong or hang when the algorithm is forced.
enum AlgorithmHazard : std::uint32_t {
  kNonCommutative = 1 << 0,          // wrong results for operations that are not commutative
  kTypeSignature = 1 << 1,           // ranks describe the same bytes by different (count, type)
  kTypeSignatureSegmented = 1 << 2,  // the same, only with a segment size
  kFailsElsewhere = 1 << 3,          // an error where `needs` are not met
  kCallsReduce = 1 << 4,  // runs the communicator's reduce: as safe as the rules for reduce are
  kCallsBcast = 1 << 5,   // runs the communicator's bcast with each rank's own count and type
  kBroken = 1 << 6,       // plain calls crash or give wrong values
  kGappedTypes = 1 << 7,  // types with gaps
  kFailsInPlace = 1 << 8,
};

inline constexpr int kStillThere = 999;

// Open MPI: ids from here on are coll/han's (openmpi_han.def), not coll/tuned's.
inline constexpr int kFirstOfHan = 100;

struct LibraryAlgorithm {
  Library library;
  Collective collective;
  int id;                         // the library's number; MPICH: a row's own
  int since;                      // first version that has it: 41 is 4.1
  std::string_view algorithm;     // our name
  std::string_view library_name;  // the library's; MPICH: in a selection file, "" = in none
  std::uint32_t parameters;       // of AlgorithmParameter
  std::uint32_t needs;            // of AlgorithmNeed
  std::uint32_t hazards;          // of AlgorithmHazard
  int until = kStillThere;        // last version that has it
  std::string_view below = "";    // MPICH: parameters below its name in a selection file
};

constexpr bool is_of_han(const LibraryAlgorithm& row) {
  return row.library == Library::kOpenmpi && row.id >= kFirstOfHan;
}

constexpr bool is_in(const LibraryAlgorithm& row, int version) {
  return row.since <= version && version <= row.until;
}

std::span<const LibraryAlgorithm> openmpi_algorithms();
std::span<const LibraryAlgorithm> mpich_algorithms();
std::span<const LibraryAlgorithm> algorithms_of(Library library);

// Finds it by our name, the library's, and the names in other sources of timings
// ("ompi:linear_synch" is linear_sync); what follows an '@' is ignored. nullptr: the library has no
// such algorithm.
const LibraryAlgorithm* find_algorithm(Library library, Collective collective,
                                       std::string_view algorithm);
const LibraryAlgorithm* find_algorithm(Library library, Collective collective, int id);

// Throws Error where the name said more than MethodParameters can: the library cannot be asked for
// it, though timings can have it.
void check_parameters(const Method& method);

// Parameters and needs of a library's algorithms in words, for people.
struct BitWord {
  std::uint32_t bit;
  std::string_view text;
};

std::span<const BitWord> parameter_words();  // of AlgorithmParameter
std::span<const BitWord> need_words();       // of AlgorithmNeed: "needs " ...

// The words of the bits that are set, with ", " between two.
std::string words_of(std::span<const BitWord> words, std::uint32_t bits);

// The names of parameters in names of methods ("chain@fanout=4") and in --parameters, in that
// order.
struct ParameterKey {
  std::string_view key;
  AlgorithmParameter bit;
  std::uint64_t MethodParameters::*value;
  std::uint64_t most;
};

inline constexpr std::uint64_t kAnyNumber = 1 << 20;  // no communicator has more ranks
inline constexpr ParameterKey kParameterKeys[] = {
    {"fanout", kFanout, &MethodParameters::fanout, kAnyNumber},
    {"radix", kRadix, &MethodParameters::radix, kAnyNumber},
    {"requests", kRequests, &MethodParameters::requests, kAnyNumber},
    // HAN 5.0.7 looks a greater number up behind the end of a table, and crashes.
    {"up_module", kModules, &MethodParameters::up_module, 1},
    {"low_module", kModules, &MethodParameters::low_module, 1}};

// The algorithms of MPICH's nonblocking collectives that its blocking algorithm "nb" can run, with
// the control variables of their parameters: mpich_algorithms.def. They are measured, not emitted:
// a selection file would change the program's own nonblocking collectives with them.
struct NonblockingAlgorithm {
  LibraryAlgorithm algorithm;
  // Control variables after "MPIR_CVAR_", blank between two.
  std::string_view segment;
  std::string_view radix;
  std::string_view requests;
  std::string_view start;  // NAME=VALUE that only counts when a job starts, after "MPIR_CVAR_"
};

std::span<const NonblockingAlgorithm> mpich_nonblocking();

// The algorithm's name in the nonblocking collective's own control variable: "tsp_tree" of
// nb_tsp_tree_knomial_1.
std::string_view variable_name(const NonblockingAlgorithm& algorithm);

// Finds it by our name; what follows an '@' is ignored. nullptr: there is none.
const NonblockingAlgorithm* find_nonblocking(Collective collective, std::string_view algorithm);

// The smallest radix that it survives: a k-ary tree may be a chain, everything else hangs or
// aborts.
std::uint64_t least_radix(const NonblockingAlgorithm& algorithm);

}  // namespace colltree
