// SPDX-License-Identifier: BSD-3-Clause
#include "rank/cell_buffers.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "coll/catalogue.h"

namespace colltree::rank {

namespace {

// Elements of each rank: equal blocks, or as equal as a total allows.
void set_counts(algorithms::CallSide& side, const Instance& instance) {
  const auto ranks = static_cast<int>(instance.communicator_size);
  const bool total = message_unit(instance.collective) == MessageUnit::kTotal;
  int begin = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const int part = side.count / ranks + (rank < side.count % ranks ? 1 : 0);
    side.counts.push_back(total ? part : side.count);
    side.places.push_back(begin);
    begin += side.counts.back();
  }
}

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

// Bytes and 32-bit integers that differ between ranks, destinations and positions. Every repetition
// in the simulator fills and checks: loops are written so that the compiler turns them into
// vectors.
constexpr unsigned char kStep = 31;

unsigned char first_byte(int from, int to) {
  return static_cast<unsigned char>(from * 7 + to * 13 + 5);
}

std::int32_t ramp(std::uint64_t index) { return static_cast<std::int32_t>(index & 1023); }

bool are_bytes(const unsigned char* got, std::uint64_t bytes, unsigned char first) {
  unsigned char difference = 0;
  for (std::uint64_t i = 0; i < bytes; ++i) {
    difference |= static_cast<unsigned char>(
        got[i] ^ static_cast<unsigned char>(first + kStep * static_cast<unsigned char>(i)));
  }
  return difference == 0;
}

// In a reduction element i of rank r is r + ramp(i), or the byte first_byte(r, 0) + kStep * i.
bool are_sums(const std::int32_t* got, std::uint64_t count, std::uint64_t offset,
              std::int32_t ranks) {
  const std::int32_t rank_sum = ranks * (ranks - 1) / 2;
  std::int32_t difference = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    difference |= got[i] ^ (rank_sum + ranks * ramp(offset + i));
  return difference == 0;
}

bool are_xors(const unsigned char* got, std::uint64_t bytes, std::uint64_t offset, int ranks) {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    unsigned char expected = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      expected ^= static_cast<unsigned char>(first_byte(rank, 0) +
                                             kStep * static_cast<unsigned char>(offset + i));
    }
    if (got[i] != expected) return false;
  }
  return true;
}

}  // namespace

CellShape cell_shape(const Instance& instance, int rank, bool integers) {
  const Collective collective = instance.collective;
  CellShape shape;
  shape.sum = integers && adds_up(collective) && instance.message_size % 4 == 0;
  shape.type_size = shape.sum ? 4 : 1;
  shape.count = static_cast<int>(instance.message_size / shape.type_size);
  algorithms::CallSide side{.type = MPI_BYTE, .count = shape.count};
  if (adds_up(collective)) side.type = shape.sum ? MPI_INT32_T : MPI_UNSIGNED_CHAR;
  algorithms::CallSide with_counts = side;
  set_counts(with_counts, instance);
  const auto is_one_of = [&](std::initializer_list<Collective> those) {
    return std::ranges::count(those, collective) > 0;
  };
  using enum Collective;
  shape.layout = {
      .collective = collective, .rank = rank, .size = static_cast<int>(instance.communicator_size)};
  shape.layout.receive =
      is_one_of({kAllgatherv, kAlltoallv, kGatherv, kReduceScatter}) ? with_counts : side;
  if (!adds_up(collective) && collective != kBcast)
    shape.layout.send = is_one_of({kAlltoallv, kScatterv}) ? with_counts : side;
  return shape;
}

std::uint64_t payload_bytes(const Instance& instance) {
  const auto bytes_of = [&](int rank) {
    const algorithms::CallContents contents =
        algorithms::contents_of(cell_shape(instance, rank, false).layout);
    return static_cast<std::uint64_t>(contents.send_elements) +
           static_cast<std::uint64_t>(contents.receive_elements);
  };
  const std::uint64_t others = instance.communicator_size - 1;
  return bytes_of(0) + others * (others == 0 ? 0 : bytes_of(1));
}

CellBuffers::CellBuffers(const CellShape& shape, std::size_t slots, Payload payload)
    : payload_(payload),
      shape_(shape),
      contents_(algorithms::contents_of(shape.layout)),
      slots_(slots) {
  send_stride_ = aligned(static_cast<std::size_t>(contents_.send_elements) * shape.type_size);
  // SMPI refuses null, also of a rank whose part of a reduction is empty and of an empty bcast.
  const Collective collective = shape.layout.collective;
  if (contents_.receive_elements != 0 || adds_up(collective) || collective == Collective::kBcast)
    receive_stride_ =
        aligned(static_cast<std::size_t>(contents_.receive_elements) * shape.type_size);
  send_ = memory_for(payload, shared_send, slots_ * send_stride_);
  receive_ = memory_for(payload, shared_receive, slots_ * receive_stride_);
  for (std::size_t slot = 0; slot < slots_; ++slot) fill(slot);
}

void CellBuffers::fill(std::size_t slot) {
  if (payload_ == Payload::kShared) return;
  if (receive_stride_ != 0) std::memset(receive(slot), 0x5A, receive_stride_);
  for (const algorithms::Block& block : contents_.send) put(send(slot), block);
  for (const algorithms::Block& block : contents_.initial) put(receive(slot), block);
}

bool CellBuffers::correct(std::size_t slot) const {
  if (payload_ == Payload::kShared) return true;
  return std::ranges::all_of(contents_.result, [&](const algorithms::Block& block) {
    return holds(receive(slot), block);
  });
}

void CellBuffers::put(void* memory, const algorithms::Block& block) const {
  const auto place = static_cast<std::size_t>(block.place);
  const auto count = static_cast<std::uint64_t>(block.count);
  if (shape_.sum) {
    auto* out = static_cast<std::int32_t*>(memory) + place;
    const std::int32_t rank = block.from;
    for (std::uint64_t i = 0; i < count; ++i) out[i] = rank + ramp(i);
    return;
  }
  auto* out = static_cast<unsigned char*>(memory) + place;
  const unsigned char first = first_byte(block.from, block.to);
  for (std::uint64_t i = 0; i < count; ++i)
    out[i] = static_cast<unsigned char>(first + kStep * static_cast<unsigned char>(i));
}

bool CellBuffers::holds(const void* memory, const algorithms::Block& block) const {
  const auto place = static_cast<std::size_t>(block.place);
  const auto count = static_cast<std::uint64_t>(block.count);
  const auto first = static_cast<std::uint64_t>(block.first);
  if (shape_.sum)
    return are_sums(static_cast<const std::int32_t*>(memory) + place, count, first, block.ranks);
  const auto* got = static_cast<const unsigned char*>(memory) + place;
  if (adds_up(shape_.layout.collective)) return are_xors(got, count, first, block.ranks);
  return are_bytes(got, count, first_byte(block.from, block.to));
}

}  // namespace colltree::rank
