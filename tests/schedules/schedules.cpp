// SPDX-License-Identifier: BSD-3-Clause
// Every method of the catalogue as virtual ranks run it: the result is right, every contribution
// came once, and no call waits for ever although each send waits for its receive. What is sent is
// counted: cutting a message sends no byte more, what knows the nodes sends less between them, and
// each collective has a method of the fewest rounds and one of the fewest bytes (counts.cpp). Where
// sends are eager, no rank is flooded by a long message while it has no turn. At every number of
// ranks to 64 with every root of the first 12, and at some to 512; of these at the share of
// base/test_sample.h, above 100 percent at all to 512. Words restrict it to some rows:
// schedule_check bcast allreduce/ring. "costs" compares the cost formulas with the time that the
// schedules take and "table DOCS" the table of docs/reference/algorithms.md with what is counted
// (proofs.cpp).
#include <fmt/core.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/transfer.h"
#include "base/test_sample.h"
#include "counts.h"
#include "proofs.h"

namespace colltree::test {

namespace {

long trials = 0;
std::uint64_t messages = 0;
Failures failures;

// Nobody leaves a barrier before the last one has come.
void check_waits(const Trial& trial) {
  for (const int late : {0, trial.size / 3, trial.size - 1}) {
    Trial waiting = trial;
    waiting.late = late;
    if (run_trial(waiting, 1).traffic.first_done < kLate)
      failures.add(trial, fmt::format("a rank leaves before rank {} has come", late));
  }
}

void check(const Trial& trial, Counts& counts) {
  if (!runs_itself(trial)) return;
  const Outcome outcome = run_trial(trial, 1);
  ++trials;
  messages += outcome.traffic.messages;
  if (outcome.traffic.deadlock) return failures.add(trial, "ranks wait for ever");
  if (outcome.traffic.failed)
    return failures.add(trial, "an error, or messages that nobody received");
  if (!outcome.right) return failures.add(trial, "wrong results");
  counts.add(trial, outcome.traffic);
  if (trial.collective == Collective::kBarrier) check_waits(trial);
}

constexpr int kEveryRoot = 12;  // ranks up to which every root is tried

void check_count(const Trial& asked, Counts& counts) {
  const bool few = asked.size <= kEveryRoot;
  Trial trial = asked;
  const int roots = has_root(trial.collective) ? trial.size : 1;
  for (int root = 0; root < roots; ++root) {
    if (!few && root != 0 && root != trial.size / 3 && root != trial.size - 1) continue;
    trial.root = root;
    for (const bool commutative : {true, false}) {
      if (!commutative && !(adds_up(trial.collective) && (few || root == 0))) continue;
      trial.commutative = commutative;
      check(trial, counts);
    }
  }
}

// What knows the nodes is tried on few ranks with every number of them a node, on more with some:
// many nodes and two of them, equal ones (where that number divides the ranks) and not. On many of
// these in turn, if not all are asked for.
void check_spreads(Trial trial, Counts& counts) {
  if ((row_of(trial).needs & kHierarchy) == 0) return check_count(trial, counts);
  const int size = trial.size;
  const bool few = size <= kEveryRoot;
  const bool in_turn = testing::test_share() <= 100 && size > 2 * kEveryRoot;
  const std::array<int, 3> some = {4, 7, (size + 1) / 2};
  for (const Spread spread : {Spread::kBlocks, Spread::kCyclic, Spread::kUneven}) {
    trial.spread = spread;
    for (int ranks = 2; ranks < size; ++ranks) {
      if (!few && std::ranges::find(some, ranks) == some.end()) continue;
      if (in_turn && ranks != some[static_cast<std::size_t>(size / 2 % 3)]) continue;
      trial.ranks_per_node = ranks;
      check_count(trial, counts);
    }
  }
}

// A message that has a piece for each rank; few ranks: also one that has not, and longer pieces.
// What knows the nodes goes by the length at some places: also a long one.
void check_method(Collective collective, const Method& method, int size, Counts& counts) {
  const bool few = size <= kEveryRoot;
  const bool pieces = message_unit(collective) == MessageUnit::kMessage;
  const Trial once{collective, method, size, 1};
  const bool is_long = few && (row_of(once).needs & kHierarchy) != 0 &&
                       (!has_root(collective) || method.algorithm == "multi_leader");
  for (const int count : {pieces ? size : 1, few ? 3 : 0, few && pieces ? 3 * size : 0,
                          is_long ? 1024 * (pieces ? size : 1) : 0}) {
    if (count != 0) check_spreads({collective, method, size, count}, counts);
  }
}

// "bcast" or "allreduce/ring"; no words: all.
bool is_wanted(const std::vector<std::string>& words, Collective collective,
               std::string_view algorithm) {
  const std::string row = fmt::format("{}/{}", name(collective), algorithm);
  return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
           return word == name(collective) || word == row;
         });
}

// However long the message, the messages that come to a rank before it asks for them are bounded by
// the number of ranks: a library searches them for each receive, which costs their square.
void check_flood(const Trial& asked) {
  const auto most = static_cast<std::uint64_t>(asked.size) * 2 * algorithms::kSynchronousEvery;
  for (const bool commutative : {true, false}) {
    Trial trial = asked;
    trial.commutative = commutative;
    if ((!commutative && !adds_up(trial.collective)) || !runs_itself(trial)) continue;
    for (trial.last = 0; trial.last < trial.size; ++trial.last) {
      const Outcome outcome = run_trial(trial, 1);
      ++trials;
      if (!outcome.right) return failures.add(trial, "eager sends: wrong results");
      if (outcome.traffic.most_unexpected > most)
        return failures.add(trial, fmt::format("{} messages come to a rank before it asks for them",
                                               outcome.traffic.most_unexpected));
    }
  }
}

// Many times as many segments as may come to a rank unexpected.
void check_floods(const std::vector<std::string>& words) {
  constexpr int kSegments = 256;
  for (const CollectiveInfo& info : all_collectives()) {
    for (const int size : {2, 3, 4, 5, 8}) {
      for (const Method& method : methods_of(info.collective, size)) {
        if (!is_wanted(words, info.collective, method.algorithm)) continue;
        Trial trial{info.collective, method, size, kSegments * size};
        const bool nodes = (row_of(trial).needs & kHierarchy) != 0;
        trial.spread = nodes ? Spread::kBlocks : Spread::kNotKnown;
        trial.ranks_per_node = nodes ? 2 : 0;
        check_flood(trial);
      }
    }
  }
}

std::vector<int> tried_sizes() {
  std::vector<int> sizes(8);
  std::iota(sizes.begin(), sizes.end(), 2);
  std::vector<int> large = {65, 81, 96, 100, 127, 128, 129, 191, 255, 256, 512};
  const bool is_full = testing::test_share() > 100;
  for (int size = 10; size <= (is_full ? 512 : 64); ++size) large.push_back(size);
  for (const std::size_t i : testing::sampled(large.size())) sizes.push_back(large[i]);
  return sizes;
}

int run_all(const std::vector<std::string>& words) {
  if (!words.empty() && words[0] == "costs") return check_costs();
  if (words.size() == 2 && words[0] == "table") return check_table(words[1]);
  const std::vector<int> sizes = tried_sizes();
  for (const CollectiveInfo& info : all_collectives()) {
    for (const int size : sizes) {
      Counts counts(info.collective, size, failures);
      for (const Method& method : methods_of(info.collective, size)) {
        if (is_wanted(words, info.collective, method.algorithm))
          check_method(info.collective, method, size, counts);
      }
      if (words.empty()) counts.check_least();
    }
  }
  check_floods(words);
  if (trials == 0) fmt::print("no row of the catalogue has these words\n");
  fmt::print("{} calls, {} messages, {} failures\n", trials, messages, failures.count());
  const std::size_t share = testing::test_share();
  const int most_ranks = share > 100 ? 128 : share < 33 ? 16 : 40;
  const OrderTrials orders =
      check_sum_orders(most_ranks, [&](Collective collective, std::string_view algorithm) {
        return is_wanted(words, collective, algorithm);
      });
  fmt::print("order of sums: {} calls, {} failures\n", orders.calls, orders.failures);
  return failures.count() + orders.failures == 0 && trials > 0 ? 0 : 1;
}

}  // namespace

}  // namespace colltree::test

int main(int argc, char** argv) {
  // Memory is taken once, not anew for each call.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
  return colltree::test::run_all({argv + 1, argv + argc});
}
