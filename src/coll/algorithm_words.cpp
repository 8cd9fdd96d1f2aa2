// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithm_words.h"

#include "coll/library_algorithms.h"

namespace colltree {

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
    {kEqualNodes, "equally many ranks on each node"}};

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

}  // namespace colltree
