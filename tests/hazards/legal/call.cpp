// SPDX-License-Identifier: BSD-3-Clause
#include "call.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace legal {

namespace {

constexpr std::size_t kCounters = 1 << 20;
std::atomic<int>* counters = nullptr;

}  // namespace

const std::vector<CollectiveCase>& collective_cases() {
  constexpr unsigned kTypes =
      kCounts | kDerived | kStructs | kEmptyTypes | kZero | kCommunicators | kLarge;
  constexpr unsigned kOperations =
      kOwnOperation | kGappedOperation | kInPlace | kZero | kCommunicators | kLarge;
  static const std::vector<CollectiveCase> kCases = {
      {"allgather", run_allgather, kTypes | kInPlace},
      {"allgatherv", run_allgatherv, kTypes | kInPlace},
      {"allreduce", run_allreduce, kOperations},
      {"alltoall", run_alltoall, kTypes | kInPlace},
      {"alltoallv", run_alltoallv, kTypes | kInPlace},
      {"barrier", run_barrier, kCommunicators},
      {"bcast", run_bcast, kTypes},
      {"exscan", run_exscan, kOperations},
      {"gather", run_gather, kTypes | kInPlace | kIgnored},
      {"gatherv", run_gatherv, kTypes | kInPlace | kIgnored},
      {"reduce", run_reduce, kOperations | kIgnored},
      {"reduce_scatter", run_reduce_scatter, kOperations},
      {"reduce_scatter_block", run_reduce_scatter_block, kOperations},
      {"scan", run_scan, kOperations},
      {"scatter", run_scatter, kTypes | kInPlace | kIgnored},
      {"scatterv", run_scatterv, kTypes | kInPlace | kIgnored},
  };
  return kCases;
}

Ignored ignored(Call& call) {
  static int dummy[64] = {1, 2, 3, 4};
  static const std::vector<int> kSome = {0, 1, 3, 64, 1000, 100000};
  const std::vector<MPI_Datatype> types = {MPI_DATATYPE_NULL, MPI_BYTE, MPI_INT, MPI_DOUBLE,
                                           MPI_2INT};
  return {call.own.one_in(2) ? nullptr : dummy, call.own.of(kSome), call.own.of(types),
          call.own.one_in(2) ? nullptr : dummy};
}

int random_count(Call& call, int most) {
  static const std::vector<int> kUnits = {1, 2, 6, 12, 24};
  if (call.may(kZero) && call.shared.one_in(3)) return 0;
  const int unit = call.shared.of(kUnits);
  // Small and large ones alike.
  int times = call.shared.between(1, 5);
  while (call.may(kLarge) && unit * times * 4 <= most && !call.shared.one_in(5)) {
    times = times * 4 + call.shared.below(3);
  }
  return std::max(1, std::min(unit * times, most));
}

std::vector<int> random_counts(Call& call, int blocks, int most) {
  const int usual = random_count(call, most);
  std::vector<int> counts(static_cast<std::size_t>(blocks), usual);
  if (call.shared.one_in(3)) return counts;
  for (int& count : counts) {
    if (call.may(kZero) && call.shared.one_in(3)) count = 0;
    if (call.shared.one_in(2)) count = count / 2 / 6 * 6;
  }
  if (call.may(kZero)) return counts;
  for (int& count : counts) count = std::max(count, std::min(usual, 1));
  return counts;
}

Bytes data_of(std::uint64_t key, int from, int to, std::size_t bytes) {
  Random random(key + static_cast<std::uint64_t>(from) * 1000003 +
                static_cast<std::uint64_t>(to) * 7919);
  Bytes data(bytes);
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (i % 8 == 0) word = random.next();
    data[i] = static_cast<std::uint8_t>(word >> (8 * (i % 8)));
  }
  return data;
}

void open_counters(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT, 0600);
  if (file < 0 || ftruncate(file, kCounters * sizeof(int)) != 0) return;
  void* memory =
      mmap(nullptr, kCounters * sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) counters = static_cast<std::atomic<int>*>(memory);
}

bool run_barrier(Call& call) {
  const std::size_t slot = call.shared.next() % kCounters;
  if (call.own.one_in(4)) usleep(static_cast<unsigned>(call.own.below(2000)));
  if (counters == nullptr) return MPI_Barrier(call.comm) == MPI_SUCCESS;
  const int before = counters[slot].load();  // of another call that met this slot, or of this one
  counters[slot].fetch_add(1);
  MPI_Barrier(call.comm);
  return before >= call.size || counters[slot].load() >= call.size;
}

}  // namespace legal
