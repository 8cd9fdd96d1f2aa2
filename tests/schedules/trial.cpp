// SPDX-License-Identifier: BSD-3-Clause
#include "trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
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

// The buffers and arguments of all ranks, and what must come out.
class Call {
 public:
  explicit Call(const Trial& trial)
      : t_(trial),
        type_(trial.commutative ? kWord : kMap),
        per_element_(trial.commutative ? 1 : 2),
        op_(trial.commutative ? kSums : kComposes) {
    for (int rank = 0; rank < trial.size; ++rank) layouts_.push_back(layout_of(trial, rank, type_));
    for (const algorithms::CallLayout& layout : layouts_)
      fill(layout, algorithms::contents_of(layout));
    sent_ = send_;
  }

  algorithms::CollectiveCall of(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return algorithms::make_call(layouts_[r], send_[r].data(), receive_[r].data(), op_);
  }

  bool is_right() const { return receive_ == expected_ && send_ == sent_; }

 private:
  std::size_t words_in(std::int64_t elements) const {
    return static_cast<std::size_t>(elements) * per_element_;
  }

  void fill(const algorithms::CallLayout& layout, const algorithms::CallContents& all) {
    send_.emplace_back(words_in(all.send_elements));
    receive_.emplace_back(words_in(all.receive_elements));
    for (const algorithms::Block& block : all.send) put(send_.back(), block, layout);
    for (const algorithms::Block& block : all.initial) put(receive_.back(), block, layout);
    expected_.push_back(receive_.back());
    for (const algorithms::Block& block : all.result) put(expected_.back(), block, layout);
  }

  void put(Words& buffer, const algorithms::Block& block, const algorithms::CallLayout& layout) {
    const auto place = buffer.begin() + static_cast<std::ptrdiff_t>(words_in(block.place));
    const std::size_t count = words_in(block.count);
    if (!adds_up(layout.collective) || block.ranks == 1) {
      std::ranges::copy(words(block.from, block.to, count), place);
      return;
    }
    const auto first =
        combined(block.ranks).begin() + static_cast<std::ptrdiff_t>(words_in(block.first));
    std::copy_n(first, count, place);
  }

  // What the first ranks contribute; they are asked for in ascending order of their number.
  const Words& combined(int ranks) {
    const std::size_t all = send_.front().size();
    if (combined_ranks_ == 0) combined_ = words(0, 0, all);
    for (combined_ranks_ = std::max(combined_ranks_, 1); combined_ranks_ < ranks;
         ++combined_ranks_) {
      Words next = words(combined_ranks_, 0, all);
      PMPI_Reduce_local(combined_.data(), next.data(), static_cast<int>(all / per_element_), type_,
                        op_);
      combined_ = std::move(next);
    }
    return combined_;
  }

  const Trial& t_;
  MPI_Datatype type_;
  std::size_t per_element_;  // words
  MPI_Op op_;
  std::vector<algorithms::CallLayout> layouts_;
  std::vector<Words> send_;
  std::vector<Words> sent_;
  std::vector<Words> receive_;
  std::vector<Words> expected_;
  Words combined_;
  int combined_ranks_ = 0;
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
  return !shares_memory(trial.collective, trial.method) &&
         can_run(row_of(trial), at, trial.method.segment_size.value_or(0), trial.commutative);
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

// Blocks of several lengths one behind the other.
algorithms::CallSide varied_side(MPI_Datatype type, const std::vector<int>& counts) {
  algorithms::CallSide side{
      .type = type, .counts = counts, .places = std::vector<int>(counts.size())};
  std::partial_sum(counts.begin(), counts.end() - 1, side.places.begin() + 1);
  return side;
}

algorithms::CallLayout layout_of(const Trial& trial, int rank, MPI_Datatype type) {
  algorithms::CallLayout layout{
      .collective = trial.collective, .rank = rank, .size = trial.size, .root = trial.root};
  layout.receive = {.type = adds_up(trial.collective) ? type : kWord, .count = trial.count};
  std::vector<int> counts;
  for (int other = 0; other < trial.size; ++other) {
    const bool pairs = trial.collective == Collective::kAlltoallv;
    counts.push_back(
        static_cast<int>(pairs ? pair_words(trial, rank, other) : block_words(trial, other)));
  }
  const int own = counts[static_cast<std::size_t>(rank)];
  if (trial.collective == Collective::kAllgatherv || trial.collective == Collective::kAlltoallv ||
      trial.collective == Collective::kReduceScatter)
    layout.receive = varied_side(layout.receive.type, counts);
  if (adds_up(trial.collective) || trial.collective == Collective::kBcast) return layout;
  layout.send = layout.receive;
  if (trial.collective == Collective::kAllgatherv) layout.send = {.type = kWord, .count = own};
  return layout;
}

Outcome run_trial(const Trial& trial, int ports, const parametric::Network* network) {
  Call call(trial);
  algorithms::PortableMethod method;
  Outcome outcome;
  if (!algorithms::find_method(trial.collective, trial.method, &method)) return outcome;
  const std::vector<int> node_of = trial.node_of();
  algorithms::NodeLayout layout;
  if (!node_of.empty() && !layout.open(node_of.data(), trial.size)) return outcome;
  outcome.traffic =
      run_ranks({trial.size, ports, trial.late, node_of, network, trial.last}, [&](int rank) {
        return algorithms::run(method, call.of(rank), {.comm = MPI_COMM_WORLD, .nodes = &layout});
      });
  outcome.right = !outcome.traffic.deadlock && !outcome.traffic.failed && call.is_right();
  return outcome;
}

}  // namespace colltree::test
