// SPDX-License-Identifier: BSD-3-Clause
// Of blocks of several lengths: who sends which of them how often. In rounds they take no more than
// blocks of one length.
#include <algorithm>
#include <bit>
#include <map>
#include <string_view>
#include <vector>

#include "expected.h"

namespace colltree::test {

namespace {

using Number = std::uint64_t;

Number edges_up_binomial(Number position) { return static_cast<Number>(std::popcount(position)); }

// The ranks, their nodes, and what each sends or gets.
class Ranks {
 public:
  explicit Ranks(const Trial& trial)
      : p(static_cast<Number>(trial.size)), t_(trial), node_(trial.node_of()) {
    std::map<int, Number> next;
    for (const int node : node_) index_.push_back(next[node]++);
    for (const auto& [node, ranks] : next) fullest_ = std::max(fullest_, ranks);
    ranks_on_ = next;
    nodes = std::max<Number>(1, next.size());
    const Number wanted = trial.method.parameters.fanout;
    lanes_ = wanted == 0 ? fullest_ : std::min(wanted, fullest_);
    members = std::bit_floor(p);
  }

  Number p;
  Number nodes;
  Number members;  // of exchanges that others join

  Number block(Number rank) const { return 8 * block_words(t_, static_cast<int>(rank)); }
  Number pair(Number from, Number to) const {
    return 8 * pair_words(t_, static_cast<int>(from), static_cast<int>(to));
  }
  Number all_blocks() const {
    Number sum = 0;
    for (Number rank = 0; rank < p; ++rank) sum += block(rank);
    return sum;
  }
  Number row(Number rank) const {
    Number sum = 0;
    for (Number to = 0; to < p; ++to) sum += pair(rank, to);
    return sum;
  }
  Number column(Number rank) const {
    Number sum = 0;
    for (Number from = 0; from < p; ++from) sum += pair(from, rank);
    return sum;
  }

  bool are_apart(Number a, Number b) const { return node_[a] != node_[b]; }
  bool leads(Number rank) const { return index_[rank] == 0; }
  Number index(Number rank) const { return index_[rank]; }

  // Groups of a node differ by one; where there are more lanes than ranks a group is a rank.
  Number lane(Number rank) const {
    const Number here = ranks_on_.at(node_[rank]);
    if (here < lanes_) return (index_[rank] * lanes_ + here - 1) / here;
    Number lane = 0;
    while (((lane + 1) * here + lanes_ - 1) / lanes_ <= index_[rank]) ++lane;
    return lane;
  }
  // Of the lane on the node of this rank, the index there.
  Number leader(Number lane, Number rank) const {
    const Number here = ranks_on_.at(node_[rank]);
    return here < lanes_ ? lane * here / lanes_ : (lane * here + lanes_ - 1) / lanes_;
  }
  // In which lengths are told: to a leader by one rank after the other, then between leaders.
  Number rounds_before() const {
    if (t_.collective != Collective::kAlltoallv) return 0;
    if (t_.method.algorithm == "hierarchical") return fullest_ - 1;
    return t_.method.algorithm == "locality" ? (fullest_ + lanes_ - 1) / lanes_ : 0;
  }
  Number in_group(Number rank) const { return index_[rank] - leader(lane(rank), rank); }

 private:
  const Trial& t_;
  std::vector<int> node_;
  std::vector<Number> index_;
  std::map<int, Number> ranks_on_;
  Number fullest_ = 0;
  Number lanes_ = 0;
};

struct Bytes {
  Number all;
  Number between = kNotSaid;
};

Bytes to_all(const Ranks& r) { return {(r.p - 1) * r.all_blocks()}; }
// From member to member; the odd ones of the first ranks join and get all, or the other way round.
Bytes among_members(const Ranks& r) {
  Number sum = (r.members - 1 + r.p - r.members) * r.all_blocks();
  for (Number pair = 0; pair < r.p - r.members; ++pair) sum += r.block(2 * pair + 1);
  return {sum};
}
Bytes up_and_down(const Ranks& r) {
  Number sum = (r.p - 1) * r.all_blocks();
  for (Number rank = 0; rank < r.p; ++rank) sum += edges_up_binomial(rank) * r.block(rank);
  return {sum};
}
template <typename Position>
Bytes over_nodes(const Ranks& r, Position position) {
  Number sum = (r.p - 1) * r.all_blocks();
  for (Number rank = 0; rank < r.p; ++rank)
    sum += edges_up_binomial(position(rank)) * r.block(rank);
  return {sum, (r.nodes - 1) * r.all_blocks()};
}
Bytes gather_by_leaders(const Ranks& r) {
  return over_nodes(r, [&](Number rank) { return r.index(rank); });
}
Bytes gather_by_lanes(const Ranks& r) {
  return over_nodes(r, [&](Number rank) { return r.in_group(rank); });
}

Bytes scatterv(const Ranks& r) { return {r.p * r.all_blocks() - r.block(0)}; }
// Near ranks first: a member ends with the blocks of its mirror image.
Bytes butterfly(const Ranks& r) {
  const Number more = r.p - r.members;
  Number sum = (r.p - 1) * r.all_blocks();
  for (Number rank = 0; rank < r.p; ++rank) {
    const Number member = rank < 2 * more ? rank / 2 : rank - more;
    Number image = 0;
    for (Number bit = 1; bit < r.members; bit *= 2)
      image = 2 * image + ((member & bit) != 0 ? 1 : 0);
    if (rank != (image < more ? 2 * image : image + more)) sum += r.block(rank);
  }
  return {sum};
}

Bytes each_to_each(const Ranks& r) {
  Number sum = 0;
  for (Number rank = 0; rank < r.p; ++rank) sum += r.row(rank) - r.pair(rank, rank);
  return {sum};
}
Number between_nodes(const Ranks& r, Number told) {
  Number sum = 0;
  for (Number from = 0; from < r.p; ++from) {
    for (Number to = 0; to < r.p; ++to) sum += r.are_apart(from, to) ? r.pair(from, to) + told : 0;
  }
  return sum;
}
// A rank tells its leader 16 bytes for each rank, gives it all and gets all from it.
Bytes exchange_by_leaders(const Ranks& r) {
  const Number between = between_nodes(r, 0);
  Number sum = between;
  for (Number rank = 0; rank < r.p; ++rank)
    sum += r.leads(rank) ? 0 : r.row(rank) + r.column(rank) + 16 * r.p;
  return {sum, between};
}
// With 8 bytes for each block that others pass on.
Bytes exchange_by_lanes(const Ranks& r) {
  const Number between = between_nodes(r, 8);
  Number sum = between;
  for (Number from = 0; from < r.p; ++from) {
    if (r.in_group(from) != 0) sum += r.row(from) + 8 * r.p;
    for (Number to = 0; to < r.p; ++to)
      sum += r.leader(r.lane(from), to) == r.index(to) ? 0 : r.pair(from, to);
  }
  return {sum, between};
}

struct VariedRow {
  Collective collective;
  std::string_view algorithm;
  Bytes (*bytes)(const Ranks& ranks);
};

constexpr VariedRow kVariedRows[] = {
    {Collective::kAllgatherv, "ring", to_all},
    {Collective::kAllgatherv, "recursive_doubling", to_all},
    {Collective::kAllgatherv, "bruck", to_all},
    {Collective::kAllgatherv, "recursive_multiplying", among_members},
    {Collective::kAllgatherv, "neighbor_exchange", to_all},
    {Collective::kAllgatherv, "gather_bcast", up_and_down},
    {Collective::kAllgatherv, "hierarchical", gather_by_leaders},
    {Collective::kAllgatherv, "locality", gather_by_lanes},
    {Collective::kAlltoallv, "linear", each_to_each},
    {Collective::kAlltoallv, "ring", each_to_each},
    {Collective::kAlltoallv, "pairwise", each_to_each},
    {Collective::kAlltoallv, "hierarchical", exchange_by_leaders},
    {Collective::kAlltoallv, "locality", exchange_by_lanes},
    {Collective::kReduceScatter, "reduce_scatterv", scatterv},
    {Collective::kReduceScatter, "recursive_halving", among_members},
    {Collective::kReduceScatter, "recursive_multiplying", among_members},
    {Collective::kReduceScatter, "pairwise", to_all},
    {Collective::kReduceScatter, "ring", to_all},
    {Collective::kReduceScatter, "butterfly", butterfly},
    {Collective::kReduceScatter, "circulant", to_all},
};

Collective of_one_length(Collective collective) {
  if (collective == Collective::kAllgatherv) return Collective::kAllgather;
  if (collective == Collective::kAlltoallv) return Collective::kAlltoall;
  return collective == Collective::kReduceScatter ? Collective::kReduceScatterBlock : collective;
}

}  // namespace

bool expected_of_varied(const Trial& trial, Expected* expected) {
  Ranks ranks(trial);
  Number longest = 0;
  Number all = 0;
  for (Number rank = 0; trial.collective != Collective::kAlltoallv && rank < ranks.p; ++rank) {
    longest = std::max(longest, ranks.block(rank));
    all += ranks.block(rank);
  }
  Trial alike = trial;
  alike.collective = of_one_length(trial.collective);
  const bool by_longest = trial.method.algorithm == "circulant";
  if (!expected_of(alike, by_longest ? longest : all / ranks.p, expected)) return false;
  if (trial.method.algorithm == "recursive_multiplying") ranks.members = members_of(alike);
  if (expected->rounds != kNotSaid) expected->rounds += ranks.rounds_before();
  // Who gets an empty block does not wait, and is ahead of the others.
  if (trial.method.algorithm == "pairwise") expected->rounds = kNotSaid;
  const auto* row = std::ranges::find_if(kVariedRows, [&](const VariedRow& one) {
    return one.collective == trial.collective && one.algorithm == trial.method.algorithm;
  });
  if (row == std::end(kVariedRows)) return false;
  const Bytes bytes = row->bytes(ranks);
  expected->messages = kNotSaid;
  expected->bytes = bytes.all;
  expected->messages_between = kNotSaid;
  expected->bytes_between = bytes.between;
  return true;
}

}  // namespace colltree::test
