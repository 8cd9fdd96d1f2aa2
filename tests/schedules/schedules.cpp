// SPDX-License-Identifier: BSD-3-Clause
// Every method of the catalogue as virtual ranks run it: the result is right, every contribution
// came once, no call waits for ever although each send waits for its receive, and rounds, messages
// and bytes are what expected.cpp says. At every number of ranks to 64 with every root of the
// first 12, and at some to 512; COLLTREE_TEST_FULL=1: at all to 512. Words restrict it to some
// rows: schedule_check bcast allreduce/ring. "table 64" prints what is counted on 64 ranks.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expected.h"
#include "sum_orders.h"

namespace colltree::test {

namespace {

bool is_full = false;  // COLLTREE_TEST_FULL=1
long trials = 0;
long failures = 0;
std::uint64_t messages = 0;
std::set<std::pair<Collective, std::string>> said;  // rows whose traffic was looked at

void fail(const Trial& trial, std::string_view why) {
  if (++failures <= 20) fmt::print(stderr, "FAILED {}: {}\n", trial.text(), why);
}

std::uint64_t message_bytes(const Trial& trial) {
  const std::uint64_t element = trial.commutative ? 8 : 16;
  const std::uint64_t all = element * static_cast<std::uint64_t>(trial.count);
  return trial.collective == Collective::kReduceScatterBlock
             ? all * static_cast<std::uint64_t>(trial.size)
             : all;
}

const AlgorithmInfo& row_of(const Trial& trial) {
  return *find_portable_algorithm(trial.collective, trial.method.algorithm);
}

bool runs_itself(const Trial& trial) {
  std::map<int, std::uint64_t> ranks_on;
  std::uint64_t fullest = 0;
  for (const int node : trial.node_of()) fullest = std::max(fullest, ++ranks_on[node]);
  const Instance at{trial.collective, static_cast<std::uint64_t>(trial.size), message_bytes(trial),
                    ranks_on.size(), fullest};
  return can_run(row_of(trial), at, trial.method.segment_size.value_or(0), trial.commutative);
}

// What it must send is said of calls to or from rank 0 that need no order, and where a message is
// cut for the ranks of one whose pieces are equal.
bool is_counted(const Trial& trial) {
  const bool cut = message_unit(trial.collective) == MessageUnit::kMessage;
  return (!cut || trial.count % trial.size == 0) && trial.root == 0 && trial.commutative &&
         trial.method.parameters.requests == 0;
}

// Blocks of several lengths.
bool is_varied(Collective of) {
  return of == Collective::kAllgatherv || of == Collective::kAlltoallv ||
         of == Collective::kReduceScatter;
}

bool is_expected(const Trial& trial, Expected* expected) {
  const std::uint64_t bytes = trial.collective == Collective::kReduceScatterBlock
                                  ? message_bytes(trial) / static_cast<std::uint64_t>(trial.size)
                                  : message_bytes(trial);
  if (!is_counted(trial)) return false;
  const bool found = is_varied(trial.collective) ? expected_of_varied(trial, expected)
                                                 : expected_of(trial, bytes, expected);
  if (found) said.insert({trial.collective, trial.method.algorithm});
  return found;
}

void check_all_said() {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    const Collective of = info.collective;
    if (said.contains({of, std::string(info.algorithm)})) continue;
    ++failures;
    fmt::print(stderr, "FAILED {} {}: expected.cpp does not say what it sends\n", name(of),
               info.algorithm);
  }
}

void check_traffic(const Trial& trial, const Expected& expected, const Traffic& traffic) {
  if (expected.rounds != kNotSaid && static_cast<std::uint64_t>(traffic.rounds) > expected.rounds)
    fail(trial, fmt::format("{} rounds, not at most {}", traffic.rounds, expected.rounds));
  if (expected.messages != kNotSaid && traffic.messages != expected.messages)
    fail(trial, fmt::format("{} messages, not {}", traffic.messages, expected.messages));
  if (expected.bytes != kNotSaid && traffic.bytes != expected.bytes)
    fail(trial, fmt::format("{} bytes, not {}", traffic.bytes, expected.bytes));
  if (expected.messages_between != kNotSaid &&
      traffic.messages_between != expected.messages_between)
    fail(trial, fmt::format("{} messages between nodes, not {}", traffic.messages_between,
                            expected.messages_between));
  if (expected.bytes_between != kNotSaid && traffic.bytes_between != expected.bytes_between)
    fail(trial, fmt::format("{} bytes between nodes, not {}", traffic.bytes_between,
                            expected.bytes_between));
}

// Nobody leaves a barrier before the last one has come.
void check_waits(const Trial& trial) {
  for (const int late : {0, trial.size / 3, trial.size - 1}) {
    Trial waiting = trial;
    waiting.late = late;
    if (run_trial(waiting, 1).traffic.first_done < kLate)
      fail(trial, fmt::format("a rank leaves before rank {} has come", late));
  }
}

void check(const Trial& trial) {
  if (!runs_itself(trial)) return;
  Expected expected{};
  const bool counted = is_expected(trial, &expected);
  const Outcome outcome = run_trial(trial, counted ? static_cast<int>(expected.ports) : 1);
  ++trials;
  messages += outcome.traffic.messages;
  if (outcome.traffic.deadlock) return fail(trial, "ranks wait for ever");
  if (outcome.traffic.failed) return fail(trial, "an error, or messages that nobody received");
  if (!outcome.right) return fail(trial, "wrong results");
  if (counted) check_traffic(trial, expected, outcome.traffic);
  if (trial.collective == Collective::kBarrier) check_waits(trial);
}

bool folds(Collective collective) {
  return collective == Collective::kAllreduce || collective == Collective::kExscan ||
         collective == Collective::kReduce || collective == Collective::kReduceScatter ||
         collective == Collective::kReduceScatterBlock || collective == Collective::kScan;
}

bool has_root(Collective collective) {
  return collective == Collective::kBcast || collective == Collective::kReduce ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

constexpr int kEveryRoot = 12;  // ranks up to which every root is tried

void check_count(const Trial& asked) {
  const bool few = asked.size <= kEveryRoot;
  Trial trial = asked;
  const int roots = has_root(trial.collective) ? trial.size : 1;
  for (int root = 0; root < roots; ++root) {
    if (!few && root != 0 && root != trial.size / 3 && root != trial.size - 1) continue;
    trial.root = root;
    for (const bool commutative : {true, false}) {
      if (!commutative && !(folds(trial.collective) && (few || root == 0))) continue;
      trial.commutative = commutative;
      check(trial);
    }
  }
}

// What knows the nodes is tried on few ranks with every number of them a node, on more with some:
// many nodes and two of them, equal ones (where that number divides the ranks) and not. On many of
// these in turn, if not all are asked for.
void check_spreads(Trial trial) {
  if ((row_of(trial).needs & kHierarchy) == 0) return check_count(trial);
  const int size = trial.size;
  const bool few = size <= kEveryRoot;
  const bool in_turn = !is_full && size > 2 * kEveryRoot;
  const std::array<int, 3> some = {4, 7, (size + 1) / 2};
  for (const Spread spread : {Spread::kBlocks, Spread::kCyclic, Spread::kUneven}) {
    trial.spread = spread;
    for (int ranks = 2; ranks < size; ++ranks) {
      if (!few && std::ranges::find(some, ranks) == some.end()) continue;
      if (in_turn && ranks != some[static_cast<std::size_t>(size / 2 % 3)]) continue;
      trial.ranks_per_node = ranks;
      check_count(trial);
    }
  }
}

// A message that has a piece for each rank; few ranks: also one that has not, and longer pieces.
// What knows the nodes goes by the length at some places: also a long one.
void check_method(Collective collective, const Method& method, int size) {
  const bool few = size <= kEveryRoot;
  const bool pieces = message_unit(collective) == MessageUnit::kMessage;
  const Trial once{collective, method, size, 1};
  const bool is_long = few && (row_of(once).needs & kHierarchy) != 0 &&
                       (!has_root(collective) || method.algorithm == "multi_leader");
  for (const int count : {pieces ? size : 1, few ? 3 : 0, few && pieces ? 3 * size : 0,
                          is_long ? 1024 * (pieces ? size : 1) : 0}) {
    if (count != 0) check_spreads({collective, method, size, count});
  }
}

// Segments of two elements, and of pieces of which several make a message.
std::vector<Method> methods_of(Collective collective, int size) {
  const bool few = size <= 2 * kEveryRoot;
  const std::vector<std::uint64_t> segments = {8, static_cast<std::uint64_t>(size) / 3 * 8};
  return portable_methods(collective, few ? segments : std::vector<std::uint64_t>{segments[1]},
                          {.fanout = {2}, .radix = {3, few ? 5U : 8U}, .requests = {3}});
}

bool is_taken(int size) {
  if (is_full || size <= 64) return true;
  static const std::set<int> some = {65, 81, 96, 100, 127, 128, 129, 191, 255, 256, 512};
  return some.contains(size);
}

}  // namespace

// For docs/algorithms.md: of every bare row on so many ranks, 8 a node where it knows the nodes,
// the rounds counted and those of the formula, messages and bytes (in message sizes) as both have
// them. Of blocks of one length.
int print_table(int size) {
  for (const AlgorithmInfo& info : portable_algorithms()) {
    if (is_varied(info.collective)) continue;
    const bool pieces = message_unit(info.collective) == MessageUnit::kMessage;
    Trial trial{info.collective, {std::string(info.algorithm), 0, {}}, size, pieces ? size : 1};
    if ((info.needs & kHierarchy) != 0) trial.spread = Spread::kBlocks;
    trial.ranks_per_node = 8;
    Expected expected{};
    if (!runs_itself(trial) || !is_expected(trial, &expected)) continue;
    const Traffic traffic = run_trial(trial, static_cast<int>(expected.ports)).traffic;
    const double unit = 8.0 * (pieces ? size : 1);
    fmt::print("| {} | {} | {} | {} | {} | {} | {:.6g} |\n", name(info.collective), info.algorithm,
               expected.ports, traffic.rounds,
               expected.rounds == kNotSaid ? "-" : fmt::to_string(expected.rounds),
               traffic.messages, static_cast<double>(traffic.bytes) / unit);
  }
  return 0;
}

// "bcast" or "allreduce/ring"; no words: all.
bool is_wanted(const std::vector<std::string>& words, Collective collective,
               std::string_view algorithm) {
  const std::string row = fmt::format("{}/{}", name(collective), algorithm);
  return words.empty() || std::ranges::any_of(words, [&](const std::string& word) {
           return word == name(collective) || word == row;
         });
}

int run_all(const std::vector<std::string>& words) {
  if (words.size() == 2 && words[0] == "table") return print_table(std::stoi(words[1]));
  const char* full = std::getenv("COLLTREE_TEST_FULL");
  is_full = full != nullptr && *full == '1';
  for (const CollectiveInfo& info : all_collectives()) {
    for (int size = 2; size <= 512; ++size) {
      if (!is_taken(size)) continue;
      for (const Method& method : methods_of(info.collective, size)) {
        if (is_wanted(words, info.collective, method.algorithm))
          check_method(info.collective, method, size);
      }
    }
  }
  if (words.empty()) check_all_said();
  fmt::print("{} calls, {} messages, {} failures\n", trials, messages, failures);
  const OrderTrials orders =
      check_sum_orders(is_full ? 128 : 40, [&](Collective collective, std::string_view algorithm) {
        return is_wanted(words, collective, algorithm);
      });
  fmt::print("order of sums: {} calls, {} failures\n", orders.calls, orders.failures);
  failures += orders.failures;
  return failures == 0 && trials > 0 ? 0 : 1;
}

}  // namespace colltree::test

int main(int argc, char** argv) {
  // Memory is taken once, not anew for each call.
  mallopt(M_MMAP_THRESHOLD, 1 << 28);
  mallopt(M_TRIM_THRESHOLD, 1 << 29);
  return colltree::test::run_all({argv + 1, argv + argc});
}
