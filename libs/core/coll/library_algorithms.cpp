// SPDX-License-Identifier: BSD-3-Clause
#include "coll/library_algorithms.h"

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "base/text.h"

namespace colltree {

namespace {

constexpr LibraryAlgorithm kOpenmpiAlgorithms[] = {
#define COLLTREE_OPENMPI_ALGORITHM(collective, id, since, algorithm, name, parameters, needs, \
                                   hazards, ...)                                              \
  {Library::kOpenmpi,                                                                         \
   collective_of::collective,                                                                 \
   id,                                                                                        \
   since,                                                                                     \
   algorithm,                                                                                 \
   name,                                                                                      \
   parameters,                                                                                \
   needs,                                                                                     \
   hazards},
#define COLLTREE_OPENMPI_UNSEEN COLLTREE_OPENMPI_ALGORITHM
#include "coll/openmpi_algorithms.def"
#undef COLLTREE_OPENMPI_ALGORITHM
#undef COLLTREE_OPENMPI_UNSEEN
#define COLLTREE_HAN_ALGORITHM(collective, number, algorithm, parameters, ...) \
  {Library::kOpenmpi,                                                          \
   collective_of::collective,                                                  \
   kFirstOfHan + (number),                                                     \
   50,                                                                         \
   algorithm,                                                                  \
   algorithm,                                                                  \
   parameters,                                                                 \
   0,                                                                          \
   0},
#define COLLTREE_HAN_UNSEEN COLLTREE_HAN_ALGORITHM
#include "coll/openmpi_han.def"
#undef COLLTREE_HAN_ALGORITHM
#undef COLLTREE_HAN_UNSEEN
};

struct MpichHazard {
  Collective collective;
  std::string_view algorithm;
  std::uint32_t hazards;
};
constexpr MpichHazard kMpichHazards[] = {
#define COLLTREE_MPICH_HAZARD(collective, algorithm, hazards) \
  {collective_of::collective, algorithm, hazards},
#include "coll/mpich_hazards.def"
#undef COLLTREE_MPICH_HAZARD
};

constexpr std::uint32_t mpich_hazards(Collective collective, std::string_view algorithm) {
  for (const MpichHazard& hazard : kMpichHazards) {
    if (hazard.collective == collective && hazard.algorithm == algorithm) return hazard.hazards;
  }
  return 0;
}

constexpr std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}
constexpr std::string_view after_first_word(std::string_view text) {
  return text.substr(std::min(text.size(), first_word(text).size() + 1));
}

constexpr LibraryAlgorithm kMpichAlgorithms[] = {
#define COLLTREE_MPICH_ALGORITHM(collective, id, since, until, algorithm, json, parameters, needs) \
  {Library::kMpich,                                                                                \
   collective_of::collective,                                                                      \
   id,                                                                                             \
   since,                                                                                          \
   algorithm,                                                                                      \
   first_word(json),                                                                               \
   parameters,                                                                                     \
   needs,                                                                                          \
   mpich_hazards(collective_of::collective, algorithm),                                            \
   until,                                                                                          \
   after_first_word(json)},
#define COLLTREE_MPICH_NONBLOCKING(...)
#include "coll/mpich_algorithms.def"
#undef COLLTREE_MPICH_ALGORITHM
#undef COLLTREE_MPICH_NONBLOCKING
};

struct NamedPreset {
  Collective collective;
  int number;
  std::string_view algorithm;
  std::uint32_t needs;
  std::uint32_t hazards;
};
constexpr NamedPreset kNamedPresets[] = {
#define COLLTREE_INTEL_PRESETS(collective, last)
#define COLLTREE_INTEL_ALGORITHM(collective, number, algorithm, needs, hazards) \
  {collective_of::collective, number, algorithm, needs, hazards},
#include "coll/intel_algorithms.def"
#undef COLLTREE_INTEL_ALGORITHM
#undef COLLTREE_INTEL_PRESETS
};

// Every preset; the texts that its rows name.
class IntelPresets {
 public:
  IntelPresets() {
#define COLLTREE_INTEL_PRESETS(collective, last) add(collective_of::collective, last);
#define COLLTREE_INTEL_ALGORITHM(collective, number, algorithm, needs, hazards)
#include "coll/intel_algorithms.def"
#undef COLLTREE_INTEL_ALGORITHM
#undef COLLTREE_INTEL_PRESETS
  }
  std::span<const LibraryAlgorithm> rows() const { return rows_; }

 private:
  void add(Collective collective, int last) {
    for (int number = 1; number <= last; ++number) {
      NamedPreset row{collective, number, "", 0, 0};
      for (const NamedPreset& preset : kNamedPresets) {
        if (preset.collective == collective && preset.number == number) row = preset;
      }
      const std::string& text = texts_.emplace_back(std::to_string(number));
      if (row.algorithm.empty()) row.algorithm = texts_.emplace_back("preset_" + text);
      rows_.push_back({Library::kIntel, collective, number,
                       library_info(Library::kIntel).first_version, row.algorithm, text, 0,
                       row.needs, row.hazards});
    }
  }

  std::deque<std::string> texts_;  // they stay where they are
  std::vector<LibraryAlgorithm> rows_;
};

// Further names of an algorithm in sources and other libraries, beside ours and the library's. A
// source that says "linear" where Open MPI says "basic_linear" means the same.
struct OtherName {
  Library library;
  std::string_view alias;
  std::string_view name;
};
constexpr OtherName kOtherNames[] = {
    {Library::kOpenmpi, "linear", "basic_linear"},
    {Library::kOpenmpi, "basic_linear", "linear"},
    {Library::kOpenmpi, "linear_synch", "linear_sync"},
    {Library::kOpenmpi, "in_order", "in_order_binary"},
    {Library::kOpenmpi, "non_overlapping", "nonoverlapping"},
    {Library::kOpenmpi, "neighbor_exchange", "neighbor"},
    {Library::kOpenmpi, "default", "basic_default"},
    {Library::kIntel, "brucks", "bruck"},
    {Library::kIntel, "modified_bruck", "bruck"},
    {Library::kIntel, "bruck", "dissemination"},
    {Library::kIntel, "basic_linear", "linear"},
    {Library::kIntel, "scattered", "linear"},
    {Library::kIntel, "ring", "pairwise"},
    {Library::kIntel, "segmented_ring", "ring"},
    {Library::kIntel, "reduce_scatter_allgather", "rabenseifner"},
    {Library::kIntel, "reduce_scatter_gather", "rabenseifner"},
    {Library::kIntel, "scatter_recursive_doubling_allgather", "scatter_allgather"},
    {Library::kIntel, "scatter_ring_allgather", "scatter_allgather_ring"},
};

std::string plain(std::string_view algorithm) {
  std::string text = lower(algorithm);
  std::ranges::replace(text, '-', '_');
  return text;
}

const LibraryAlgorithm* find_plain(Library library, Collective collective,
                                   std::string_view wanted) {
  for (const LibraryAlgorithm& row : algorithms_of(library)) {
    if (row.collective != collective) continue;
    if (row.algorithm == wanted || plain(row.library_name) == wanted) return &row;
  }
  return nullptr;
}

}  // namespace

std::span<const LibraryAlgorithm> openmpi_algorithms() { return kOpenmpiAlgorithms; }
std::span<const LibraryAlgorithm> mpich_algorithms() { return kMpichAlgorithms; }

std::span<const LibraryAlgorithm> algorithms_of(Library library) {
  switch (library) {
    case Library::kOpenmpi:
      return openmpi_algorithms();
    case Library::kMpich:
      return mpich_algorithms();
    case Library::kIntel:
      break;
  }
  static const IntelPresets presets;
  return presets.rows();
}

const LibraryAlgorithm* find_algorithm(Library library, Collective collective,
                                       std::string_view algorithm) {
  // The word "default" alone is the library's own choice in profiles, never an algorithm.
  if (algorithm == kDefaultAlgorithm) return nullptr;
  const std::string_view bare = without_source(algorithm);
  const std::string wanted = plain(bare.substr(0, bare.find('@')));
  if (const LibraryAlgorithm* found = find_plain(library, collective, wanted)) return found;
  for (const OtherName& other_name : kOtherNames) {
    if (other_name.library != library || other_name.alias != wanted) continue;
    if (const LibraryAlgorithm* found = find_plain(library, collective, other_name.name))
      return found;
  }
  return nullptr;
}

const LibraryAlgorithm* find_algorithm(Library library, Collective collective, int id) {
  for (const LibraryAlgorithm& row : algorithms_of(library)) {
    if (row.collective == collective && row.id == id) return &row;
  }
  return nullptr;
}

namespace {

std::string keys(std::string_view between) {
  std::string keys;
  for (const ParameterKey& key : kParameterKeys)
    keys += concat(keys.empty() ? "" : between, "@", key.key, "=N");
  return keys;
}

}  // namespace

void check_parameters(const Method& method) {
  if (without_source(method.algorithm).find('@') == std::string_view::npos) return;
  if (const auto unknown = read_method_name(method.algorithm).unknown) {
    throw Error(concat("method '", method.algorithm, "': '@", *unknown,
                       "' is no parameter; known are ", keys(", ")));
  }
  throw Error(concat("method '", method.algorithm,
                     "': write its parameters once each and in this order: ", keys("")));
}

namespace {

constexpr BitWord kParameters[] = {{kSegmentSize, "segments"},
                                   {kFanout, "fanout"},
                                   {kRadix, "radix"},
                                   {kRequests, "requests"},
                                   {kModules, "modules"}};

constexpr BitWord kNeeds[] = {
    {kPowerOfTwo, "a power of two of ranks"},
    {kEvenRanks, "an even number of ranks"},
    {kTwoRanks, "two ranks"},
    {kCountAtLeastRanks, "as many elements as ranks"},
    {kCountAtLeastPowerOfTwo, "as many elements as ranks, rounded down to a power of two"},
    {kCommutative, "a commutative operation"},
    {kBuiltInOperation, "a built-in operation"},
    {kInPlace, "MPI_IN_PLACE"},
    {kNotInPlace, "no MPI_IN_PLACE"},
    {kRegularBlocks, "equal blocks"},
    {kHierarchy, "several nodes with several ranks on one"},
    {kConsecutiveNodes, "ranks of a node in a row"},
    {kBytesAtLeastRanks, "as many bytes as ranks"},
    {kSmallSegments, "segments"},
    {kOneNode, "one node whose ranks can share memory"},
    {kDirectCopy, "processes that may read each other's memory"},
    {kNodeMemory, "ranks of a node that can share memory"}};

}  // namespace

std::span<const BitWord> parameter_words() { return kParameters; }
std::span<const BitWord> need_words() { return kNeeds; }

std::string words_of(std::span<const BitWord> words, std::uint32_t bits) {
  std::string text;
  for (const BitWord& word : words) {
    if ((bits & word.bit) == 0) continue;
    if (!text.empty()) text += ", ";
    text += word.text;
  }
  return text;
}

namespace {

constexpr std::uint32_t parameters(std::string_view segment, std::string_view radix,
                                   std::string_view requests) {
  return (segment.empty() ? 0U : kSegmentSize) | (radix.empty() ? 0U : kRadix) |
         (requests.empty() ? 0U : kRequests);
}

constexpr NonblockingAlgorithm kRows[] = {
#define COLLTREE_MPICH_NONBLOCKING(collective, since, algorithm, needs, segment, radix, requests, \
                                   start)                                                         \
  {{Library::kMpich, collective_of::collective, 0, since, algorithm, algorithm,                   \
    parameters(segment, radix, requests), needs, 0},                                              \
   segment,                                                                                       \
   radix,                                                                                         \
   requests,                                                                                      \
   start},
#define COLLTREE_MPICH_ALGORITHM(...)
#include "coll/mpich_algorithms.def"
#undef COLLTREE_MPICH_ALGORITHM
#undef COLLTREE_MPICH_NONBLOCKING
};

}  // namespace

std::span<const NonblockingAlgorithm> mpich_nonblocking() { return kRows; }

std::string_view variable_name(const NonblockingAlgorithm& algorithm) {
  constexpr std::string_view kPrefix = "nb_";
  std::string_view name = algorithm.algorithm.algorithm;
  name.remove_prefix(kPrefix.size());
  // A tree of another type is the same algorithm.
  const std::string_view type = algorithm.start.substr(algorithm.start.find('=') + 1);
  if (!type.empty()) name.remove_suffix(type.size() + 1);
  return name;
}

const NonblockingAlgorithm* find_nonblocking(Collective collective, std::string_view algorithm) {
  const std::string_view bare = algorithm.substr(0, algorithm.find('@'));
  const auto* found = std::ranges::find_if(kRows, [&](const NonblockingAlgorithm& row) {
    return row.algorithm.collective == collective && row.algorithm.algorithm == bare;
  });
  return found == std::end(kRows) ? nullptr : found;
}

std::uint64_t least_radix(const NonblockingAlgorithm& algorithm) {
  return algorithm.segment.empty() || !algorithm.start.empty() ? 2 : 1;
}

}  // namespace colltree
