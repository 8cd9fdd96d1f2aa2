// SPDX-License-Identifier: BSD-3-Clause
#include "model/c45/window.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/c45/classify.h"

namespace colltree::c45 {

namespace {

std::size_t default_window(std::size_t cases) {
  const double root = 2 * std::sqrt(static_cast<double>(cases));
  const std::size_t fifth = cases / 5;
  const auto window = static_cast<std::size_t>(std::max(root, static_cast<double>(fifth)));
  return std::min(window, cases);
}

}  // namespace

Windowing::Windowing(const Schema& schema, const Cases& cases, const WindowOptions& options)
    : cases_(cases),
      window_(options.window.value_or(default_window(cases.size()))),
      increment_(options.increment.value_or(std::max<std::size_t>(window_ / 5, 1))) {
  if (window_ > cases.size()) {
    throw UsageError(fmt::format("-w {}: there are only {} cases", window_, cases.size()));
  }
  choose_targets(schema);
}

// Evens out the classes: the rarest first, each at most an equal share of what is left.
void Windowing::choose_targets(const Schema& schema) {
  std::vector<std::size_t> count(schema.classes.size(), 0);
  for (const std::uint32_t c : cases_.label) ++count[c];
  target_.assign(count.size(), 0);
  std::vector<bool> done(count.size(), false);
  std::size_t size = window_;
  for (std::size_t left = count.size(); left > 0; --left) {
    std::size_t rarest = count.size();
    for (std::size_t c = 0; c < count.size(); ++c) {
      if (!done[c] && (rarest == count.size() || count[c] < count[rarest])) rarest = c;
    }
    done[rarest] = true;
    target_[rarest] = std::min(count[rarest], size / left);
    size -= target_[rarest];
  }
}

void Windowing::shuffle(ItemOrder& order) {
  std::size_t left = order.items.size();
  for (std::size_t p = 0; p < order.items.size(); ++p, --left) {
    const auto step = static_cast<std::size_t>(static_cast<double>(left) * random_.fraction());
    std::swap(order.items[p], order.items[p + step]);
  }
}

void Windowing::form(ItemOrder& order) const {
  std::size_t free = 0;
  for (std::uint32_t c = 0; c < target_.size(); ++c) {
    std::size_t wanted = target_[c];
    for (std::size_t i = free; wanted > 0; ++i) {
      if (cases_.label[order.items[i]] != c) continue;
      std::swap(order.items[i], order.items[free++]);
      --wanted;
    }
  }
}

std::size_t Windowing::move_exceptions(const Tree& tree, ItemOrder& order,
                                       std::size_t window) const {
  Classifier classifier(tree, target_.size());
  const std::size_t end = bring_forward(
      order.items, window, order.items.size(),
      [&](std::uint32_t item) { return classifier.classify(cases_, item) != cases_.label[item]; });
  return end - window;
}

Tree Windowing::next_trial(OrderedGrower& grower, ItemOrder& order) {
  shuffle(order);
  form(order);
  Tree best;
  std::size_t best_errors = 0;
  for (std::size_t window = window_;;) {
    order.reset_weights();
    Tree tree = grower.grow(order, window);
    const auto inside = static_cast<std::size_t>(tree.nodes[0].errors + 0.5);
    const std::size_t exceptions = move_exceptions(tree, order, window);
    if (best.nodes.empty() || inside + exceptions < best_errors) {
      best_errors = inside + exceptions;
      best = std::move(tree);
    }
    if (exceptions == 0) return best;
    window += std::max(std::min(exceptions, increment_), exceptions / 2);
    window = std::min(window, order.items.size());
  }
}

}  // namespace colltree::c45
