// SPDX-License-Identifier: BSD-3-Clause
#include "counts.h"

#include <fmt/core.h>

#include <bit>
#include <cstdio>

namespace colltree::test {

namespace {

using Number = std::uint64_t;

// The calls whose least counts are known: to or from rank 0, of one word for each rank.
bool is_plain(const Trial& trial) {
  const bool pieces = message_unit(trial.collective) == MessageUnit::kMessage;
  return trial.count == (pieces ? trial.size : 1) && trial.root == 0 && trial.commutative;
}

// Bytes that any algorithm must send in all; none where blocks have several lengths. Every rank
// needs what it does not have; of an allreduce each piece has to come together and to come back.
std::optional<Number> least_bytes(Collective collective, Number ranks) {
  const Number words = ranks - 1;
  switch (collective) {
    case Collective::kBarrier:
      return 0;
    case Collective::kGather:
    case Collective::kScatter:
      return 8 * words;
    case Collective::kAllreduce:
      return 8 * ranks * 2 * words;
    case Collective::kAllgatherv:
    case Collective::kAlltoallv:
    case Collective::kReduceScatter:
      return std::nullopt;
    default:
      return 8 * ranks * words;
  }
}

// A rank's word can have come to 2^r ranks after r rounds, and a sum can hold as many.
int least_rounds(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

// Rounds more that the reductions whose ranks all end with a part of the sum take where some ranks
// have to join others first.
int more_rounds(Collective collective, int ranks) {
  const bool joins = collective == Collective::kAllreduce ||
                     collective == Collective::kReduceScatter ||
                     collective == Collective::kReduceScatterBlock;
  return joins && !std::has_single_bit(static_cast<unsigned>(ranks)) ? 1 : 0;
}

}  // namespace

void Failures::add(const Trial& trial, std::string_view why) {
  if (++count_ <= 20) fmt::print(stderr, "FAILED {}: {}\n", trial.text(), why);
}

void Counts::add(const Trial& trial, const Traffic& traffic) {
  check_segments(trial, traffic);
  check_nodes(trial, traffic);
  if (!is_plain(trial)) return;
  least_rounds_ = std::min(least_rounds_, traffic.time);
  least_bytes_ = std::min(least_bytes_.value_or(traffic.bytes), traffic.bytes);
}

// A message that is cut sends as many bytes as whole. Uncut methods come first.
void Counts::check_segments(const Trial& trial, const Traffic& traffic) {
  const Key key{trial.method.name(), trial.count,  trial.root,
                trial.commutative,   trial.spread, trial.ranks_per_node};
  if (trial.method.segment_size.value_or(0) == 0) {
    uncut_bytes_[key] = traffic.bytes;
    return;
  }
  const auto uncut = uncut_bytes_.find(key);
  if (uncut != uncut_bytes_.end() && traffic.bytes != uncut->second)
    failures_.add(trial,
                  fmt::format("{} bytes, without segments {}", traffic.bytes, uncut->second));
}

constexpr int kManyRanks = 16;

// What knows the nodes sends as many messages and bytes between them as what runs in its place
// where they are not known, or fewer of one of them; ranks lie on them in turn.
void Counts::check_nodes(const Trial& trial, const Traffic& traffic) {
  if (trial.spread != Spread::kCyclic || trial.root != 0 || !trial.commutative) return;
  if (trial.size < kManyRanks) return;  // sending the lengths first costs more on few
  Trial other = trial;
  other.method = {std::string(row_of(trial).fallback), 0, {}};
  while (!runs_itself(other)) other.method.algorithm = row_of(other).fallback;
  if (row_of(other).needs & kHierarchy) return;
  const Traffic flat = run_trial(other, 1).traffic;
  const bool fewer = traffic.messages_between < flat.messages_between ||
                     traffic.bytes_between < flat.bytes_between;
  const bool equal = traffic.messages_between == flat.messages_between &&
                     traffic.bytes_between == flat.bytes_between;
  if (!fewer && !equal)
    failures_.add(
        trial, fmt::format("{} messages and {} bytes between nodes, {} {} and {}",
                           traffic.messages_between, traffic.bytes_between, other.method.algorithm,
                           flat.messages_between, flat.bytes_between));
}

void Counts::check_least() {
  if (!least_bytes_) return;  // the collective has no method
  const Trial any{collective_, {}, size_, 0};
  const int rounds = least_rounds(size_) + more_rounds(collective_, size_);
  // No row of alltoallv passes blocks on where nodes are not known.
  if (least_rounds_ > rounds && collective_ != Collective::kAlltoallv)
    failures_.add(any,
                  fmt::format("no method of {} rounds, the least is {}", rounds, least_rounds_));
  const auto bytes = least_bytes(collective_, static_cast<Number>(size_));
  if (bytes && *least_bytes_ != *bytes)
    failures_.add(any, fmt::format("the least are {} bytes, not {}", *least_bytes_, *bytes));
}

}  // namespace colltree::test
