// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/cost_call.h"

#include <cmath>
#include <map>

namespace colltree::parametric {

namespace {

// Subtrees as in knomial_tree(): position + j radix^k; sent from the last child to the first.
std::vector<std::uint64_t> knomial_sizes(std::uint64_t size, std::uint64_t radix) {
  std::vector<std::uint64_t> sizes;
  std::uint64_t weight = 1;
  while (weight * radix < size) weight *= radix;
  for (; weight >= 1; weight /= radix) {
    for (std::uint64_t j = radix - 1; j >= 1; --j) {
      if (j * weight < size) sizes.push_back(std::min(weight, size - j * weight));
    }
  }
  return sizes;
}

std::vector<std::uint64_t> binary_sizes(std::uint64_t size, std::uint64_t) {
  std::vector<std::uint64_t> sizes;
  const std::uint64_t near = (size - 1) / 2;
  const std::uint64_t far = size - 1 - near;
  if (far > 0) sizes.push_back(far);
  if (near > 0) sizes.push_back(near);
  return sizes;
}

std::vector<std::uint64_t> chain_sizes(std::uint64_t size, std::uint64_t) {
  if (size == 1) return {};
  return {size - 1};
}

// A time for each size of subtree, each computed once: a tree of n ranks has O(log n) of them.
class BySize {
 public:
  using Step = std::function<double(std::uint64_t size, const BySize& below)>;
  explicit BySize(Step step) : step_(std::move(step)) {}
  double operator()(std::uint64_t size) const {
    const auto known = known_.find(size);
    if (known != known_.end()) return known->second;
    const double us = size == 1 ? 0 : step_(size, *this);
    known_.emplace(size, us);
    return us;
  }

 private:
  Step step_;
  mutable std::map<std::uint64_t, double> known_;
};

double count_children(const CostTree& tree, std::uint64_t size) {
  return size < 2 ? 0 : static_cast<double>(tree.children(size, tree.radix).size());
}

// Until a first segment is everywhere.
double first_down(const CostCall& call, const CostTree& tree, double bytes) {
  const double message = call.message(bytes);
  if (tree.chain) return static_cast<double>(call.ranks - 1) * message;
  const double gap = call.gap(bytes);
  return BySize([&](std::uint64_t size, const BySize& below) {
    double latest = 0;
    double start = 0;
    for (const std::uint64_t child : tree.children(size, tree.radix)) {
      latest = std::max(latest, start + message + below(child));
      start += gap;
    }
    return latest;
  })(call.ranks);
}

// Until a first segment has been folded into the root's. The nearest child comes first.
double first_up(const CostCall& call, const CostTree& tree, double bytes) {
  const double message = call.message(bytes);
  const double fold = call.fold(bytes);
  if (tree.chain) return static_cast<double>(call.ranks - 1) * (message + fold);
  const double gap = call.gap(bytes);
  return BySize([&](std::uint64_t size, const BySize& below) {
    const auto children = tree.children(size, tree.radix);
    double arrived = -gap;
    double folded = 0;
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      arrived = std::max(arrived + gap, below(*child) + message);
      folded = std::max(folded, arrived) + fold;
    }
    return folded;
  })(call.ranks);
}

// Segments follow each other as fast as the busiest rank lets them; the last one is shorter.
template <typename First, typename Period>
double pipelined(const Pieces& pieces, First first_us, Period period_us) {
  if (pieces.count < 2) return first_us(pieces.last);
  const double before_last = (pieces.count - 1) * period_us(pieces.length);
  return std::max(
      before_last + first_us(pieces.last),
      before_last - period_us(pieces.length) + first_us(pieces.length) + period_us(pieces.last));
}

}  // namespace

CostTree binomial_cost_tree() { return {knomial_sizes, 2}; }
CostTree binary_cost_tree() { return {binary_sizes}; }
CostTree chain_cost_tree() { return {chain_sizes, 2, true}; }
CostTree knomial_cost_tree(std::uint64_t radix) { return {knomial_sizes, radix}; }

Pieces::Pieces(double bytes, double segment_bytes)
    : count(segment_bytes > 0 ? std::max(std::ceil(bytes / segment_bytes), 1.0) : 1),
      length(count > 1 ? segment_bytes : bytes),
      last(bytes - (count - 1) * length) {}

double relay_us(const CostCall& call, const CostTree& tree, double bytes) {
  // The root has as many children as any rank.
  const double most_children = count_children(tree, call.ranks);
  return pipelined(
      Pieces(bytes, call.segment_bytes),
      [&](double length) { return first_down(call, tree, length); },
      [&](double length) { return most_children * call.gap(length); });
}

// The root folds while the next messages come in; of the others the one with most children also
// sends each segment on before it turns to the next.
double reduce_up_us(const CostCall& call, const CostTree& tree, double bytes) {
  const auto children = tree.children(call.ranks, tree.radix);
  const double at_root = static_cast<double>(children.size());
  const double below = count_children(tree, children.front());
  return pipelined(
      Pieces(bytes, call.segment_bytes),
      [&](double length) { return first_up(call, tree, length); },
      [&](double length) {
        const double gap = call.gap(length);
        const double fold = call.fold(length);
        return std::max(
            {at_root * std::max(gap, fold), below * gap, below * fold + call.gap(length)});
      });
}

double scatter_down_us(const CostCall& call, const CostTree& tree, const SubtreeBytes& bytes) {
  return BySize([&](std::uint64_t size, const BySize& below) {
    double latest = 0;
    double start = 0;
    for (const std::uint64_t child : tree.children(size, tree.radix)) {
      latest = std::max(latest, start + call.message(bytes(child)) + below(child));
      start += call.gap(bytes(child));
    }
    return latest;
  })(call.ranks);
}

double gather_up_us(const CostCall& call, const CostTree& tree, const SubtreeBytes& bytes) {
  return BySize([&](std::uint64_t size, const BySize& below) {
    const auto children = tree.children(size, tree.radix);
    double arrived = 0;
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      const double length = bytes(*child);
      const double alone = below(*child) + call.message(length);
      arrived = arrived == 0 ? alone : std::max(arrived + call.gap(length), alone);
    }
    return arrived;
  })(call.ranks);
}

}  // namespace colltree::parametric
