// SPDX-License-Identifier: BSD-3-Clause
// The protocol of shared_steps.h. First in every execution that the memory model of C++ allows, of
// every program of a few calls: what a rank waits for and touches does not depend on what others
// do, so each rank is recorded alone; copies out of another's memory go well. A wait for step s may
// see the post of s or a later one, and is ordered behind the post of s in either case. The order
// that remains if nothing else is ordered
// is thus a part of every execution, whatever the interleaving and however late a store is seen: if
// it orders each two accesses of which one writes, no execution has a race, and if it is without a
// circle none has a deadlock. What a rank copies out of another's own memory counts as a slot of
// that rank, which it writes after the call. Then with threads as ranks, with results; the
// sanitizer of threads looks at these, too.
#include "algorithms/shared_steps.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "algorithms/shared_arena.h"
#include "algorithms/shared_direct.h"
#include "algorithms/shared_trees.h"
#include "base/test_sample.h"

namespace colltree::algorithms {

namespace {

enum class Does : std::uint8_t { kRead, kWrite, kPost, kAwait };

struct Event {
  Does does;
  int rank;  // of the slot or the flag
  std::uint64_t step;
  std::uint64_t place = 0;  // of the slot
  std::size_t first = 0;    // bytes of it
  std::size_t bytes = 0;
};

// The slots that there are.
constexpr std::size_t kShortPlaces = 6;
constexpr std::size_t kLongPlaces = 4;
constexpr std::size_t kElement = 3;  // bytes; no divisor of a cache line, so that slices are split
constexpr std::size_t kMostBytes = 24;  // of a call
constexpr std::uint64_t kOwnMemory = kLongPlaces + kShortPlaces;

std::uint64_t short_place(std::uint64_t step) { return kLongPlaces + step % kShortPlaces; }

// Records what one rank does, if it has to wait for nobody. The protocol believes in these slots.
template <std::uint64_t ShortSlots, std::uint64_t LongSlots>
class Recorder {
 public:
  static constexpr std::size_t kShortBytes = kElement;
  static constexpr std::uint64_t kLongSlots = LongSlots;

  explicit Recorder(int rank) : rank_(rank) {}

  static std::uint64_t slots() { return ShortSlots; }
  // Whatever was put there, it is zeros.
  std::byte* slot(int, std::uint64_t, std::size_t bytes) {
    short_ = {};
    long_ = {};
    return bytes <= kShortBytes ? short_.data() : long_.data();
  }
  void post(std::uint64_t step, std::uint64_t) {
    events_.push_back({Does::kWrite, rank_, step, short_place(step), kShortBytes, 1});
    events_.push_back({Does::kPost, rank_, step});
  }
  bool await(int rank, std::uint64_t step) {
    events_.push_back({Does::kAwait, rank, step});
    return true;
  }
  bool agrees(int rank, std::uint64_t step, std::uint64_t) {
    events_.push_back({Does::kRead, rank, step, short_place(step), kShortBytes, 1});
    return true;
  }
  void reads(const Contribution& c, std::size_t bytes) { touch(Does::kRead, c, bytes); }
  void writes(const Contribution& c, std::size_t bytes) { touch(Does::kWrite, c, bytes); }
  bool pull(int rank, const std::byte*, std::byte*, std::size_t) {
    events_.push_back({Does::kRead, rank, 0, kOwnMemory, 0, 1});
    return true;
  }
  void use_own_memory() { events_.push_back({Does::kWrite, rank_, 0, kOwnMemory, 0, 1}); }
  void break_off(SharedEnd) { ADD_FAILURE() << "broken off"; }
  SharedEnd end() const { return SharedEnd::kWell; }

  const std::vector<Event>& events() const { return events_; }

 private:
  void touch(Does does, const Contribution& c, std::size_t bytes) {
    const bool is_short = c.data >= short_.data() && c.data < short_.data() + short_.size();
    const std::uint64_t place = is_short ? short_place(c.step) : c.step % kLongPlaces;
    if (c.rank >= 0) events_.push_back({does, c.rank, c.step, place, c.first, bytes});
  }

  int rank_;
  std::array<std::byte, kShortBytes + 1> short_{};
  std::array<std::byte, kMostBytes> long_{};
  std::vector<Event> events_;
};

constexpr auto kAddBytes = [](const std::byte* lower, std::byte* upper, std::size_t n) {
  for (std::size_t i = 0; i < n * kElement; ++i) {
    upper[i] =
        static_cast<std::byte>(std::to_integer<int>(lower[i]) + std::to_integer<int>(upper[i]));
  }
  return true;
};

struct Data {
  std::vector<std::byte> own;
  std::vector<std::byte> result;
  std::vector<std::byte> spare;

  explicit Data(std::size_t bytes) : own(bytes), result(bytes), spare(8 * bytes) {}
  auto sum(std::size_t segment, bool commutes, bool gets) {
    return SharedSum<decltype(kAddBytes)>{own.data(),
                                          gets ? result.data() : nullptr,
                                          own.size() / kElement,
                                          kElement,
                                          segment,
                                          commutes,
                                          spare.data(),
                                          kAddBytes};
  }
};

constexpr int kCalls = 20;

// `data`: of the call; in place where that is possible.
template <typename Arena>
SharedEnd run_call(int call, Arena& arena, StepCount& count, int rank, int size, Data& data) {
  const int last = size - 1;
  SharedSteps<Arena> steps(arena, count, rank, size);
  DirectSteps<Arena> direct(arena, count, rank, size);
  const Tree chain = Placement::from_root(size, last).tree(chain_tree, rank);
  TreeSteps<Arena> down_chain(arena, count, rank, size, chain);
  const Tree pairs = Placement::from_root(size, 0).tree(knomial_tree, rank);
  TreeSteps<Arena> in_pairs(arena, count, rank, size, pairs);
  switch (call) {
    case 0:
      return steps.barrier();
    case 1:
      return steps.bcast(last, data.result.data(), data.result.size(), 2);
    case 2:
      return steps.bcast(last, data.result.data(), data.result.size(), 4);
    case 3:
      return steps.reduce_at_root(0, data.sum(data.own.size() / kElement, true, rank == 0));
    case 4:
      return steps.reduce_at_root(last, data.sum(1, true, rank == last));
    case 5:
      return steps.fold_all(data.sum(data.own.size() / kElement, true, true));
    case 6:
      return steps.reduce_slices(data.sum(data.own.size() / kElement, true, rank == 0));
    case 7:
      return steps.reduce_slices(data.sum(1, true, true));
    case 8:
      return steps.reduce_slices(data.sum(2, false, true));
    case 9:
      return steps.bcast(0, data.result.data(), data.result.size(), 4);
    case 10:
      return direct.bcast(last, data.result.data(), data.result.size(), 4);
    case 11:
      return down_chain.barrier();
    case 12:
      return in_pairs.bcast(data.result.data(), data.result.size(), 2);
    case 13:
      return down_chain.bcast(data.result.data(), data.result.size(), 4);
    case 14:
      return in_pairs.reduce(data.sum(data.own.size() / kElement, true, rank == 0), false);
    case 15:
      return down_chain.reduce(data.sum(1, true, rank == last), false);
    case 16:
      return in_pairs.reduce(data.sum(2, true, true), true);
    case 17:
      return direct.reduce(0, data.own.size() % 2 == 0, data.sum(1, true, rank == 0));
    case 18:
      return direct.reduce(-1, false, data.sum(2, true, true));
    default:
      return down_chain.reduce(data.sum(data.own.size() / kElement, true, true), true);
  }
}

using Clock = std::array<std::uint64_t, 4>;  // by rank: how much of it came before

// A mistake in the code would do this.
enum class Fault : std::uint8_t { kNone, kNoRelease, kNoAcquire };

class Execution {
 public:
  Execution(std::vector<std::vector<Event>> ranks, Fault fault)
      : ranks_(std::move(ranks)), clocks_(ranks_.size()), at_(ranks_.size()), fault_(fault) {
    for (std::size_t i = 0; i < clocks_.size(); ++i) clocks_[i][i] = 1;
  }

  // "": every execution is right.
  std::string run() {
    bool goes_on = true;
    while (goes_on && wrong_.empty()) {
      goes_on = false;
      for (std::size_t i = 0; i < ranks_.size(); ++i) goes_on = advance(i) || goes_on;
    }
    for (std::size_t i = 0; i < ranks_.size() && wrong_.empty(); ++i) {
      if (at_[i] != ranks_[i].size()) wrong_ = "deadlock";
    }
    return wrong_;
  }

 private:
  struct Access {
    std::size_t rank;
    std::uint64_t time;  // of this rank
    bool writes;
  };

  // The rank goes on as far as it comes without waiting.
  bool advance(std::size_t rank) {
    const std::size_t before = at_[rank];
    while (at_[rank] < ranks_[rank].size() && perform(rank, ranks_[rank][at_[rank]])) ++at_[rank];
    return at_[rank] != before;
  }

  bool perform(std::size_t rank, const Event& event) {
    if (event.does == Does::kPost) {
      posted_[{event.rank, event.step}] = fault_ == Fault::kNoRelease ? Clock{} : clocks_[rank];
      ++clocks_[rank][rank];
      return true;
    }
    if (event.does == Does::kAwait) {
      const auto post = posted_.find({event.rank, event.step});
      if (post == posted_.end()) return false;
      for (std::size_t i = 0; i < ranks_.size() && fault_ != Fault::kNoAcquire; ++i)
        clocks_[rank][i] = std::max(clocks_[rank][i], post->second[i]);
      return true;
    }
    for (std::size_t i = event.first; i < event.first + event.bytes; ++i)
      touch(rank, event, accesses_[{event.rank, event.place, i}]);
    return true;
  }

  void touch(std::size_t rank, const Event& event, std::vector<Access>& before) {
    const bool writes = event.does == Does::kWrite;
    for (const Access& access : before) {
      const bool is_before = access.rank == rank || access.time <= clocks_[rank][access.rank];
      const bool is_conflict = access.writes || writes;
      if (is_conflict && !is_before)
        wrong_ = "race of ranks " + std::to_string(access.rank) + " and " + std::to_string(rank) +
                 " in step " + std::to_string(event.step);
    }
    before.push_back({rank, clocks_[rank][rank], writes});
  }

  std::vector<std::vector<Event>> ranks_;
  std::vector<Clock> clocks_;
  std::vector<std::size_t> at_;
  Fault fault_;
  std::map<std::pair<int, std::uint64_t>, Clock> posted_;
  std::map<std::tuple<int, std::uint64_t, std::size_t>, std::vector<Access>> accesses_;
  std::string wrong_;
};

template <std::uint64_t ShortSlots = kShortPlaces, std::uint64_t LongSlots = kLongPlaces>
std::string outcome(const std::vector<int>& program, int size, Fault fault = Fault::kNone,
                    std::size_t bytes = 2 * kElement) {
  std::vector<std::vector<Event>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    Recorder<ShortSlots, LongSlots> recorder(rank);
    StepCount count;
    for (const int call : program) {
      Data data(bytes);
      run_call(call, recorder, count, rank, size, data);
      recorder.use_own_memory();
    }
    ranks.push_back(recorder.events());
  }
  return Execution(std::move(ranks), fault).run();
}

// Calls visit(program) for programs of this many calls: all, or one in `stride`.
void for_each_program(int calls, const std::function<void(const std::vector<int>&)>& visit,
                      std::size_t stride = 1) {
  std::vector<int> program(static_cast<std::size_t>(calls));
  for (std::size_t number = testing::test_seed() % stride;; number += stride) {
    std::size_t rest = number;
    for (int& call : program) {
      call = static_cast<int>(rest % kCalls);
      rest /= kCalls;
    }
    if (rest > 0) return;
    visit(program);
  }
}

template <std::uint64_t ShortSlots = kShortPlaces, std::uint64_t LongSlots = kLongPlaces>
int wrong_programs(int calls, int size, Fault fault = Fault::kNone) {
  int wrong = 0;
  for_each_program(calls, [&](const std::vector<int>& program) {
    if (!outcome<ShortSlots, LongSlots>(program, size, fault).empty()) ++wrong;
  });
  return wrong;
}

TEST(SharedSteps, NoExecutionHasARaceOrADeadlock) {
  for (const int size : {2, 3, 4}) {
    for (const int calls : {1, 2, 3}) {
      for_each_program(
          calls,
          [&](const std::vector<int>& program) {
            EXPECT_EQ(outcome(program, size), "") << ::testing::PrintToString(program);
          },
          calls < 3 ? 1 : testing::prime_stride(1));
    }
  }
  for (const int size : {2, 3, 4}) {
    for_each_program(2, [&](const std::vector<int>& program) {
      EXPECT_EQ(outcome(program, size, Fault::kNone, kMostBytes), "")
          << ::testing::PrintToString(program);
    });
  }
  for (int call = 0; call < kCalls; ++call) {
    const std::vector<int> often(8, call);
    for (const int size : {2, 3, 4}) EXPECT_EQ(outcome(often, size), "") << call;
  }
}

TEST(SharedSteps, TheCheckFindsMistakes) {
  for (const int size : {2, 3}) {
    EXPECT_GT((wrong_programs<kShortPlaces, kLongPlaces + 1>(3, size)), 0)
        << "a long slot is used one step too early";
    EXPECT_GT(wrong_programs(1, size, Fault::kNoRelease), 0);
    EXPECT_GT(wrong_programs(1, size, Fault::kNoAcquire), 0);
    EXPECT_NE((outcome<kShortPlaces + 1, kLongPlaces>({7, 1, 1}, size)), "")
        << "a short slot is used one step too early";
  }
}

// The memory of an arena, for threads.
struct Zeros {
  explicit Zeros(int ranks)
      : memory(static_cast<std::byte*>(std::aligned_alloc(4096, SharedArena::bytes(ranks)))) {
    std::fill_n(memory, SharedArena::bytes(ranks), std::byte{0});
    SharedArena(memory, ranks, 0).begin(1);
  }
  ~Zeros() { std::free(memory); }
  std::byte* memory;
};

std::byte value(int rank, std::size_t i, int round) {
  return static_cast<std::byte>(7 * rank + static_cast<int>(i) + 3 * round + 1);
}

// The rank must hold this behind the call; nothing: it holds nothing.
std::optional<std::byte> expected(int call, int rank, int size, std::size_t i, int round) {
  if (call == 0 || call == 11) return std::nullopt;
  if (call == 1 || call == 2 || call == 10 || call == 13) return value(size - 1, i, round);
  if (call == 9 || call == 12) return value(0, i, round);
  if ((call == 3 || call == 6 || call == 14 || call == 17) && rank != 0) return std::nullopt;
  if ((call == 4 || call == 15) && rank != size - 1) return std::nullopt;
  int sum = 0;
  for (int other = 0; other < size; ++other) sum += std::to_integer<int>(value(other, i, round));
  return static_cast<std::byte>(sum);
}

// Many calls of one rank; the number of wrong ones.
int run_rank(SharedArena arena, int rank, int size, int rounds) {
  arena.tell();
  std::mt19937 random(4711);  // the same on all ranks
  StepCount count;
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    const int call = static_cast<int>(random() % kCalls);
    Data data(kElement * (random() % 3 == 0 ? 234 : 1 + random() % 20));
    for (std::size_t i = 0; i < data.own.size(); ++i)
      data.own[i] = data.result[i] = value(rank, i, round);
    if (run_call(call, arena, count, rank, size, data) != SharedEnd::kWell) return rounds;
    for (std::size_t i = 0; i < data.own.size(); ++i) {
      const auto right = expected(call, rank, size, i, round);
      if (right && data.result[i] != *right) ++wrong;
    }
  }
  return wrong;
}

TEST(SharedSteps, ThreadsAsRanks) {
  for (const int size : {2, 3, 5}) {
    const Zeros zeros(size);
    std::atomic<int> wrong = 0;
    {
      std::vector<std::jthread> ranks;
      for (int rank = 0; rank < size; ++rank) {
        ranks.emplace_back([&, rank] {
          wrong += run_rank(SharedArena(zeros.memory, size, rank), rank, size, 1500);
        });
      }
    }
    EXPECT_EQ(wrong, 0) << size;
  }
}

// Processes that map it one after the other, and one that comes late, so that the others sleep.
TEST(SharedSteps, ProcessesAsRanks) {
  constexpr int kSize = 3;
  SharedMapping mapping;
  ASSERT_TRUE(mapping.make(SharedArena::bytes(kSize)));
  SharedArena(mapping.memory(), kSize, 0).begin(1);
  const pid_t maker = ::getpid();
  std::vector<pid_t> children;
  for (int rank = 1; rank < kSize; ++rank) {
    const pid_t child = ::fork();
    if (child == 0) {
      SharedMapping taken;
      const bool is_there = taken.take(maker, mapping.file(), SharedArena::bytes(kSize));
      if (rank == 2) ::usleep(30'000);
      ::_exit(is_there ? run_rank(SharedArena(taken.memory(), kSize, rank), rank, kSize, 500) != 0
                       : 2);
    }
    children.push_back(child);
  }
  EXPECT_EQ(run_rank(SharedArena(mapping.memory(), kSize, 0), 0, kSize, 500), 0);
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

TEST(SharedSteps, CallsOfOtherLengthsEndOnAllRanks) {
  const Zeros zeros(2);
  std::array<SharedEnd, 2> ends{};
  const auto run = [&](int rank) {
    SharedArena arena(zeros.memory, 2, rank);
    StepCount count;
    Data data(rank == 0 ? 102 : 90);
    SharedSteps steps(arena, count, rank, 2);
    ends[static_cast<std::size_t>(rank)] = steps.reduce_slices(data.sum(17, true, true));
    SharedSteps later(arena, count, rank, 2);
    EXPECT_EQ(later.barrier(), SharedEnd::kMismatch);
  };
  {
    std::jthread other([&] { run(1); });
    run(0);
  }
  EXPECT_EQ(ends[0], SharedEnd::kMismatch);
  EXPECT_EQ(ends[1], SharedEnd::kMismatch);
}

TEST(SharedMapping, WhatIsNotThereIsNotTaken) {
  SharedMapping mapping;
  ASSERT_TRUE(mapping.make(4096));
  SharedMapping taken;
  EXPECT_FALSE(taken.take(::getpid(), mapping.file(), 8192)) << "another size";
  EXPECT_FALSE(taken.take(::getpid(), 999, 4096));
  EXPECT_TRUE(taken.take(::getpid(), mapping.file(), 4096));
  mapping.memory()[17] = std::byte{5};
  EXPECT_EQ(taken.memory()[17], std::byte{5});
  mapping.close_file();
  mapping.memory()[18] = std::byte{6};
  EXPECT_EQ(taken.memory()[18], std::byte{6});
}

TEST(SharedArena, WhatCannotBePulledIsSaid) {
  const Zeros zeros(2);
  SharedArena arena(zeros.memory, 2, 0);
  SharedArena other(zeros.memory, 2, 1);
  arena.tell();
  other.tell();
  EXPECT_FALSE(arena.all_can_pull());
  arena.try_pull(1);
  EXPECT_FALSE(arena.all_can_pull()) << "the other has not tried";
  other.try_pull(0);
  EXPECT_TRUE(arena.all_can_pull());
  std::byte to{};
  EXPECT_FALSE(arena.pull(1, nullptr, &to, 1));
}

// A fork's child touches nothing: there is nothing.
TEST(SharedMapping, AChildDoesNotHaveIt) {
  SharedMapping mapping;
  ASSERT_TRUE(mapping.make(4096));
  const pid_t child = ::fork();
  if (child == 0) {
    unsigned char resident = 0;
    ::_exit(::mincore(mapping.memory(), 4096, &resident) == 0 ? 1 : 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace

}  // namespace colltree::algorithms
