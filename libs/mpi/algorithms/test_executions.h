// SPDX-License-Identifier: BSD-3-Clause
// Every execution of a short program that the memory model of C++ allows, one after the other. Its
// ranks are functions that make their atomic operations, and name their plain accesses, by a Rank.
//
// A rank's next atomic operation follows from what its earlier ones have read. So a rank is run
// alone, again and again, with these results given; it stops, by an exception, where they end. A
// state of a program is one such place for each rank: interleavings with the same results lead to
// one state, which is looked at once. A location holds all that was ever stored there. A load reads
// any of it that is not older than what the rank must know; an acquire takes over what the storing
// rank knew at its release. Plain accesses that neither rank knows of the other are a race.
// Left out: relaxed stores of several ranks to one location that take another order than that in
// which they are executed. Only the end has such stores, and only which end it is depends on it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace colltree::algorithms::interleavings {

inline constexpr std::size_t kMostRanks = 4;
inline constexpr std::uint64_t kShortSlots = 6;  // enough for a wait to see a later post
inline constexpr std::uint64_t kLongSlots = 4;
inline constexpr std::size_t kEnd = kMostRanks * kShortSlots;  // the location behind the flags
inline constexpr std::size_t kWakes = kEnd + 1;                // calls of the kernel that wake
inline constexpr std::size_t kLocations = kWakes + 1;

// A mistake in the code would do this.
enum class Fault : std::uint8_t {
  kNone,
  kNoRelease,
  kNoAcquire,
  kShortSlotEarly,
  kLongSlotEarly,
  kWaitEarly,
  kNoCount,         // a sleeper does not count itself
  kNoLookInKernel,  // the kernel lets it sleep whatever the flag is
};

enum class Does : std::uint8_t { kIsDone, kStore, kLoad, kAdd, kAwait, kSleep, kRead };
struct Operation {
  Does does = Does::kIsDone;
  std::size_t location = 0;
  std::uint64_t value = 0;  // stored or added; the least awaited; the one at which to sleep
  std::uint64_t stamp = 0;
  bool orders = true;               // release, acquire
  const std::byte* data = nullptr;  // kRead: plain data on which it depends what the rank does
};
struct Result {
  int message;          // which of the location's
  std::uint64_t value;  // read; of a wait the stamp and 1, or 0: broken off
  auto operator<=>(const Result&) const = default;
};

// Plain accesses in one piece: what is read, what is written.
struct Access {
  enum class Kind : std::uint8_t { kCopy, kFold, kPut, kFill, kCheck, kStamp };
  Kind kind;
  const std::byte* from;
  std::byte* to;
  std::size_t bytes;
  int call = 0;             // which of the program's
  std::uint64_t value = 0;  // kPut
  int rank = 0;
};
inline bool conflict(const Access& a, const Access& b) {
  const auto overlap = [&](const std::byte* of_a, const std::byte* of_b) {
    return of_a != nullptr && of_b != nullptr && of_a < of_b + b.bytes && of_b < of_a + a.bytes;
  };
  return overlap(a.to, b.to) || overlap(a.to, b.from) || overlap(a.from, b.to);
}

// One rank, as far as results are given.
struct Rank {
  struct Stops {};
  int number;
  std::vector<Result> given;
  std::size_t done = 0;
  Operation next = {};
  std::vector<Access> accesses = {};  // since the last operation
  std::string said = {};              // how its calls ended

  std::uint64_t perform(const Operation& operation) {
    next = operation;
    if (done == given.size()) throw Stops{};
    accesses.clear();
    return given[done++].value;
  }
  void touch(Access access) {
    access.rank = number;
    accesses.push_back(access);
  }
};
using Code = std::function<void(Rank&)>;

// A place in a rank's run.
struct Place {
  const Place* before;
  Result result;         // of the operation of the place before
  std::uint8_t time;     // operations done, and 1
  std::uint16_t number;  // of the rank's
  Operation next;
  std::vector<Access> accesses;
  std::string said;
  std::map<Result, std::unique_ptr<Place>> after;
};
using Path = std::vector<const Place*>;

// What a rank must know: of each rank the time, behind these of each location the oldest message
// that it may still read.
using Knowledge = std::array<std::uint8_t, kMostRanks + kLocations>;
inline void add(Knowledge& knows, const Knowledge& other) {
  for (std::size_t i = 0; i < knows.size(); ++i) knows[i] = std::max(knows[i], other[i]);
}
struct Message {
  std::uint64_t value = 0;
  std::uint64_t stamp = 0;
  Knowledge knows{};
};

class Executions {
 public:
  explicit Executions(std::vector<Code> code, Fault fault = Fault::kNone)
      : code_(std::move(code)), fault_(fault) {
    for (auto& location : messages_) location.resize(1);
  }

  // "": all are right.
  std::string run() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      roots_[i] = make_place(i, nullptr, {});
      arrive(i, roots_[i].get());
    }
    explore();
    return wrong_;
  }

  std::function<std::string(const Path&)> at_end;  // "": the results are right
  std::function<std::uint64_t(const Path&, const std::byte*)> read_data;  // behind a path
  bool only_newest = false;  // a memory in which each load reads what was stored last
  bool has_timeout = true;
  std::set<std::string> said;  // by the ranks at the end
  std::set<std::string> lost;  // by the ranks while one sleeps that nobody will wake
  std::size_t later = 0;       // reads of a later post than the awaited
  std::size_t states() const { return seen_.size(); }

 private:
  struct At {
    const Place* place = nullptr;
    Knowledge knows{};
  };

  std::unique_ptr<Place> make_place(std::size_t rank, const Place* before, Result result) {
    Rank run{static_cast<int>(rank), {}};
    if (before != nullptr) run.given.push_back(result);
    for (const Place* i = before; i != nullptr && i->before != nullptr; i = i->before)
      run.given.push_back(i->result);
    std::reverse(run.given.begin(), run.given.end());
    try {
      code_[rank](run);
      run.next = {};
    } catch (const Rank::Stops&) {
    }
    const auto time = static_cast<std::uint8_t>(run.given.size() + 1);
    return std::make_unique<Place>(
        Place{before, result, time, places_[rank]++, run.next, run.accesses, run.said, {}});
  }

  void arrive(std::size_t rank, const Place* place) {
    at_[rank].place = place;
    at_[rank].knows[rank] = place->time;
    path_.push_back(place);
    for (std::size_t other = 0; other < code_.size() && !place->accesses.empty(); ++other) {
      const Place* before = other == rank ? nullptr : at_[other].place;
      for (; before != nullptr && before->time > at_[rank].knows[other]; before = before->before) {
        for (const Access& a : before->accesses) {
          for (const Access& b : place->accesses) {
            if (conflict(a, b)) wrong_ = "race";
          }
        }
      }
    }
  }

  void explore() {
    std::uint64_t state = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) state = state << 16 | at_[i].place->number;
    if (!wrong_.empty() || !seen_.insert(state).second) return;
    bool goes_on = false;
    for (std::size_t rank = 0; rank < code_.size(); ++rank) {
      for (const Result& result : choices(at_[rank])) {
        goes_on = true;
        follow(rank, result);
      }
    }
    if (!goes_on && wrong_.empty()) finish();
  }

  // One operation, and all behind it.
  void follow(std::size_t rank, const Result& result) {
    const At at = at_[rank];
    const Operation& operation = at.place->next;
    const bool stores = operation.does == Does::kStore || operation.does == Does::kAdd;
    if (operation.does != Does::kStore) read(at_[rank].knows, operation, result);
    if (stores) store(at_[rank].knows, operation, result);
    const std::size_t length = path_.size();
    step(rank, result);
    while (at_[rank].place->next.does == Does::kRead)
      step(rank, {0, read_data(path_, at_[rank].place->next.data)});
    explore();
    if (stores) messages_[operation.location].pop_back();
    at_[rank] = at;
    path_.resize(length);
  }
  void step(std::size_t rank, const Result& result) {
    const Place* from = at_[rank].place;
    std::unique_ptr<Place>& to = const_cast<Place*>(from)->after[result];
    if (to == nullptr) to = make_place(rank, from, result);
    arrive(rank, to.get());
  }

  // What the next operation may read.
  std::vector<Result> choices(const At& at) {
    const Operation& next = at.place->next;
    const int end = size(next.location);
    if (next.does == Does::kIsDone) return {};
    if (next.does == Does::kStore) return {{end, 0}};
    if (next.does == Does::kAdd) return {{end - 1, value(next.location, end - 1)}};
    Knowledge knows = at.knows;
    if (next.does == Does::kSleep) add(knows, messages_[kWakes].back().knows);
    std::vector<Result> all;
    for (int i = oldest(knows, next.location); i < end; ++i) {
      const Message& message = messages_[next.location][static_cast<std::size_t>(i)];
      const bool is_there = message.value == next.value || fault_ == Fault::kNoLookInKernel;
      const std::uint64_t next_wake = messages_[kWakes].size();
      if (next.does == Does::kLoad) all.push_back({i, message.value});
      if (next.does == Does::kSleep)
        all.push_back({static_cast<int>(100 * next_wake) + i, is_there ? next_wake : 0});
      if (next.does != Does::kAwait || message.value < next.value) continue;
      all.push_back({i, 1 + message.stamp});
      later += message.value > next.value ? 1 : 0;
    }
    // While a wait does not see the flag it looks at the end.
    if (next.does != Does::kAwait || next.location >= kEnd ||
        value(next.location, oldest(knows, next.location)) >= next.value)
      return all;
    for (int i = oldest(knows, kEnd); i < size(kEnd); ++i)
      if (value(kEnd, i) != 0) all.push_back({-1 - i, 0});
    return all;
  }
  int size(std::size_t location) const { return static_cast<int>(messages_[location].size()); }
  std::uint64_t value(std::size_t location, int i) const {
    return messages_[location][static_cast<std::size_t>(i)].value;
  }
  int oldest(const Knowledge& knows, std::size_t location) const {
    return only_newest ? size(location) - 1 : knows[kMostRanks + location];
  }

  void read(Knowledge& knows, const Operation& operation, const Result& result) {
    // The kernel holds a lock while it looks and while it wakes.
    if (operation.does == Does::kSleep) add(knows, messages_[kWakes].back().knows);
    const std::size_t from = result.message < 0 ? kEnd : operation.location;
    const int message = result.message < 0 ? -1 - result.message : result.message % 100;
    if (message >= size(from)) return;  // a sleep that ends by itself
    if (operation.orders && result.message >= 0 && fault_ != Fault::kNoAcquire)
      add(knows, messages_[from][static_cast<std::size_t>(message)].knows);
    std::uint8_t& known = knows[kMostRanks + from];
    known = std::max(known, static_cast<std::uint8_t>(message));
  }
  void store(Knowledge& knows, const Operation& operation, const Result& result) {
    auto& messages = messages_[operation.location];
    knows[kMostRanks + operation.location] = static_cast<std::uint8_t>(messages.size());
    const bool releases = operation.orders && fault_ != Fault::kNoRelease;
    messages.push_back(
        {result.value + operation.value, operation.stamp, releases ? knows : Knowledge{}});
  }

  void finish() {
    std::string all_said;
    bool are_done = true;
    std::size_t sleeper = kMostRanks;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const Operation& next = at_[i].place->next;
      all_said += at_[i].place->said + " ";
      are_done = are_done && next.does == Does::kIsDone;
      if (next.does == Does::kAwait && next.location == kWakes) sleeper = i;
    }
    if (sleeper < kMostRanks) {
      lost.insert(all_said);
      if (has_timeout) return end_sleep(sleeper);
    }
    said.insert(all_said);
    if (!are_done) wrong_ = "a rank waits for ever";
    if (at_end && wrong_.empty()) wrong_ = at_end(path_);
  }
  // What was stored before so long a time is seen.
  void end_sleep(std::size_t rank) {
    for (std::size_t i = 0; i < kLocations; ++i)
      at_[rank].knows[kMostRanks + i] = static_cast<std::uint8_t>(size(i) - 1);
    follow(rank, {static_cast<int>(100 * seen_.size()) + 99, 0});
  }

  std::vector<Code> code_;
  Fault fault_;
  std::array<At, kMostRanks> at_;
  std::array<std::unique_ptr<Place>, kMostRanks> roots_;
  std::array<std::uint16_t, kMostRanks> places_{};
  std::array<std::vector<Message>, kLocations> messages_;
  std::unordered_set<std::uint64_t> seen_;
  Path path_;
  std::string wrong_;
};

}  // namespace colltree::algorithms::interleavings
