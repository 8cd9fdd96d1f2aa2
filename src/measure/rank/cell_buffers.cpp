// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/cell_buffers.h"

#include <array>
#include <cstring>

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

namespace {

std::uint64_t bytes_of_all(Extent extent, const Instance& instance) {
  const std::uint64_t ranks = instance.communicator_size;
  switch (extent) {
    case Extent::kNone:
      return 0;
    case Extent::kEach:
      return instance.message_size * ranks * ranks;
    case Extent::kRootMessage:
    case Extent::kPart:
      return instance.message_size;
    case Extent::kMessage:
    case Extent::kRootEach:
      return instance.message_size * ranks;
  }
  return 0;
}

}  // namespace

std::uint64_t payload_bytes(const Instance& instance) {
  const Row row = row_of(instance.collective);
  return bytes_of_all(row.send, instance) + bytes_of_all(row.receive, instance);
}

namespace {

constexpr std::size_t kAlignment = 4096;

using Memory = std::shared_ptr<unsigned char[]>;

// Memory that lives as long as any rank has it.
struct SharedMemory {
  std::weak_ptr<unsigned char[]> memory;
  std::size_t bytes = 0;

  Memory get(std::size_t wanted) {
    Memory found = memory.lock();
    if (found && wanted <= bytes) return found;
    found.reset(new unsigned char[wanted]);
    memory = found;
    bytes = wanted;
    return found;
  }
};

Memory memory_for(Payload payload, SharedMemory& shared, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return payload == Payload::kShared ? shared.get(bytes) : Memory(new unsigned char[bytes]);
}

// The simulator runs one rank at a time: no lock.
SharedMemory shared_send;
SharedMemory shared_receive;

std::size_t aligned(std::uint64_t bytes) {
  return (static_cast<std::size_t>(bytes) / kAlignment + 1) * kAlignment;
}

// A rank whose part of a reduction is empty needs a receive buffer all the same: SMPI refuses null.
std::size_t receive_stride(const CellShape& shape) {
  return shape.receive_bytes == 0 && !shape.reduction ? 0 : aligned(shape.receive_bytes);
}

// Bytes and 32-bit integers that differ between ranks, destinations and positions. Every repetition
// in the simulator fills and checks: loops are written so that the compiler turns them into
// vectors.
constexpr unsigned char kStep = 31;

unsigned char first_byte(std::uint64_t from, std::uint64_t to) {
  return static_cast<unsigned char>(from * 7 + to * 13 + 5);
}

std::int32_t ramp(std::uint64_t index) { return static_cast<std::int32_t>(index & 1023); }

void fill_bytes(unsigned char* out, std::uint64_t bytes, unsigned char first) {
  for (std::uint64_t i = 0; i < bytes; ++i)
    out[i] = static_cast<unsigned char>(first + kStep * static_cast<unsigned char>(i));
}

bool are_bytes(const unsigned char* got, std::uint64_t bytes, unsigned char first) {
  unsigned char difference = 0;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    difference |= static_cast<unsigned char>(
        got[i] ^ static_cast<unsigned char>(first + kStep * static_cast<unsigned char>(i)));
  }
  return difference == 0;
}

// Element i of rank r is r + ramp(i), or the byte first_byte(r, 0) + kStep * i.
void fill_integers(std::int32_t* out, std::uint64_t count, std::int32_t rank) {
  for (std::uint64_t i = 0; i < count; ++i) out[i] = rank + ramp(i);
}

bool are_sums(const std::int32_t* got, std::uint64_t count, std::uint64_t offset,
              std::int32_t ranks) {
  const std::int32_t rank_sum = ranks * (ranks - 1) / 2;
  std::int32_t difference = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    difference |= got[i] ^ (rank_sum + ranks * ramp(offset + i));
  return difference == 0;
}

bool are_xors(const unsigned char* got, std::uint64_t bytes, std::uint64_t offset,
              std::uint64_t ranks) {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    unsigned char expected = 0;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      expected ^= static_cast<unsigned char>(first_byte(rank, 0) +
                                             kStep * static_cast<unsigned char>(offset + i));
    }
    if (got[i] != expected) return false;
  }
  return true;
}

}  // namespace

CellBuffers::CellBuffers(const Instance& instance, int rank, const CellShape& shape,
                         std::size_t slots, Payload payload)
    : instance_(instance),
      rank_(static_cast<std::uint64_t>(rank)),
      payload_(payload),
      shape_(shape),
      slots_(slots),
      send_stride_(aligned(shape_.send_bytes)),
      receive_stride_(receive_stride(shape_)),
      send_(memory_for(payload, shared_send, slots_ * send_stride_)),
      receive_(memory_for(payload, shared_receive, slots_ * receive_stride_)) {
  for (std::size_t slot = 0; slot < slots_; ++slot) fill(slot);
}

void CellBuffers::fill(std::size_t slot) {
  if (payload_ == Payload::kShared) return;
  auto* out = static_cast<unsigned char*>(send(slot));
  if (shape_.sum) {
    fill_integers(reinterpret_cast<std::int32_t*>(out), shape_.send_bytes / 4,
                  static_cast<std::int32_t>(rank_));
  } else if (shape_.reduction) {
    fill_bytes(out, shape_.send_bytes, first_byte(rank_, 0));
  } else if (instance_.message_size > 0) {
    const std::uint64_t blocks = shape_.send_bytes / instance_.message_size;
    for (std::uint64_t to = 0; to < blocks; ++to, out += instance_.message_size)
      fill_bytes(out, instance_.message_size, first_byte(rank_, to));
  }
  if (receive_stride_ != 0) std::memset(receive(slot), 0x5A, receive_stride_);
}

bool CellBuffers::correct(std::size_t slot) const {
  if (payload_ == Payload::kShared) return true;
  const std::uint64_t bytes = instance_.message_size;
  if (instance_.collective == Collective::kBcast)
    return are_bytes(static_cast<const unsigned char*>(send(slot)), bytes, first_byte(kRoot, 0));
  if (bytes == 0 || receive_stride_ == 0) return true;
  const auto* got = static_cast<const unsigned char*>(receive(slot));
  return shape_.reduction ? reduced(got) : moved(got);
}

bool CellBuffers::reduced(const unsigned char* got) const {
  if (shape_.contributors == 0) return true;  // exscan leaves rank 0's result undefined
  const std::uint64_t elements = shape_.receive_bytes / shape_.type_size;
  if (!shape_.sum) return are_xors(got, elements, shape_.result_offset, shape_.contributors);
  return are_sums(reinterpret_cast<const std::int32_t*>(got), elements, shape_.result_offset,
                  static_cast<std::int32_t>(shape_.contributors));
}

// Block `from` of what was received: what rank `from` sent here, or the root did.
bool CellBuffers::moved(const unsigned char* got) const {
  const std::uint64_t bytes = instance_.message_size;
  const bool addressed = instance_.collective == Collective::kAlltoall ||
                         instance_.collective == Collective::kAlltoallv ||
                         instance_.collective == Collective::kScatter;
  for (std::uint64_t from = 0; from < shape_.receive_bytes / bytes; ++from, got += bytes) {
    if (!are_bytes(got, bytes, first_byte(from, addressed ? rank_ : 0))) return false;
  }
  return true;
}

}  // namespace colltree
