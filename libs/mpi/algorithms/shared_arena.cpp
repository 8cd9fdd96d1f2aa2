// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/shared_arena.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <climits>
#include <cstdio>
#include <ctime>

namespace colltree::algorithms {

namespace {

constexpr std::size_t kPage = 4096;

// If ranks outnumber cores, the rank that is waited for may have none.
int spins_of(int ranks) {
  constexpr int kSpins = 300;  // some microseconds
  return ::sysconf(_SC_NPROCESSORS_ONLN) < ranks ? 1 : kSpins;
}

// The half of the flag that changes with every step.
std::uint32_t* futex_of(std::atomic<std::uint64_t>& flag) {
  auto* halves = reinterpret_cast<std::uint32_t*>(&flag);
  return std::endian::native == std::endian::little ? halves : halves + 1;
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
      rank_(rank),
      spins_(spins_of(ranks)) {}

// Yields the core, in the end sleeps. A wake-up that comes between the look at the flag and the
// sleep is not lost: the kernel looks once more. One whose poster did not see the sleeper yet is,
// and the sleep's end makes up for it.
bool SharedArena::wait(int rank, std::uint64_t step) {
  constexpr int kTurnsBeforeSleep = 2000;
  Line& awaited = line(rank, step);
  for (int turn = 0;; ++turn) {
    if (awaited.posted.load(std::memory_order_acquire) >= step) return true;
    if (end() != SharedEnd::kWell) return false;
    if (drive_ != nullptr) drive_(what_);
    if (turn < kTurnsBeforeSleep) {
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
