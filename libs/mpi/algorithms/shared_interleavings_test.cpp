// SPDX-License-Identifier: BSD-3-Clause
// Every execution (test_executions.h) of short programs over the steps of shared_steps.h, and of
// the sleep of shared_arena.cpp. shared_steps_test.cpp argues by the order that all executions
// have; this check takes nothing for granted but the memory model. At the end of an execution the
// copies and sums are made in its order, and results are compared.
#include <gtest/gtest.h>

#include <cstring>

#include "algorithms/shared_direct.h"
#include "algorithms/shared_steps.h"
#include "algorithms/shared_trees.h"
#include "algorithms/test_executions.h"
#include "base/test_sample.h"

namespace colltree::algorithms::interleavings {

namespace {

// --- The steps ---

constexpr std::size_t kBytes = 51;
constexpr std::size_t kElement = 3;  // of a sum: each rank has a slice even of few of them

struct Memory {
  std::byte stamps[kShortSlots];
  std::byte short_slots[kShortSlots][16];
  std::byte long_slots[kLongSlots][kBytes];
  std::byte own[kBytes];
  std::byte result[kBytes];
  std::byte spare[kMostRanks * kBytes];
};
std::array<Memory, kMostRanks> memories{};
Memory& memory_of(int rank) { return memories[static_cast<std::size_t>(rank)]; }
bool is_in_memories(const std::byte* data) {
  const auto* first = reinterpret_cast<const std::byte*>(&memories);
  return data >= first && data < first + sizeof memories;
}

class Arena {
 public:
  static constexpr std::size_t kShortBytes = 16;
  static constexpr std::uint64_t kLongSlots = interleavings::kLongSlots;

  static std::uint64_t slots() { return kShortSlots; }
  Arena(Rank& run, Fault fault) : run_(run), fault_(fault) {}

  std::byte* slot(int rank, std::uint64_t step, std::size_t bytes) const {
    if (bytes <= kShortBytes) return memory_of(rank).short_slots[place(step)];
    const std::uint64_t longs = kLongSlots - (fault_ == Fault::kLongSlotEarly ? 1 : 0);
    return memory_of(rank).long_slots[step % longs];
  }
  void post(std::uint64_t step, std::uint64_t stamp) {
    run_.touch({Access::Kind::kStamp, nullptr, &memory_of(run_.number).stamps[place(step)], 1});
    run_.perform({Does::kStore, flag(run_.number, step), step, stamp});
  }
  bool await(int rank, std::uint64_t step) {
    if (fault_ == Fault::kWaitEarly) --step;
    const std::uint64_t seen = run_.perform({Does::kAwait, flag(rank, step), step});
    stamps_[static_cast<std::size_t>(rank)] = seen - 1;
    return seen != 0;
  }
  bool agrees(int rank, std::uint64_t step, std::uint64_t stamp) {
    run_.touch({Access::Kind::kStamp, &memory_of(rank).stamps[place(step)], nullptr, 1});
    return stamps_[static_cast<std::size_t>(rank)] == stamp;
  }
  void reads(const Contribution& c, std::size_t bytes) {
    from_ = c.data;
    if (!reads_addresses || c.rank < 0 || bytes > kShortBytes) return;
    // What the rank does depends on it: the rank, which is run alone, finds what it would find.
    run_.touch({Access::Kind::kCopy, c.data, nullptr, bytes});
    for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
      const std::uint64_t value = run_.perform({Does::kRead, 0, 0, 0, true, c.data + i});
      std::memcpy(c.data + i, &value, std::min(bytes - i, sizeof value));
    }
  }
  void writes(const Contribution& c, std::size_t bytes) {
    if (!is_in_memories(c.data)) return;
    if (is_in_memories(from_)) return run_.touch({Access::Kind::kCopy, from_, c.data, bytes});
    for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      const std::size_t length = std::min(bytes - i, sizeof value);
      std::memcpy(&value, from_ + i, length);
      run_.touch({Access::Kind::kPut, nullptr, c.data + i, length, 0, value});
    }
  }
  bool pull(int, const std::byte* address, std::byte* to, std::size_t bytes) {
    if (!cannot_pull) run_.touch({Access::Kind::kCopy, address, to, bytes});
    return !cannot_pull;
  }
  void break_off(SharedEnd end) {
    run_.perform({Does::kStore, kEnd, static_cast<std::uint64_t>(end), 0, false});
  }
  SharedEnd end() { return static_cast<SharedEnd>(run_.perform({Does::kLoad, kEnd, 0, 0, false})); }

  bool reads_addresses = false;
  bool cannot_pull = false;

 private:
  std::uint64_t place(std::uint64_t step) const {
    return step % (slots() - (fault_ == Fault::kShortSlotEarly ? 1 : 0));
  }
  std::size_t flag(int rank, std::uint64_t step) const {
    return static_cast<std::size_t>(rank) * slots() + place(step);
  }

  Rank& run_;
  Fault fault_;
  std::array<std::uint64_t, kMostRanks> stamps_{};  // of the last posts that were awaited
  const std::byte* from_ = nullptr;
};

// What a rank has in a call.
struct User {
  Rank* run;
  Arena* arena;
  StepCount* count;
  int size;
  std::size_t bytes;
  bool fails;
  mutable Tree tree = {};

  bool is(int rank) const { return run->number == rank; }
  int last() const { return size - 1; }
  std::byte* result() const { return memory_of(run->number).result; }
  SharedSteps<Arena> steps() const { return {*arena, *count, run->number, size}; }
  // Ranks read addresses of each other in it.
  template <typename Call>
  SharedEnd directly(Call make_call) const {
    arena->reads_addresses = true;
    const SharedEnd end = make_call(DirectSteps<Arena>(*arena, *count, run->number, size));
    arena->reads_addresses = false;
    return end;
  }
  TreeSteps<Arena> along(TreeShape* shape, int root) const {
    tree = Placement::from_root(size, root).tree(shape, run->number);
    return {*arena, *count, run->number, size, tree};
  }
  auto sum(std::size_t segment, bool gets = true, bool in_place = false,
           bool commutes = true) const {
    Memory& its = memory_of(run->number);
    const auto fold = [user = *this](const std::byte* lower, std::byte* upper, std::size_t n) {
      std::vector<Access>& all = user.run->accesses;
      const bool is_seen = !all.empty() && all.back().from == lower && all.back().to == upper;
      if (is_seen) all.pop_back();
      user.run->touch({Access::Kind::kFold, lower, upper, n * kElement});
      return !user.fails;
    };
    std::byte* const own = in_place ? its.result : its.own;
    std::byte* const result = gets ? its.result : nullptr;
    return SharedSum<decltype(fold)>{own,     result,   bytes / kElement, kElement,
                                     segment, commutes, its.spare,        fold};
  }
};

enum class Gets : std::uint8_t { kNothing, kOfFirst, kOfLast, kSum, kSumAtFirst, kSumAtLast };
struct Kind {
  Gets gets;
  SharedEnd (*run)(const User& u);
};
using U = const User&;
const std::vector<Kind> kKinds = {
    {Gets::kNothing, [](U u) { return u.steps().barrier(); }},
    {Gets::kOfFirst, [](U u) { return u.steps().bcast(0, u.result(), u.bytes, 26); }},
    {Gets::kOfLast, [](U u) { return u.steps().bcast(u.last(), u.result(), u.bytes, 16); }},
    {Gets::kOfLast, [](U u) { return u.steps().bcast(u.last(), u.result(), u.bytes, 17); }},
    {Gets::kSumAtFirst, [](U u) { return u.steps().reduce_at_root(0, u.sum(17)); }},
    {Gets::kSumAtFirst, [](U u) { return u.steps().reduce_at_root(0, u.sum(6, true, u.is(0))); }},
    {Gets::kSumAtLast,
     [](U u) { return u.steps().reduce_at_root(u.last(), u.sum(5, true, u.is(u.last()))); }},
    {Gets::kSum, [](U u) { return u.steps().fold_all(u.sum(17)); }},
    {Gets::kSumAtFirst, [](U u) { return u.steps().reduce_slices(u.sum(17, u.is(0))); }},
    {Gets::kSum, [](U u) { return u.steps().reduce_slices(u.sum(5, true, true)); }},
    {Gets::kSum, [](U u) { return u.steps().reduce_slices(u.sum(9, true, false, false)); }},
    {Gets::kOfLast,
     [](U u) {
       return u.directly([&](auto s) { return s.bcast(u.last(), u.result(), u.bytes, 17); });
     }},
    {Gets::kSum,
     [](U u) {
       return u.directly([&](auto s) { return s.reduce(-1, false, u.sum(9, true, true)); });
     }},
    {Gets::kSumAtFirst,
     [](U u) { return u.directly([&](auto s) { return s.reduce(0, true, u.sum(9, u.is(0))); }); }},
    {Gets::kSumAtLast,
     [](U u) {
       return u.directly(
           [&](auto s) { return s.reduce(u.last(), false, u.sum(6, u.is(u.last()))); });
     }},
    {Gets::kNothing, [](U u) { return u.along(chain_tree, u.last()).barrier(); }},
    {Gets::kOfFirst, [](U u) { return u.along(knomial_tree, 0).bcast(u.result(), u.bytes, 16); }},
    {Gets::kOfLast,
     [](U u) { return u.along(chain_tree, u.last()).bcast(u.result(), u.bytes, 17); }},
    {Gets::kSumAtFirst,
     [](U u) { return u.along(knomial_tree, 0).reduce(u.sum(17, u.is(0)), false); }},
    {Gets::kSumAtLast,
     [](U u) { return u.along(chain_tree, u.last()).reduce(u.sum(5, u.is(u.last())), false); }},
    {Gets::kSum, [](U u) { return u.along(knomial_tree, 0).reduce(u.sum(6), true); }},
    {Gets::kSum,
     [](U u) { return u.along(chain_tree, u.last()).reduce(u.sum(17, true, true), true); }},
};

using Program = std::vector<std::size_t>;  // of kinds

struct Setting {
  int size;
  Fault fault = Fault::kNone;
  bool is_short = false;     // rank 0 calls with one byte less
  bool fails = false;        // rank 0 cannot add up
  bool cannot_pull = false;  // rank 0
};

// The user writes all buffers before the first call and, where a call ends well, reads and writes
// them behind it.
Code code_of(const Program& program, Setting setting) {
  return [=](Rank& run) {
    Arena arena(run, setting.fault);
    arena.cannot_pull = run.number == 0 && (setting.fails || setting.cannot_pull);
    StepCount count;
    Memory& its = memory_of(run.number);
    const bool is_odd = run.number == 0;
    const User user{&run,
                    &arena,
                    &count,
                    setting.size,
                    kBytes - (is_odd && setting.is_short ? 1 : 0),
                    is_odd && setting.fails};
    const auto touch_all = [&](Access::Kind kind, int call) {
      for (std::byte* buffer : {its.own, its.result}) {
        const bool writes = kind == Access::Kind::kFill;
        run.touch({kind, writes ? nullptr : buffer, writes ? buffer : nullptr, kBytes, call});
      }
    };
    touch_all(Access::Kind::kFill, 0);
    for (int call = 0; call < static_cast<int>(program.size()); ++call) {
      const SharedEnd end = kKinds[program[static_cast<std::size_t>(call)]].run(user);
      run.said += "wmf"[static_cast<int>(end)];
      if (end != SharedEnd::kWell) continue;
      touch_all(Access::Kind::kCheck, call);
      touch_all(Access::Kind::kFill, call + 1);
    }
  };
}
int contribution(int rank, std::size_t i, int call) {
  return 50 * rank + 10 * call + static_cast<int>(i) + 1;
}
bool is_right(const Access& check, std::size_t i, Gets gets, int size) {
  const bool gets_sum = gets == Gets::kSum || (gets == Gets::kSumAtFirst && check.rank == 0) ||
                        (gets == Gets::kSumAtLast && check.rank == size - 1);
  int right = contribution(check.rank, i, check.call);
  if (check.from == memory_of(check.rank).result) {
    if (gets == Gets::kOfFirst) right = contribution(0, i, check.call);
    if (gets == Gets::kOfLast) right = contribution(size - 1, i, check.call);
    for (int other = 0; gets_sum && other < size; ++other)
      right += other == check.rank ? 0 : contribution(other, i, check.call);
  }
  return check.from[i] == static_cast<std::byte>(right);
}

// Does what a path says.
std::string replay(const Path& path, const Program& program, int size) {
  memories = {};
  for (const Place* place : path) {
    for (const Access& a : place->accesses) {
      const Gets gets = kKinds[program[static_cast<std::size_t>(a.call) % program.size()]].gets;
      for (std::size_t i = 0; i < a.bytes; ++i) {
        if (a.to == nullptr && a.kind != Access::Kind::kCheck) continue;
        if (a.kind == Access::Kind::kCopy) a.to[i] = a.from[i];
        if (a.kind == Access::Kind::kPut) a.to[i] = static_cast<std::byte>(a.value >> 8 * i);
        if (a.kind == Access::Kind::kFold)
          a.to[i] = static_cast<std::byte>(std::to_integer<int>(a.from[i]) +
                                           std::to_integer<int>(a.to[i]));
        if (a.kind == Access::Kind::kFill)
          a.to[i] = static_cast<std::byte>(contribution(a.rank, i, a.call));
        if (a.kind == Access::Kind::kCheck && !is_right(a, i, gets, size)) return "wrong result";
      }
    }
  }
  return "";
}

Executions executions(const Program& program, Setting setting) {
  Executions all(
      std::vector<Code>(static_cast<std::size_t>(setting.size), code_of(program, setting)),
      setting.fault);
  all.read_data = [=](const Path& path, const std::byte* data) {
    const Access* last = nullptr;  // that has written there
    for (std::size_t i = path.size(); i-- > 0 && last == nullptr;) {
      for (const Access& a : path[i]->accesses)
        if (a.to != nullptr && a.to <= data && data < a.to + a.bytes) last = &a;
    }
    if (last != nullptr && last->kind == Access::Kind::kPut && last->to == data) return last->value;
    replay(path, program, setting.size);
    std::uint64_t value = 0;
    std::memcpy(&value, data, sizeof value);
    return value;
  };
  return all;
}

std::size_t programs(int calls) { return calls == 0 ? 1 : kKinds.size() * programs(calls - 1); }
Program program(std::size_t number, int calls) {
  Program all;
  for (int i = 0; i < calls; ++i, number /= kKinds.size()) all.push_back(number % kKinds.size());
  return all;
}

struct Counts {
  std::size_t states = 0;
  std::size_t later = 0;
};
std::string outcome(const Program& program, Setting setting, Counts* counts) {
  Executions all = executions(program, setting);
  all.at_end = [&](const Path& path) { return replay(path, program, setting.size); };
  const std::string wrong = all.run();
  counts->states += all.states();
  counts->later += all.later;
  return wrong;
}

TEST(SharedInterleavings, AllAreRight) {
  Counts counts;
  for (const int size : {2, 3}) {
    for (const int calls : {1, 2}) {
      for (std::size_t i = 0; i < programs(calls); ++i)
        EXPECT_EQ(outcome(program(i, calls), {size}, &counts), "") << size << calls << i;
    }
  }
  EXPECT_GT(counts.states, 60'000U);
  EXPECT_GT(counts.later, 0U);
}

TEST(SharedInterleavings, LongerProgramsAreRight) {
  Counts counts;
  for (const auto& [size, calls] : {std::pair{2, 3}, {3, 3}, {4, 2}}) {
    for (const std::size_t i : testing::sampled(programs(calls) / 12)) {
      const std::size_t number = 12 * i + testing::test_seed() % 12;
      EXPECT_EQ(outcome(program(number, calls), {size}, &counts), "") << size << calls << number;
    }
  }
}

TEST(SharedInterleavings, MistakesAreFound) {
  for (const int size : {2, 3}) {
    for (const Fault fault : {Fault::kNoRelease, Fault::kNoAcquire, Fault::kShortSlotEarly,
                              Fault::kLongSlotEarly, Fault::kWaitEarly}) {
      Counts counts;
      std::size_t i = 0;
      while (i < programs(2) && outcome(program(i, 2), {size, fault}, &counts).empty()) ++i;
      EXPECT_LT(i, programs(2)) << size << static_cast<int>(fault);
    }
  }
}

// True if the last call of each rank ended so.
bool all_end(const std::string& said, char end) {
  for (std::size_t i = 1; i < said.size(); ++i) {
    if (said[i] == ' ' && said[i - 1] != end) return false;
  }
  return true;
}

// Nobody waits for ever: at the latest the barrier behind the call tells all ranks.
TEST(SharedInterleavings, ABrokenArenaLetsAllRanksOut) {
  for (const int size : {2, 3}) {
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      const Gets gets = kKinds[kind].gets;
      if (gets == Gets::kNothing) continue;
      Executions other_length = executions({kind, 0}, {size, Fault::kNone, true, false});
      EXPECT_EQ(other_length.run(), "") << size << kind;
      for (const std::string& said : other_length.said) EXPECT_TRUE(all_end(said, 'm')) << said;
      Executions failure = executions({kind, 0}, {size, Fault::kNone, false, true});
      if (gets == Gets::kOfFirst || gets == Gets::kOfLast)
        failure.at_end = [&](const Path& path) { return replay(path, {kind, 0}, size); };
      EXPECT_EQ(failure.run(), "") << size << kind;
      for (const std::string& said : failure.said)
        EXPECT_TRUE(all_end(said, 'f') || said.find('f') == std::string::npos) << said;
    }
  }
}

// The copies that went well before another rank's failed have spoilt no contribution.
TEST(SharedInterleavings, WhatARankCannotPullIsSent) {
  for (const int size : {2, 3}) {
    for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
      Counts counts;
      EXPECT_EQ(outcome({kind, 0}, {.size = size, .cannot_pull = true}, &counts), "")
          << size << " " << kind;
    }
  }
}

// --- The sleep ---

constexpr std::size_t kFlag = 0;
constexpr std::size_t kSleepers = 1;

// The atomic operations of SharedArena::post(), wait() and sleep(), a copy.
Code posts(std::uint64_t steps) {
  return [=](Rank& run) {
    for (std::uint64_t step = 1; step <= steps; ++step) {
      run.perform({Does::kStore, kFlag, step});
      const bool sees = run.perform({Does::kLoad, kSleepers, 0, 0, false}) != 0;
      run.said = sees ? "sees" : "blind";
      if (sees) run.perform({Does::kAdd, kWakes, 1});
    }
  };
}
Code breaks_off() {
  return [](Rank& run) { run.perform({Does::kStore, kEnd, 1, 0, false}); };
}
Code waits(std::uint64_t step, Fault fault = Fault::kNone) {
  return [=](Rank& run) {
    const std::uint64_t one = fault == Fault::kNoCount ? 0 : 1;
    for (;;) {
      run.said = "well";
      if (run.perform({Does::kLoad, kFlag}) >= step) return;
      run.said = "broken";
      if (run.perform({Does::kLoad, kEnd, 0, 0, false}) != 0) return;
      run.said = "waits";
      run.perform({Does::kAdd, kSleepers, one});
      const std::uint64_t seen = run.perform({Does::kLoad, kFlag});
      const std::uint64_t wake =
          seen < step ? run.perform({Does::kSleep, kFlag, seen, 0, false}) : 0;
      if (wake != 0) run.perform({Does::kAwait, kWakes, wake});
      run.perform({Does::kAdd, kSleepers, 0 - one});
    }
  };
}

// The end of the sleep lets out whom a poster left asleep that did not see the sleeper, which only
// a memory that shows stores late makes possible.
TEST(SharedInterleavings, WhoIsNotSeenSleepsToTheEndOfTheSleep) {
  using Steps = std::vector<std::uint64_t>;
  for (const Steps& steps : {Steps{1}, Steps{2}, Steps{1, 1}}) {
    std::vector<Code> code{posts(steps.back())};
    for (const std::uint64_t step : steps) code.push_back(waits(step));
    Executions newest(code);
    newest.only_newest = true;
    EXPECT_EQ(newest.run(), "");
    EXPECT_TRUE(newest.lost.empty());
    Executions all(code);
    EXPECT_EQ(all.run(), "");
    EXPECT_FALSE(all.lost.empty());
    for (const std::string& said : all.lost) EXPECT_EQ(said.find("blind"), 0U) << said;
    Executions endless(code);
    endless.has_timeout = false;
    EXPECT_EQ(endless.run(), "a rank waits for ever");
  }
}

TEST(SharedInterleavings, WhoIsNotWokenFromABrokenArenaSleepsToTheEndOfTheSleep) {
  Executions all({breaks_off(), waits(1), waits(1)});
  EXPECT_EQ(all.run(), "");
  EXPECT_EQ(all.said, std::set<std::string>{" broken broken "});
  EXPECT_FALSE(all.lost.empty());
}

TEST(SharedInterleavings, MistakesOfTheSleepAreFound) {
  for (const Fault fault : {Fault::kNoCount, Fault::kNoLookInKernel}) {
    Executions newest({posts(1), waits(1, fault)}, fault);
    newest.only_newest = true;
    newest.run();
    EXPECT_FALSE(newest.lost.empty());
  }
}

}  // namespace

}  // namespace colltree::algorithms::interleavings
