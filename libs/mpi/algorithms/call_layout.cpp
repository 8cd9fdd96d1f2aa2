// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/call_layout.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace colltree::algorithms {

namespace {

enum class Extent : std::uint8_t { kNone, kOne, kEach, kRootEach };

// The blocks of a rank in calls that combine nothing.
struct Row {
  CallShape shape;
  Extent send;  // several: one for each rank
  Extent receive;
};

constexpr Row kMoving[] = {
    {CallShape::kFromRoot, Extent::kNone, Extent::kOne},
    {CallShape::kBlocks, Extent::kOne, Extent::kEach},
    {CallShape::kBlocksV, Extent::kOne, Extent::kEach},
    {CallShape::kPairs, Extent::kEach, Extent::kEach},
    {CallShape::kPairsV, Extent::kEach, Extent::kEach},
    {CallShape::kGather, Extent::kOne, Extent::kRootEach},
    {CallShape::kGatherV, Extent::kOne, Extent::kRootEach},
    {CallShape::kScatter, Extent::kRootEach, Extent::kOne},
    {CallShape::kScatterV, Extent::kRootEach, Extent::kOne},
};

// None: a reduction, or barrier.
const Row* row_of(Collective collective) {
  const auto* found = std::ranges::find(kMoving, call_shape(collective), &Row::shape);
  return found == std::end(kMoving) ? nullptr : found;
}

const int* list_of(const std::vector<int>& list) { return list.empty() ? nullptr : list.data(); }

std::vector<Block> blocks_of(const CallSide& side, Extent extent, const CallLayout& layout) {
  if (extent == Extent::kNone || (extent == Extent::kRootEach && layout.rank != layout.root))
    return {};
  if (extent == Extent::kOne) return {{.count = side.count}};
  std::vector<Block> blocks(static_cast<std::size_t>(layout.size));
  for (int i = 0; i < layout.size; ++i) {
    const auto block = static_cast<std::size_t>(i);
    const bool equal = side.counts.empty();
    blocks[block].count = equal ? side.count : side.counts[block];
    blocks[block].place = equal ? std::int64_t{i} * side.count : side.places[block];
  }
  return blocks;
}

std::int64_t elements_of(const std::vector<Block>& blocks) {
  std::int64_t elements = 0;
  for (const Block& block : blocks) elements = std::max(elements, block.place + block.count);
  return elements;
}

CallContents moved(const Row& row, const CallLayout& layout) {
  CallContents contents{
      blocks_of(layout.send, row.send, layout), {}, blocks_of(layout.receive, row.receive, layout)};
  const bool addressed = row.send == Extent::kEach || row.send == Extent::kRootEach;
  int peer = 0;
  for (Block& block : contents.send) {
    block.from = layout.rank;
    block.to = addressed ? peer++ : 0;
  }
  peer = 0;
  for (Block& block : contents.result) {
    block.from = row.receive == Extent::kOne ? layout.root : peer++;
    block.to = addressed ? layout.rank : 0;
  }
  if (layout.in_place && row.send == Extent::kRootEach) contents.result.clear();
  // The receive buffer already holds the rank's own blocks, in alltoall a block for each rank.
  const bool has_input = layout.in_place || row.send == Extent::kNone;
  for (Block block : has_input ? contents.result : std::vector<Block>()) {
    if (row.send == Extent::kEach) std::swap(block.from, block.to);
    if (block.from == layout.rank) contents.initial.push_back(block);
  }
  return contents;
}

CallContents combined(const CallLayout& layout) {
  const CallSide& side = layout.receive;
  const CallShape shape = call_shape(layout.collective);
  const bool blocks = shape == CallShape::kParts;
  const std::int64_t count = side.count;
  Block contribution{.from = layout.rank, .count = count * (blocks ? layout.size : 1)};
  Block result{.ranks = layout.size, .count = count};
  if (blocks) result.first = layout.rank * count;
  if (shape == CallShape::kReductionV) {
    const auto mine = side.counts.begin() + layout.rank;
    contribution.count =
        std::accumulate(side.counts.begin(), side.counts.begin() + layout.size, std::int64_t{0});
    result.first = std::accumulate(side.counts.begin(), mine, std::int64_t{0});
    result.count = *mine;
  }
  if (shape == CallShape::kPrefix) result.ranks = layout.rank + 1;
  if (shape == CallShape::kPrefixBefore) result.ranks = layout.rank;
  const bool elsewhere = shape == CallShape::kToRoot && layout.rank != layout.root;
  CallContents contents{{contribution}, {}, {}};
  if (layout.in_place) contents.initial = {contribution};
  if (!elsewhere && result.ranks > 0) contents.result = {result};
  // The buffer is there also where no rank is below, and what it gets is undefined.
  contents.receive_elements = elsewhere ? 0 : result.count;
  return contents;
}

}  // namespace

CallContents contents_of(const CallLayout& layout) {
  if (call_shape(layout.collective) == CallShape::kNothing) return {};
  const Row* row = row_of(layout.collective);
  CallContents contents = row != nullptr ? moved(*row, layout) : combined(layout);
  contents.send_elements = elements_of(contents.send);
  contents.receive_elements = std::max(
      {contents.receive_elements, elements_of(contents.initial), elements_of(contents.result)});
  return contents;
}

CollectiveCall make_call(const CallLayout& layout, const void* send, void* receive, MPI_Op op) {
  CollectiveCall call{.collective = layout.collective};
  if (call_shape(call.collective) == CallShape::kNothing) return call;
  const Row* row = row_of(call.collective);
  const bool receives_in_place = row != nullptr && row->send == Extent::kRootEach;
  if (row == nullptr || row->send != Extent::kNone)
    call.send = layout.in_place && !receives_in_place ? MPI_IN_PLACE : send;
  call.send_count = layout.send.count;
  call.send_type = layout.send.type;
  call.send_counts = list_of(layout.send.counts);
  call.send_displacements = list_of(layout.send.places);
  call.receive = layout.in_place && receives_in_place ? MPI_IN_PLACE : receive;
  call.receive_count = layout.receive.count;
  call.receive_type = layout.receive.type;
  call.receive_counts = list_of(layout.receive.counts);
  call.receive_displacements = list_of(layout.receive.places);
  if (row == nullptr) call.op = op;
  call.root = layout.root;
  return call;
}

}  // namespace colltree::algorithms
