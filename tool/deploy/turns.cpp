// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/turns.h"

#include <algorithm>
#include <utility>

namespace colltree::deploy {

namespace {

bool is_narrow(const std::vector<evaluate::ProgramPair>& pairs, double half_width) {
  if (pairs.size() < evaluate::kFewestPairs) return false;
  const Interval ratio = evaluate::whole_change(pairs).ratio.interval;
  return (ratio.high - ratio.low) / (ratio.high + ratio.low) <= half_width;
}

}  // namespace

void take_turns(const Turns& turns, std::vector<evaluate::ProgramPair>& pairs) {
  const double begin_s = turns.now_s();
  double longest_s = 0;
  while (!is_narrow(pairs, turns.half_width)) {
    const double pair_begin_s = turns.now_s();
    const bool fits = pair_begin_s - begin_s + longest_s <= turns.budget_s;
    if (!fits && pairs.size() >= turns.fewest_pairs) return;
    const std::size_t first = pairs.size() % 2;
    evaluate::ProgramPair pair;
    for (const std::size_t command : {first, 1 - first}) pair[command] = turns.run(command);
    pairs.push_back(std::move(pair));
    longest_s = std::max(longest_s, turns.now_s() - pair_begin_s);
    if (turns.on_pair) turns.on_pair(pairs);
  }
}

}  // namespace colltree::deploy
