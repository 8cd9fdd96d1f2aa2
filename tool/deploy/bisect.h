// SPDX-License-Identifier: BSD-3-Clause
// Delta debugging (Zeller and Hildebrandt, 2002): which of several changes make an effect that all
// of them together have, also where some matter only together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

namespace colltree::deploy {

// The items in parts, and behind these what is left without each part.
template <typename Item>
std::vector<std::vector<Item>> parts_and_rests(const std::vector<Item>& items, std::size_t parts) {
  std::vector<std::vector<Item>> sets, rests;
  const auto begin_of = [&](std::size_t part) {
    return items.begin() + static_cast<std::ptrdiff_t>(part * items.size() / parts);
  };
  for (std::size_t part = 0; part < parts; ++part) {
    sets.emplace_back(begin_of(part), begin_of(part + 1));
    rests.emplace_back(items.begin(), begin_of(part));
    rests.back().insert(rests.back().end(), begin_of(part + 1), items.end());
  }
  sets.insert(sets.end(), rests.begin(), rests.end());
  return sets;
}

// A set of the changes that explains the effect, and that no longer does without any of its
// changes, nor does any of its changes alone. Halves are tried first, then smaller parts and what
// is left without them. `explains` is asked once for each set, and not for all changes.
template <typename Item, typename Explains>
std::vector<Item> smallest_explaining(std::vector<Item> left, const Explains& explains) {
  std::map<std::vector<Item>, bool> answers;
  const auto does_explain = [&](const std::vector<Item>& items) {
    const auto known = answers.find(items);
    return known != answers.end() ? known->second : (answers[items] = explains(items));
  };
  std::size_t parts = 2;
  while (left.size() > 1) {
    const std::vector<std::vector<Item>> sets = parts_and_rests(left, parts);
    const auto found = std::ranges::find_if(sets, does_explain);
    if (found != sets.end()) {
      const bool is_part = found - sets.begin() < static_cast<std::ptrdiff_t>(parts);
      parts = is_part ? 2 : std::max<std::size_t>(parts - 1, 2);
      left = *found;
    } else if (parts >= left.size()) {
      break;
    } else {
      parts = std::min(2 * parts, left.size());
    }
  }
  return left;
}

}  // namespace colltree::deploy
