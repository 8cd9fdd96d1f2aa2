// SPDX-License-Identifier: BSD-3-Clause
// The memory in which the ranks of a node meet (shared_steps.h): how it is laid out, how one waits
// in it, and how processes come to map the same. No MPI.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "algorithms/shared_steps.h"
#include "base/not_copied.h"

namespace colltree::algorithms {

// One rank's view. A flag, the stamp and a short contribution share a cache line, so that one
// transfer brings them all; longer ones lie in the ring. Memory begins as zeros.
class SharedArena {
 public:
  static constexpr std::uint64_t kMostSlots = 64;
  static constexpr std::size_t kShortBytes = 240;
  static constexpr std::uint64_t kLongSlots = 4;  // few, so that they stay in a cache
  static constexpr std::size_t kLongBytes = std::size_t{128} << 10;

  static std::size_t bytes(int ranks);  // what an arena takes; only pages that are used are memory

  SharedArena() = default;
  SharedArena(std::byte* memory, int ranks, int rank);

  // Called while a wait for a rank takes long, for what else must go on meanwhile. False: the rank
  // may never come, so every wait of this rank ends, as for an arena that is broken.
  using Drive = bool(int rank, const void* what);
  void set_drive(Drive* drive, const void* what) { drive_ = drive, what_ = what; }

  // The steps that a root may be ahead of the others: few, so that flags stay in the nearest cache,
  // or, if ranks take turns on a core, many.
  std::uint64_t slots() const { return slots_; }
  std::byte* slot(int rank, std::uint64_t step, std::size_t bytes) const {
    if (bytes <= kShortBytes) return line(rank, step).data;
    return ring_ + (static_cast<std::size_t>(rank) * kLongSlots + step % kLongSlots) * kLongBytes;
  }
  void post(std::uint64_t step, std::uint64_t stamp) {
    Line& posts = line(rank_, step);
    posts.stamp = stamp;
    posts.posted.store(step, std::memory_order_release);
    if (places_[rank_].sleepers.load(std::memory_order_relaxed) != 0) wake(posts);
  }
  bool await(int rank, std::uint64_t step) {
    const std::atomic<std::uint64_t>& posted = line(rank, step).posted;
    // A rank that is ahead has written there, too.
    __builtin_prefetch(&line(rank, step + 2));
    for (int i = 0; i < spins_; ++i) {
      if (posted.load(std::memory_order_acquire) >= step) return true;
      pause();
    }
    return wait(rank, step);
  }
  bool agrees(int rank, std::uint64_t step, std::uint64_t stamp) const {
    return line(rank, step).stamp == stamp;
  }
  void reads(const Contribution&, std::size_t) const {}
  void writes(const Contribution&, std::size_t) const {}
  // Copies from the memory of another rank's process; false: the system does not allow it.
  bool pull(int rank, const std::byte* address, std::byte* to, std::size_t bytes) const;
  void break_off(SharedEnd end) {
    head_->end.store(static_cast<std::uint32_t>(end), std::memory_order_relaxed);
  }
  // One rank calls it before the others see the arena. No other arena has the id.
  void begin(std::uint64_t id);
  std::uint64_t id() const { return head_->id; }
  SharedEnd end() const {
    if (is_given_up_) return SharedEnd::kFailed;
    return static_cast<SharedEnd>(head_->end.load(std::memory_order_relaxed));
  }

  // Ranks outnumber cores, so that a rank that is waited for may have none: what needs few waits
  // goes first.
  bool is_crowded() const { return head_->is_crowded; }

  // tell() writes what the other ranks must know of this one before all agree on the arena, and
  // try_pull() whether this rank can pull from `peer`, which has called tell().
  void tell();
  void try_pull(int peer);
  bool all_can_pull() const;
  // Writes a number for each rank, the same for the ranks of one domain. The cores of a domain
  // share the last cache or, if all ranks share it or each has its own, the memory of a NUMA node.
  // All numbers are 0 if that does not divide the ranks either, or if a rank may run in several
  // domains.
  void find_domains(int* domain_of) const;

 private:
  static constexpr int kDomainKinds = 2;
  struct alignas(64) Line {
    std::atomic<std::uint64_t> posted;
    std::uint64_t stamp;
    std::byte data[kShortBytes];
  };
  struct alignas(64) Place {  // of one rank
    Line lines[kMostSlots];
    std::atomic<std::uint32_t> sleepers;  // ranks that may sleep at one of the lines
    pid_t process;
    const std::uint64_t* id;  // in the memory of the process
    int domains[kDomainKinds];
    bool can_pull;
  };
  struct alignas(64) Head {
    std::uint64_t id;
    std::atomic<std::uint32_t> end;  // SharedEnd
    bool is_crowded;
  };
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

  static std::size_t ring_offset(int ranks);
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  Line& line(int rank, std::uint64_t step) const {
    return places_[rank].lines[step & (slots_ - 1)];
  }
  bool wait(int rank, std::uint64_t step);
  void sleep(int rank, Line& at_line, std::uint64_t step);
  static void wake(Line& at_line);

  Head* head_ = nullptr;
  Place* places_ = nullptr;
  std::byte* ring_ = nullptr;
  int ranks_ = 0;
  int rank_ = 0;
  int spins_ = 1;
  std::uint64_t slots_ = 16;
  Drive* drive_ = nullptr;
  const void* what_ = nullptr;
  bool is_given_up_ = false;
};

// Memory that processes of this node map. It has no name, so nothing is left of it when all of them
// are gone, however they end. Each unmaps it alone. A fork's child does not have it.
class SharedMapping : NotCopied {
 public:
  ~SharedMapping();

  bool make(std::size_t bytes);
  // Maps the file of another process that has made one and not closed it yet.
  bool take(pid_t maker, int file, std::size_t bytes);
  void close_file();

  std::byte* memory() const { return memory_; }
  int file() const { return file_; }

 private:
  bool map(int file, std::size_t bytes);

  std::byte* memory_ = nullptr;
  std::size_t bytes_ = 0;
  int file_ = -1;
  pid_t process_ = 0;
};

}  // namespace colltree::algorithms
