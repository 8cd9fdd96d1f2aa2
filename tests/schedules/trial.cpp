// SPDX-License-Identifier: BSD-3-Clause
#include "trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "algorithms/algorithms.h"

namespace colltree::test {

namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

// What rank `from` contributes for rank `to` (0 where it is for all) at position i: words, two to a
// map. The factor of a map is odd, so that no order of maps is like another.
std::uint64_t word(int from, int to, std::size_t i) {
  return mixed((static_cast<std::uint64_t>(from) << 42 | static_cast<std::uint64_t>(to) << 21) +
               static_cast<std::uint64_t>(i) + 1) |
         1;
}

using Words = std::vector<std::uint64_t>;

Words words(int from, int to, std::size_t n) {
  Words made(n);
  for (std::size_t i = 0; i < n; ++i) made[i] = word(from, to, i);
  return made;
}

void append(Words& all, const Words& more) { all.insert(all.end(), more.begin(), more.end()); }

// The buffers and arguments of all ranks, and what must come out.
class Call {
 public:
  explicit Call(const Trial& trial)
      : t_(trial),
        size_(static_cast<std::size_t>(trial.size)),
        per_element_(trial.commutative ? 1 : 2),
        type_(trial.commutative ? kWord : kMap),
        op_(trial.commutative ? kSums : kComposes),
        send_(size_),
        receive_(size_),
        expected_(size_) {
    counts_.resize(size_);
    places_.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      counts_[i] = static_cast<int>(block_words(t_, static_cast<int>(i)));
      places_[i] = i == 0 ? 0 : places_[i - 1] + counts_[i - 1];
    }
    if (t_.collective == Collective::kAlltoallv) vary_pairs();
    fill();
  }

  CollectiveCall of(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    void* in = send_[r].data();
    void* out = receive_[r].data();
    const int n = t_.count;
    switch (t_.collective) {
      case Collective::kAllgather:
        return allgather_call(in, n, kWord, out, n, kWord);
      case Collective::kAllgatherv:
        return allgatherv_call(in, counts_[r], kWord, out, counts_.data(), places_.data(), kWord);
      case Collective::kAllreduce:
        return allreduce_call(in, out, n, type_, op_);
      case Collective::kAlltoall:
        return alltoall_call(in, n, kWord, out, n, kWord);
      case Collective::kAlltoallv:
        return alltoallv_call(in, pair_counts_[r].data(), pair_places_[r].data(), kWord, out,
                              pair_counts_[r].data(), pair_places_[r].data(), kWord);
      case Collective::kBcast:
        return bcast_call(out, n, kWord, t_.root);
      case Collective::kExscan:
        return exscan_call(in, out, n, type_, op_);
      case Collective::kGather:
        return gather_call(in, n, kWord, out, n, kWord, t_.root);
      case Collective::kReduce:
        return reduce_call(in, out, n, type_, op_, t_.root);
      case Collective::kReduceScatter:
        return reduce_scatter_call(in, out, counts_.data(), type_, op_);
      case Collective::kReduceScatterBlock:
        return reduce_scatter_block_call(in, out, n, type_, op_);
      case Collective::kScan:
        return scan_call(in, out, n, type_, op_);
      case Collective::kScatter:
        return scatter_call(in, n, kWord, out, n, kWord, t_.root);
      default:
        return barrier_call();
    }
  }

  bool is_right() const { return receive_ == expected_ && send_ == sent_; }

 private:
  std::size_t n() const { return static_cast<std::size_t>(t_.count); }

  void vary_pairs() {
    pair_counts_.resize(size_);
    pair_places_.resize(size_);
    for (std::size_t a = 0; a < size_; ++a) {
      int next = 0;
      for (std::size_t b = 0; b < size_; ++b) {
        pair_counts_[a].push_back(
            static_cast<int>(pair_words(t_, static_cast<int>(a), static_cast<int>(b))));
        pair_places_[a].push_back(next);
        next += pair_counts_[a].back();
      }
    }
  }

  // What rank a sends to rank b, in words.
  Words block(int a, int b) const {
    if (t_.collective == Collective::kAlltoallv)
      return words(a, b,
                   static_cast<std::size_t>(
                       pair_counts_[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)]));
    return words(a, b, n());
  }

  void fill() {
    for (int rank = 0; rank < t_.size; ++rank) fill(rank);
    if (adds_up(t_.collective)) fill_reduction();
    for (std::size_t i = 0; i < size_; ++i) {
      if (receive_[i].empty()) receive_[i].assign(expected_[i].size(), 0);
    }
    sent_ = send_;
  }

  void fill(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    const bool at_root = rank == t_.root;
    switch (t_.collective) {
      case Collective::kAllgather:
      case Collective::kAllgatherv:
      case Collective::kGather:
        send_[r] = words(rank, 0, static_cast<std::size_t>(counts_[r]));
        if (t_.collective == Collective::kGather && !at_root) return;
        for (int from = 0; from < t_.size; ++from)
          append(expected_[r],
                 words(from, 0, static_cast<std::size_t>(counts_[static_cast<std::size_t>(from)])));
        return;
      case Collective::kAlltoall:
      case Collective::kAlltoallv:
        for (int other = 0; other < t_.size; ++other) {
          append(send_[r], block(rank, other));
          append(expected_[r], block(other, rank));
        }
        return;
      case Collective::kBcast:
        expected_[r] = words(t_.root, 0, n());
        if (at_root) receive_[r] = expected_[r];
        return;
      case Collective::kScatter:
        expected_[r] = block(t_.root, rank);
        for (int to = 0; at_root && to < t_.size; ++to) append(send_[r], block(t_.root, to));
        return;
      default:
        return;
    }
  }

  std::size_t reduced() const {  // elements
    if (t_.collective == Collective::kReduceScatterBlock) return n() * size_;
    if (t_.collective != Collective::kReduceScatter) return n();
    return static_cast<std::size_t>(places_.back() + counts_.back());
  }

  void fill_reduction() {
    const std::size_t all = reduced();
    Words fold;
    for (int rank = 0; rank < t_.size; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      send_[r] = words(rank, 0, all * per_element_);
      const Words before = fold;
      Words next = send_[r];
      if (rank > 0)
        PMPI_Reduce_local(before.data(), next.data(), static_cast<int>(all), type_, op_);
      fold = next;
      if (t_.collective == Collective::kScan) expected_[r] = fold;
      if (t_.collective == Collective::kExscan)
        expected_[r] = rank == 0 ? Words(fold.size(), 0) : before;
    }
    for (std::size_t r = 0; r < size_; ++r) {
      const bool everywhere = t_.collective == Collective::kAllreduce;
      if (everywhere || (t_.collective == Collective::kReduce && static_cast<int>(r) == t_.root))
        expected_[r] = fold;
      if (t_.collective == Collective::kReduceScatter ||
          t_.collective == Collective::kReduceScatterBlock) {
        const auto first =
            static_cast<std::ptrdiff_t>(static_cast<std::size_t>(places_[r]) * per_element_);
        const auto end = first + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(counts_[r]) *
                                                             per_element_);
        expected_[r].assign(fold.begin() + first, fold.begin() + end);
      }
    }
  }

  const Trial& t_;
  std::size_t size_;
  std::size_t per_element_;  // words
  MPI_Datatype type_;
  MPI_Op op_;
  std::vector<Words> send_;
  std::vector<Words> sent_;
  std::vector<Words> receive_;
  std::vector<Words> expected_;
  std::vector<int> counts_;
  std::vector<int> places_;
  std::vector<std::vector<int>> pair_counts_;
  std::vector<std::vector<int>> pair_places_;
};

}  // namespace

std::uint64_t message_size(const Trial& trial) {
  return (trial.commutative ? 8 : 16) * static_cast<std::uint64_t>(trial.count);
}

const AlgorithmInfo& row_of(const Trial& trial) {
  return *find_portable_algorithm(trial.collective, trial.method.algorithm);
}

bool runs_itself(const Trial& trial) {
  std::map<int, std::uint64_t> ranks_on;
  std::uint64_t fullest = 0;
  for (const int node : trial.node_of()) fullest = std::max(fullest, ++ranks_on[node]);
  const auto size = static_cast<std::uint64_t>(trial.size);
  const bool in_blocks = trial.collective == Collective::kReduceScatterBlock;
  const Instance at{trial.collective, size, message_size(trial) * (in_blocks ? size : 1),
                    ranks_on.size(), fullest};
  return can_run(row_of(trial), at, trial.method.segment_size.value_or(0), trial.commutative);
}

bool has_root(Collective collective) {
  return collective == Collective::kBcast || collective == Collective::kReduce ||
         collective == Collective::kGather || collective == Collective::kScatter;
}

std::vector<Method> methods_of(Collective collective, int size) {
  const bool few = size <= 24;
  const std::vector<std::uint64_t> segments = {8, static_cast<std::uint64_t>(size) / 3 * 8};
  return portable_methods(collective, few ? segments : std::vector<std::uint64_t>{segments[1]},
                          {.fanout = {2}, .radix = {3, few ? 5U : 8U}, .requests = {3}});
}

std::size_t block_words(const Trial& trial, int rank) {
  const auto n = static_cast<std::size_t>(trial.count);
  const bool varied = !trial.alike && (trial.collective == Collective::kAllgatherv ||
                                       trial.collective == Collective::kReduceScatter);
  return varied ? (5 * static_cast<std::size_t>(rank) + 1) % (2 * n) : n;
}

// From a to b as many as from b to a.
std::size_t pair_words(const Trial& trial, int from, int to) {
  const auto n = static_cast<std::size_t>(trial.count);
  const auto a = static_cast<std::size_t>(from);
  const auto b = static_cast<std::size_t>(to);
  const bool varied = !trial.alike && trial.collective == Collective::kAlltoallv;
  return varied ? (3 * (a + b) + a * b) % (2 * n) : n;
}

std::string Trial::text() const {
  constexpr const char* kSpreads[] = {"", ", by blocks of {}", ", cyclic, {} a node",
                                      ", unevenly up to {} a node"};
  return fmt::format("{} {} on {} ranks, {} elements, root {}{}", name(collective), method.label(),
                     size, count, root, commutative ? "" : ", in order") +
         fmt::format(fmt::runtime(kSpreads[static_cast<int>(spread)]), ranks_per_node);
}

std::vector<int> Trial::node_of() const {
  std::vector<int> nodes(spread == Spread::kNotKnown ? 0 : static_cast<std::size_t>(size));
  const int all = (size + ranks_per_node - 1) / std::max(1, ranks_per_node);
  // Nodes of 1, 2, ... ranks, not side by side where 5 does not divide the ranks; node numbers
  // fall.
  int node = 0;
  int left = 1;
  for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
    const int rank = spread == Spread::kUneven && size % 5 != 0 ? 5 * i % size : i;
    int& of_rank = nodes[static_cast<std::size_t>(rank)];
    if (spread == Spread::kBlocks) of_rank = rank / ranks_per_node;
    if (spread == Spread::kCyclic) of_rank = rank % all;
    if (spread != Spread::kUneven) continue;
    of_rank = -node;
    if (--left == 0) left = ++node % ranks_per_node + 1;
  }
  return nodes;
}

Outcome run_trial(const Trial& trial, int ports, const Network* network) {
  Call call(trial);
  PortableMethod method;
  Outcome outcome;
  if (!find_method(trial.collective, trial.method, &method)) return outcome;
  const std::vector<int> node_of = trial.node_of();
  NodeLayout layout;
  if (!node_of.empty() && !layout.open(node_of.data(), trial.size)) return outcome;
  outcome.traffic = run_ranks({trial.size, ports, trial.late, node_of, network}, [&](int rank) {
    return run(method, call.of(rank), {.comm = MPI_COMM_WORLD, .nodes = &layout});
  });
  outcome.right = !outcome.traffic.deadlock && !outcome.traffic.failed && call.is_right();
  return outcome;
}

}  // namespace colltree::test
