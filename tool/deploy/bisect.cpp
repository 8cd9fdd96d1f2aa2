// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/bisect.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

namespace colltree::deploy {

namespace {

std::vector<Places> divided(const Places& places, std::size_t parts) {
  std::vector<Places> result;
  for (std::size_t i = 0; i < parts; ++i) {
    const auto end_of = [&](std::size_t part) {
      return places.begin() + static_cast<std::ptrdiff_t>(part * places.size() / parts);
    };
    result.emplace_back(end_of(i), end_of(i + 1));
  }
  return result;
}

Places without(const Places& places, const Places& part) {
  Places rest;
  std::ranges::set_difference(places, part, std::back_inserter(rest));
  return rest;
}

}  // namespace

Places smallest_explaining(std::size_t count, const std::function<bool(const Places&)>& explains) {
  Places left(count);
  std::iota(left.begin(), left.end(), std::size_t{0});
  std::map<Places, bool> answers;
  const auto does_explain = [&](const Places& places) {
    const auto known = answers.find(places);
    if (known != answers.end()) return known->second;
    return answers.emplace(places, explains(places)).first->second;
  };
  std::size_t parts = 2;
  while (left.size() > 1) {
    const std::vector<Places> pieces = divided(left, parts);
    const auto piece = std::ranges::find_if(pieces, does_explain);
    if (piece != pieces.end()) {
      left = *piece;
      parts = 2;
      continue;
    }
    const auto spared = std::ranges::find_if(
        pieces, [&](const Places& part) { return does_explain(without(left, part)); });
    if (spared != pieces.end()) {
      left = without(left, *spared);
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (parts >= left.size()) {
      break;
    } else {
      parts = std::min(2 * parts, left.size());
    }
  }
  return left;
}

}  // namespace colltree::deploy
