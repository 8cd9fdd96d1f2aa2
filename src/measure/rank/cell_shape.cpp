// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/cell_shape.h"

#include <array>

namespace colltree {

namespace {

constexpr std::uint64_t kRoot = 0;

enum class Extent : std::uint8_t { kNone, kMessage, kEach, kRootMessage, kRootEach, kPart };

// What a rank sends and receives, in messages of the instance's size.
struct Row {
  Collective collective;
  Extent send;
  Extent receive;
  bool reduction;
};

constexpr Row kRows[] = {
    {Collective::kAllgather, Extent::kMessage, Extent::kEach, false},
    {Collective::kAllgatherv, Extent::kMessage, Extent::kEach, false},
    {Collective::kAllreduce, Extent::kMessage, Extent::kMessage, true},
    {Collective::kAlltoall, Extent::kEach, Extent::kEach, false},
    {Collective::kAlltoallv, Extent::kEach, Extent::kEach, false},
    {Collective::kBarrier, Extent::kNone, Extent::kNone, false},
    {Collective::kBcast, Extent::kMessage, Extent::kNone, false},
    {Collective::kExscan, Extent::kMessage, Extent::kMessage, true},
    {Collective::kGather, Extent::kMessage, Extent::kRootEach, false},
    {Collective::kReduce, Extent::kMessage, Extent::kRootMessage, true},
    {Collective::kReduceScatter, Extent::kMessage, Extent::kPart, true},
    {Collective::kReduceScatterBlock, Extent::kEach, Extent::kMessage, true},
    {Collective::kScan, Extent::kMessage, Extent::kMessage, true},
    {Collective::kScatter, Extent::kRootEach, Extent::kMessage, false},
};

constexpr Row row_of(Collective collective) {
  for (const Row& row : kRows) {
    if (row.collective == collective) return row;
  }
  return {collective, Extent::kNone, Extent::kNone, false};
}

std::uint64_t bytes_of(Extent extent, const Instance& instance, std::uint64_t rank,
                       const CellShape& shape) {
  const std::uint64_t message = instance.message_size;
  switch (extent) {
    case Extent::kNone:
      return 0;
    case Extent::kMessage:
      return message;
    case Extent::kEach:
      return message * instance.communicator_size;
    case Extent::kRootMessage:
      return rank == kRoot ? message : 0;
    case Extent::kRootEach:
      return rank == kRoot ? message * instance.communicator_size : 0;
    case Extent::kPart:
      return static_cast<std::uint64_t>(shape.counts[rank]) * shape.type_size;
  }
  return 0;
}

// Elements of each rank: equal blocks, or as equal as a total allows.
void set_counts(CellShape& shape, const Instance& instance) {
  const auto ranks = static_cast<int>(instance.communicator_size);
  const bool total = message_unit(instance.collective) == MessageUnit::kTotal;
  int begin = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const int part = shape.count / ranks + (rank < shape.count % ranks ? 1 : 0);
    shape.counts.push_back(total ? part : shape.count);
    shape.displacements.push_back(begin);
    begin += shape.counts.back();
  }
}

std::uint64_t contributors(Collective collective, std::uint64_t rank, std::uint64_t ranks) {
  if (collective == Collective::kScan) return rank + 1;
  return collective == Collective::kExscan ? rank : ranks;
}

}  // namespace

CellShape cell_shape(const Instance& instance, int rank, bool integers) {
  const Row row = row_of(instance.collective);
  const auto me = static_cast<std::uint64_t>(rank);
  CellShape shape;
  shape.reduction = row.reduction;
  shape.sum = integers && row.reduction && instance.message_size % 4 == 0;
  if (row.reduction) shape.type = shape.sum ? MPI_INT32_T : MPI_UNSIGNED_CHAR;
  shape.type_size = shape.sum ? 4 : 1;
  shape.count = static_cast<int>(instance.message_size / shape.type_size);
  set_counts(shape, instance);
  shape.send_bytes = bytes_of(row.send, instance, me, shape);
  shape.receive_bytes = bytes_of(row.receive, instance, me, shape);
  shape.contributors = contributors(instance.collective, me, instance.communicator_size);
  if (instance.collective == Collective::kReduceScatter)
    shape.result_offset = static_cast<std::uint64_t>(shape.displacements[me]);
  if (instance.collective == Collective::kReduceScatterBlock)
    shape.result_offset = me * static_cast<std::uint64_t>(shape.count);
  return shape;
}

}  // namespace colltree
