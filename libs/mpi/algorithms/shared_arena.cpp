// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared_arena.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstdio>
#include <ctime>

namespace colltree::algorithms {

namespace {

constexpr std::size_t kPage = 4096;

// The half of the flag that changes with every step.
std::uint32_t* futex_of(std::atomic<std::uint64_t>& flag) {
  auto* halves = reinterpret_cast<std::uint32_t*>(&flag);
  return std::endian::native == std::endian::little ? halves : halves + 1;
}

// The list of the cores that share a core's last cache or its NUMA node; null: it is not known.
std::FILE* open_list(int kind, int core) {
  constexpr int kMostNodes = 256;
  char path[96];
  std::FILE* list = nullptr;
  for (int node = 0; list == nullptr && node < (kind == 0 ? 1 : kMostNodes); ++node) {
    if (kind == 0)
      std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list",
                    core);
    else
      std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/node%d/cpulist", core, node);
    list = std::fopen(path, "re");
  }
  return list;
}

// The lowest core of the domain in which all cores lie on which this process may run; -1: there is
// none, or the system does not say.
int domain_of_cores(int kind) {
  cpu_set_t mine;
  if (::sched_getaffinity(0, sizeof mine, &mine) != 0) return -1;
  int core = 0;
  while (core < CPU_SETSIZE && CPU_ISSET(core, &mine) == 0) ++core;
  std::FILE* const list = open_list(kind, core);
  if (list == nullptr) return -1;
  int lowest = -1;
  int first = 0;
  // "0-3,8-11\n"
  while (std::fscanf(list, "%d", &first) == 1) {
    int last = first;
    int separator = std::fgetc(list);
    if (separator == '-' && std::fscanf(list, "%d", &last) == 1) separator = std::fgetc(list);
    if (lowest < 0) lowest = first;
    for (int i = first; i <= last && i < CPU_SETSIZE; ++i) CPU_CLR(i, &mine);
    if (separator != ',') break;
  }
  std::fclose(list);
  return CPU_COUNT(&mine) == 0 ? lowest : -1;
}

}  // namespace

std::size_t SharedArena::ring_offset(int ranks) {
  const std::size_t before = sizeof(Head) + static_cast<std::size_t>(ranks) * sizeof(Place);
  return (before + kPage - 1) / kPage * kPage;
}

std::size_t SharedArena::bytes(int ranks) {
  return ring_offset(ranks) + static_cast<std::size_t>(ranks) * kLongSlots * kLongBytes;
}

SharedArena::SharedArena(std::byte* memory, int ranks, int rank)
    : head_(reinterpret_cast<Head*>(memory)),
      places_(reinterpret_cast<Place*>(memory + sizeof(Head))),
      ring_(memory + ring_offset(ranks)),
      ranks_(ranks),
      rank_(rank) {}

bool SharedArena::pull(int rank, const std::byte* address, std::byte* to, std::size_t bytes) const {
  for (std::size_t done = 0; done < bytes;) {
    const iovec from{const_cast<std::byte*>(address) + done, bytes - done};
    const iovec into{to + done, bytes - done};
    const ssize_t copied = ::process_vm_readv(places_[rank].process, &into, 1, &from, 1, 0);
    if (copied <= 0) return false;
    done += static_cast<std::size_t>(copied);
  }
  return true;
}

void SharedArena::begin(std::uint64_t id) {
  head_->id = id;
  head_->is_crowded = ::sysconf(_SC_NPROCESSORS_ONLN) < ranks_;
}

void SharedArena::tell() {
  constexpr int kSpins = 300;  // some microseconds
  spins_ = is_crowded() ? 1 : kSpins;
  if (is_crowded()) slots_ = kMostSlots;
  Place& place = places_[rank_];
  place.process = ::getpid();
  place.id = &head_->id;
  static const int domains[kDomainKinds] = {domain_of_cores(0), domain_of_cores(1)};
  std::copy_n(domains, kDomainKinds, place.domains);
}

void SharedArena::try_pull(int peer) {
  std::uint64_t id = 0;
  places_[rank_].can_pull = pull(peer, reinterpret_cast<const std::byte*>(places_[peer].id),
                                 reinterpret_cast<std::byte*>(&id), sizeof id) &&
                            id == head_->id;
}

bool SharedArena::all_can_pull() const {
  return std::all_of(places_, places_ + ranks_, [](const Place& place) { return place.can_pull; });
}

void SharedArena::find_domains(int* domain_of) const {
  std::fill_n(domain_of, ranks_, 0);
  for (int kind = 0; kind < kDomainKinds; ++kind) {
    int domains[kMostSharedRanks];
    int count = 0;
    bool are_known = true;
    for (int i = 0; i < ranks_; ++i) {
      domains[i] = places_[i].domains[kind];
      are_known = are_known && domains[i] >= 0;
      if (std::find(domains, domains + i, domains[i]) == domains + i) ++count;
    }
    if (are_known && count > 1 && count < ranks_) {
      std::copy_n(domains, ranks_, domain_of);
      return;
    }
  }
}

// Yields the core, in the end sleeps. A wake-up that comes between the look at the flag and the
// sleep is not lost: the kernel looks once more. One whose poster did not see the sleeper yet is,
// and the sleep's end makes up for it. Nor does a rank that breaks off wake anybody.
bool SharedArena::wait(int rank, std::uint64_t step) {
  constexpr int kTurnsBeforeSleep = 2000;
  const int turns_a_drive = is_crowded() ? 16 : 1;
  Line& awaited = line(rank, step);
  for (int turn = 0;; ++turn) {
    if (awaited.posted.load(std::memory_order_acquire) >= step) return true;
    if (end() != SharedEnd::kWell) return false;
    const bool is_patient = turn < kTurnsBeforeSleep;
    if (drive_ != nullptr && (!is_patient || turn % turns_a_drive == turns_a_drive - 1))
      is_given_up_ = !drive_(rank, what_);
    if (is_patient) {
      ::sched_yield();
    } else {
      turn = kTurnsBeforeSleep;
      sleep(rank, awaited, step);
    }
  }
}

void SharedArena::sleep(int rank, Line& at_line, std::uint64_t step) {
  constexpr timespec kLongest{0, 100'000};
  places_[rank].sleepers.fetch_add(1);
  const std::uint64_t seen = at_line.posted.load();
  if (seen < step) {
    ::syscall(SYS_futex, futex_of(at_line.posted), FUTEX_WAIT, static_cast<std::uint32_t>(seen),
              &kLongest, nullptr, 0);
  }
  places_[rank].sleepers.fetch_sub(1);
}

void SharedArena::wake(Line& at_line) {
  ::syscall(SYS_futex, futex_of(at_line.posted), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

SharedMapping::~SharedMapping() {
  close_file();
  if (memory_ != nullptr && process_ == ::getpid()) ::munmap(memory_, bytes_);
}

bool SharedMapping::make(std::size_t bytes) {
  rlimit most{};
  // Beyond this limit of the user's the call below would end the program.
  if (::getrlimit(RLIMIT_FSIZE, &most) != 0 || bytes > most.rlim_cur) return false;
  file_ = ::memfd_create("colltree", MFD_CLOEXEC);
  return file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(bytes)) == 0 && map(file_, bytes);
}

bool SharedMapping::take(pid_t maker, int file, std::size_t bytes) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%ld/fd/%d", static_cast<long>(maker), file);
  const int opened = ::open(path, O_RDWR | O_CLOEXEC);
  if (opened < 0) return false;
  struct stat found {};
  const bool fits = ::fstat(opened, &found) == 0 && S_ISREG(found.st_mode) &&
                    found.st_size == static_cast<off_t>(bytes);
  const bool is_mapped = fits && map(opened, bytes);
  ::close(opened);
  return is_mapped;
}

bool SharedMapping::map(int file, std::size_t bytes) {
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) return false;
  ::madvise(mapped, bytes, MADV_DONTFORK);
  memory_ = static_cast<std::byte*>(mapped);
  bytes_ = bytes;
  process_ = ::getpid();
  return true;
}

void SharedMapping::close_file() {
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

}  // namespace colltree::algorithms
