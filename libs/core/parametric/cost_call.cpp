// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/cost_call.h"

#include <cmath>
#include <map>

namespace colltree::parametric {

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

namespace {

// The time for each size of subtree, computed once: a tree of n ranks has O(log n) of them.
using TimeBySize = std::map<std::uint64_t, double>;

double last_below(const CostCall& call, const CostTree& tree, std::uint64_t size,
                  const EdgeMessage& message, TimeBySize& known) {
  if (size < 2) return 0;
  const auto [time, is_new] = known.try_emplace(size, 0);
  if (!is_new) return time->second;
  double latest = 0;
  double start = 0;
  for (const std::uint64_t child : tree.children(size, tree.radix)) {
    const double length = message.length(child);
    latest = std::max(latest,
                      start + call.message(length) + last_below(call, tree, child, message, known));
    start += call.gap(length);
  }
  return time->second = latest;
}

double last_from_below(const CostCall& call, const CostTree& tree, std::uint64_t size,
                       const EdgeMessage& message, TimeBySize& known) {
  if (size < 2) return 0;
  const auto [time, is_new] = known.try_emplace(size, 0);
  if (!is_new) return time->second;
  const auto children = tree.children(size, tree.radix);
  double arrived = -call.gap(message.length(children.back()));  // the first one follows none
  double done = 0;
  for (auto child = children.rbegin(); child != children.rend(); ++child) {
    const double length = message.length(*child);
    arrived = std::max(arrived + call.gap(length),
                       last_from_below(call, tree, *child, message, known) + call.message(length));
    done = std::max(done, arrived) + (message.is_folded ? call.fold(length) : 0);
  }
  return time->second = done;
}

double count_children(const CostTree& tree, std::uint64_t size) {
  return size < 2 ? 0 : static_cast<double>(tree.children(size, tree.radix).size());
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

Pieces::Pieces(double bytes, double segment_bytes)
    : count(segment_bytes > 0 ? std::max(std::ceil(bytes / segment_bytes), 1.0) : 1),
      length(count > 1 ? segment_bytes : bytes),
      last(bytes - (count - 1) * length) {}

// A chain has a recursion as deep as it is long, so its hops are counted.
double relay_us(const CostCall& call, const CostTree& tree, double bytes) {
  // The root has as many children as any rank.
  const double most_children = count_children(tree, call.ranks);
  return pipelined(
      Pieces(bytes, call.segment_bytes),
      [&](double length) {
        return tree.children == chain_sizes ? call.others() * call.message(length)
                                            : down_us(call, tree, call.ranks, {.bytes = length});
      },
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
      [&](double length) {
        return tree.children == chain_sizes
                   ? call.others() * call.message_and_fold(length)
                   : up_us(call, tree, call.ranks, {.bytes = length, .is_folded = true});
      },
      [&](double length) {
        const double gap = call.gap(length);
        const double fold = call.fold(length);
        return std::max(
            {at_root * std::max(gap, fold), below * gap, below * fold + call.gap(length)});
      });
}

double down_us(const CostCall& call, const CostTree& tree, std::uint64_t ranks,
               const EdgeMessage& message) {
  TimeBySize known;
  return last_below(call, tree, ranks, message, known);
}

double up_us(const CostCall& call, const CostTree& tree, std::uint64_t ranks,
             const EdgeMessage& message) {
  TimeBySize known;
  return last_from_below(call, tree, ranks, message, known);
}

}  // namespace colltree::parametric
