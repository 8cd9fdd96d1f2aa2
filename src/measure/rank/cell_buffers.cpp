// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/cell_buffers.h"

#include <cstring>

namespace colltree {

namespace {

constexpr std::size_t kAlignment = 4096;
constexpr std::uint64_t kRoot = 0;

std::size_t aligned(std::uint64_t bytes) {
  return (static_cast<std::size_t>(bytes) / kAlignment + 1) * kAlignment;
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

void fill_integers(std::int32_t* out, std::uint64_t count, std::int32_t rank) {
  for (std::uint64_t i = 0; i < count; ++i) out[i] = rank + ramp(i);
}

bool are_sums(const std::int32_t* got, std::uint64_t count, std::int32_t ranks) {
  const std::int32_t rank_sum = ranks * (ranks - 1) / 2;
  std::int32_t difference = 0;
  for (std::uint64_t i = 0; i < count; ++i) difference |= got[i] ^ (rank_sum + ranks * ramp(i));
  return difference == 0;
}

bool are_xors(const unsigned char* got, std::uint64_t bytes, std::uint64_t ranks) {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    unsigned char expected = 0;
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      expected ^=
          static_cast<unsigned char>(first_byte(rank, 0) + kStep * static_cast<unsigned char>(i));
    }
    if (got[i] != expected) return false;
  }
  return true;
}

std::uint64_t blocks(const Instance& instance) {
  return instance.collective == Collective::kAlltoall ? instance.communicator_size : 1;
}

}  // namespace

CellType cell_type(const Instance& instance) {
  if (instance.collective == Collective::kReduce && instance.message_size % 4 == 0) {
    return {MPI_INT32_T, static_cast<int>(instance.message_size / 4), 4, true};
  }
  const bool reduce = instance.collective == Collective::kReduce;
  return {reduce ? MPI_UNSIGNED_CHAR : MPI_BYTE, static_cast<int>(instance.message_size), 1, false};
}

CellBuffers::CellBuffers(const Instance& instance, int rank, std::size_t slots)
    : instance_(instance),
      rank_(static_cast<std::uint64_t>(rank)),
      slots_(slots),
      send_bytes_(aligned(blocks(instance) * instance.message_size)),
      receive_bytes_(instance.collective == Collective::kBcast ? 0 : send_bytes_),
      send_(new unsigned char[slots_ * send_bytes_]),
      receive_(receive_bytes_ == 0 ? nullptr : new unsigned char[slots_ * receive_bytes_]) {
  for (std::size_t slot = 0; slot < slots_; ++slot) fill(slot);
}

void CellBuffers::fill(std::size_t slot) {
  auto* out = static_cast<unsigned char*>(send(slot));
  const std::uint64_t bytes = instance_.message_size;
  if (cell_type(instance_).sum) {
    fill_integers(reinterpret_cast<std::int32_t*>(out), bytes / 4,
                  static_cast<std::int32_t>(rank_));
  } else {
    for (std::uint64_t to = 0; to < blocks(instance_); ++to, out += bytes)
      fill_bytes(out, bytes, first_byte(rank_, to));
  }
  if (receive_bytes_ != 0) std::memset(receive(slot), 0x5A, receive_bytes_);
}

bool CellBuffers::correct(std::size_t slot) const {
  const std::uint64_t bytes = instance_.message_size;
  if (instance_.collective == Collective::kBcast) {
    return are_bytes(static_cast<const unsigned char*>(send(slot)), bytes, first_byte(kRoot, 0));
  }
  const auto* got = static_cast<const unsigned char*>(receive(slot));
  if (instance_.collective == Collective::kReduce) {
    if (rank_ != kRoot) return true;
    if (!cell_type(instance_).sum) return are_xors(got, bytes, instance_.communicator_size);
    return are_sums(reinterpret_cast<const std::int32_t*>(got), bytes / 4,
                    static_cast<std::int32_t>(instance_.communicator_size));
  }
  for (std::uint64_t from = 0; from < blocks(instance_); ++from, got += bytes) {
    if (!are_bytes(got, bytes, first_byte(from, rank_))) return false;
  }
  return true;
}

}  // namespace colltree
