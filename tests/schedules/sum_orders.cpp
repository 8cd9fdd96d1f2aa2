// SPDX-License-Identifier: BSD-3-Clause
// The elements are names of sums: rank i contributes leaf(i), and the operation gives two names
// that of their sum, a + b and b + a the same, (a + b) + c and a + (b + c) not. So what comes out
// says along which tree it was added up.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/algorithms.h"
#include "algorithms/trees.h"
#include "coll/catalogue.h"
#include "proofs.h"
#include "trial.h"

namespace colltree::test {

namespace {

using Names = std::vector<std::uint64_t>;

std::uint64_t leaf(int rank) { return joined(static_cast<std::uint64_t>(rank) + 1, 77); }

// The contributions of `ranks` along a tree of positions.
std::uint64_t along(algorithms::TreeShape* shape, const std::vector<int>& ranks, int radix,
                    int position = 0) {
  const algorithms::Tree tree = shape(static_cast<int>(ranks.size()), position, radix);
  std::uint64_t name = leaf(ranks[static_cast<std::size_t>(position)]);
  for (int i = 0; i < tree.child_count; ++i)
    name = joined(name, along(shape, ranks, radix, tree.children[i]));
  return name;
}

std::vector<int> from(int size, int first, int step) {
  std::vector<int> ranks;
  for (int i = 0; i < size; ++i) ranks.push_back(((first + i * step) % size + size) % size);
  return ranks;
}

std::uint64_t one_by_one(const std::vector<int>& ranks) {
  std::uint64_t name = leaf(ranks[0]);
  for (std::size_t i = 1; i < ranks.size(); ++i) name = joined(name, leaf(ranks[i]));
  return name;
}

// `members` names are left: surplus ranks join a neighbour first.
Names in_pairs(int size, int members) {
  Names names;
  for (int rank = 0; rank < size; ++rank) {
    const bool paired = rank < 2 * (size - members);
    names.push_back(paired ? joined(leaf(rank), leaf(rank + 1)) : leaf(rank));
    if (paired) ++rank;
  }
  return names;
}

std::uint64_t by_pairs(int size, bool near) {
  int members = 1;
  while (2 * members <= size) members *= 2;
  Names names = in_pairs(size, members);
  for (std::size_t left = names.size() / 2; left > 0; left /= 2) {
    for (std::size_t i = 0; i < left; ++i)
      names[i] = near ? joined(names[2 * i], names[2 * i + 1]) : joined(names[i], names[i + left]);
  }
  return names[0];
}

// The numbers of neighbours that are added up: the fewest steps, those of the pairs among them.
std::vector<int> groups_of(int size, int radix) {
  std::vector<int> all;
  int rest = size;
  for (int factor = radix; factor > 1; --factor) {
    for (; rest % factor == 0; rest /= factor) all.push_back(factor);
  }
  std::vector<int> some;
  int left = size;
  for (; left >= radix; left /= radix) some.push_back(radix);
  if (left > 1) some.push_back(left);
  int members = 1;
  for (const int factor : some) members *= factor;
  return rest == 1 && all.size() <= some.size() + (members == size ? 0 : 2) ? all : some;
}

std::uint64_t by_groups(int size, int radix) {
  const std::vector<int> groups = groups_of(size, radix);
  int members = 1;
  for (const int factor : groups) members *= factor;
  Names names = in_pairs(size, members);
  for (const int factor : groups) {
    Names next;
    for (auto group = names.begin(); group != names.end(); group += factor) {
      std::uint64_t name = group[factor - 1];
      for (int i = factor - 2; i >= 0; --i) name = joined(group[i], name);
      next.push_back(name);
    }
    names = next;
  }
  return names[0];
}

// Of ranks first .. first + length - 1, whose number is a power of two.
std::uint64_t block(int first, int length) {
  if (length == 1) return leaf(first);
  return joined(block(first, length / 2), block(first + length / 2, length / 2));
}

// Of the ranks below `end`, and rank `end` itself where the prefix is inclusive.
std::uint64_t by_blocks(int end, bool inclusive) {
  std::uint64_t name = inclusive ? leaf(end) : 0;
  for (int length = 1; length <= end; length *= 2) {
    if ((end & length) == 0) continue;
    const std::uint64_t lower = block((end & ~(2 * length - 1)), length);
    name = name == 0 ? lower : joined(lower, name);
  }
  return name;
}

// Of the ranks that the one at this position (rank + 1) collects going up.
std::uint64_t collected(int position) {
  std::uint64_t name = leaf(position - 1);
  for (int bit = 1; (position & bit) == 0; bit *= 2) name = joined(collected(position - bit), name);
  return name;
}

std::uint64_t by_fenwick(int ranks) {
  if (ranks == 0) return 0;
  const int rest = ranks & (ranks - 1);
  return rest == 0 ? collected(ranks) : joined(by_fenwick(rest), collected(ranks));
}

// exscan keeps its own contribution apart and adds it to what came from below.
std::uint64_t with_own(int position, std::uint64_t below) {
  return below == 0 ? leaf(position - 1) : joined(leaf(position - 1), below);
}

std::uint64_t taken_from(std::uint64_t lower, std::uint64_t below) {
  return below == 0 ? lower : joined(lower, below);
}

std::uint64_t collected_below(int position) {
  std::uint64_t below = 0;
  for (int bit = 1; (position & bit) == 0; bit *= 2)
    below = taken_from(with_own(position - bit, collected_below(position - bit)), below);
  return below;
}

std::uint64_t below_by_fenwick(int position) {
  const int rest = position & (position - 1);
  if (rest == 0) return collected_below(position);
  return taken_from(with_own(rest, below_by_fenwick(rest)), collected_below(position));
}

// What rank `rank` has in each element.
std::uint64_t expected_name(const SumOrder& order, Collective collective, int size, int root,
                            int rank) {
  const bool inclusive = collective == Collective::kScan;
  switch (order.tree) {
    case SumTree::kDownwards:
      return one_by_one(from(size, root, -1));
    case SumTree::kUpwards:
      return one_by_one(from(rank + (inclusive ? 1 : 0), 0, 1));
    case SumTree::kChain:
      return along(algorithms::chain_tree, from(size, root, 1), 2);
    case SumTree::kBinomial:
      return along(algorithms::knomial_tree, from(size, root, 1), 2);
    case SumTree::kKnomial:
      return along(algorithms::knomial_tree, from(size, root, 1), static_cast<int>(order.radix));
    case SumTree::kBinary:
      return along(algorithms::binary_tree, from(size, root, 1), 2);
    case SumTree::kRanksBinary:
      return along(algorithms::binary_tree, from(size, size - 1, -1), 2);
    case SumTree::kNearPairs:
    case SumTree::kFarPairs:
      return by_pairs(size, order.tree == SumTree::kNearPairs);
    case SumTree::kNearGroups:
      return by_groups(size, static_cast<int>(order.radix));
    case SumTree::kBlocks:
      return by_blocks(rank, inclusive);
    case SumTree::kUnordered:
      return 0;
    case SumTree::kFenwick:
      return inclusive ? by_fenwick(rank + 1) : below_by_fenwick(rank + 1);
  }
  return 0;
}

// The buffers of one call. What is not received stays 0.
class NamedCall {
 public:
  NamedCall(const Trial& trial, bool in_place) {
    for (int rank = 0; rank < trial.size; ++rank) {
      algorithms::CallLayout layout = layout_of(trial, rank, kWord);
      layout.in_place = in_place && (trial.collective != Collective::kReduce || rank == trial.root);
      const algorithms::CallContents all = algorithms::contents_of(layout);
      send_.emplace_back(all.send_elements, leaf(rank));
      receive_.emplace_back(all.receive_elements, in_place ? leaf(rank) : 0);
      results_.push_back(all.result.empty() ? 0 : all.result[0].count);
      layouts_.push_back(std::move(layout));
    }
  }

  algorithms::CollectiveCall of(int rank) {
    const auto r = static_cast<std::size_t>(rank);
    return algorithms::make_call(layouts_[r], send_[r].data(), receive_[r].data(), kJoins);
  }

  // The results of a rank, each once; none where it has none.
  std::set<std::uint64_t> names(int rank) const {
    const auto r = static_cast<std::size_t>(rank);
    return {receive_[r].begin(), receive_[r].begin() + results_[r]};
  }

 private:
  std::vector<algorithms::CallLayout> layouts_;
  std::vector<Names> send_;
  std::vector<Names> receive_;
  std::vector<std::int64_t> results_;
};

class OrderChecker {
 public:
  explicit OrderChecker(int most) : most_(most) {}

  OrderTrials check_all(const WantsRow& wants) {
    for (const AlgorithmInfo& info : portable_algorithms()) {
      if (adds_up(info.collective) && wants(info.collective, info.algorithm)) check(info);
    }
    return trials_;
  }

 private:
  // An algorithm without an order has several trees of one communicator size and root.
  void check(const AlgorithmInfo& info) {
    trees_.clear();
    const Method bare{std::string(info.algorithm), 0, {}};
    const bool ordered = sum_order(info.collective, bare).has_value();
    for (int size = 2; size <= (ordered ? most_ : std::min(most_, 12)); ++size) {
      for (const Method& method :
           portable_methods(info.collective, std::vector<std::uint64_t>{8, 24},
                            {.fanout = {}, .radix = {3, 8}, .requests = {}})) {
        if (method.algorithm == info.algorithm) check(info.collective, method, size);
      }
    }
    // What needs a power of two has another tree elsewhere: that may be left unsaid. What needs
    // shared memory has its fallback's tree here.
    const bool everywhere =
        (info.needs & kPowerOfTwo) == 0 && !shares_memory(info.collective, bare);
    if (!ordered && everywhere && !trees_several_)
      fail(
          fmt::format("{} {} adds up along one tree, which "
                      "the catalogue does not say",
                      name(info.collective), info.algorithm));
    trees_several_ = false;
  }

  void check(Collective collective, const Method& method, int size) {
    const bool rooted = collective == Collective::kReduce;
    const bool few = size <= 8;
    for (int root = 0; root < (rooted ? size : 1); ++root) {
      if (!few && root != 0 && root != size / 3 && root != size - 1) continue;
      for (const int count : {1, 3, size, 2 * size + 3}) {
        if (!few && count == 3) continue;
        for (const Spread spread : {Spread::kNotKnown, Spread::kCyclic})
          check({collective, method, size, count, root, true, -1, spread, (size + 1) / 2});
      }
    }
  }

  void check(const Trial& trial) {
    for (const bool in_place : {false, true}) {
      NamedCall call(trial, in_place);
      algorithms::PortableMethod method;
      if (!algorithms::find_method(trial.collective, trial.method, &method))
        return fail(trial.text());
      const std::vector<int> node_of = trial.node_of();
      algorithms::NodeLayout layout;
      if (!node_of.empty() && !layout.open(node_of.data(), trial.size)) return fail(trial.text());
      const Traffic traffic = run_ranks({trial.size, 1, -1, node_of, nullptr}, [&](int rank) {
        return colltree::algorithms::run(method, call.of(rank),
                                         {.comm = MPI_COMM_WORLD, .nodes = &layout});
      });
      ++trials_.calls;
      if (traffic.deadlock || traffic.failed) return fail(trial.text());
      look_at(trial, call);
    }
  }

  void look_at(const Trial& trial, const NamedCall& call) {
    const auto order = sum_order(trial.collective, trial.method);
    for (int rank = 0; rank < trial.size; ++rank) {
      for (const std::uint64_t found : call.names(rank)) {
        const bool prefix =
            trial.collective == Collective::kScan || trial.collective == Collective::kExscan;
        std::set<std::uint64_t>& trees =
            trees_[{trial.method.label(), trial.size, trial.root, prefix ? rank : 0}];
        trees.insert(found);
        trees_several_ = trees_several_ || trees.size() > 1;
        if (!order) continue;
        if (found == expected_name(*order, trial.collective, trial.size, trial.root, rank))
          continue;
        return fail(fmt::format("{}: rank {} has not added up as the {}", trial.text(), rank,
                                text_of(*order)));
      }
    }
  }

  void fail(const std::string& what) {
    if (++trials_.failures <= 20) fmt::print(stderr, "FAILED {}\n", what);
  }

  int most_;
  OrderTrials trials_;
  std::map<std::tuple<std::string, int, int, int>, std::set<std::uint64_t>> trees_;
  bool trees_several_ = false;
};

}  // namespace

OrderTrials check_sum_orders(int most, const WantsRow& wants) {
  return OrderChecker(most).check_all(wants);
}

}  // namespace colltree::test
