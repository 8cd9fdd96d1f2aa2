// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/agreement.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace colltree {

namespace {

bool was_measured(const std::vector<double>& medians_us) {
  return !medians_us.empty() && std::ranges::all_of(medians_us, [](double us) { return us > 0; });
}

// A kit knows no other fields than {}.
std::string hundredths(double us) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, us, std::chars_format::fixed, 2).ptr};
}

}  // namespace

Agreement judge(std::span<const TriedCell> cells, double bound) {
  Agreement agreement;
  bool all_agree = true;
  for (const TriedCell& one : cells) {
    if (!was_measured(one.alone_us) || one.together_us.empty() ||
        !std::ranges::all_of(one.together_us, was_measured))
      continue;
    const double alone = std::ranges::min(one.alone_us);
    double least = std::ranges::min(one.together_us.front());
    double most = least;
    for (const std::vector<double>& block : one.together_us) {
      least = std::min(least, std::ranges::min(block));
      most = std::max(most, std::ranges::min(block));
    }
    all_agree =
        all_agree && std::abs(most / alone - 1) <= bound && std::abs(least / alone - 1) <= bound;
    if (!agreement.text.empty()) agreement.text += "; ";
    agreement.text += fmt::format("{}: {} us alone, {} to {} us at once", one.cell,
                                  hundredths(alone), hundredths(least), hundredths(most));
  }
  agreement.agrees = all_agree && !agreement.text.empty();
  if (agreement.text.empty()) agreement.text = "no cell could be measured alone and at once";
  return agreement;
}

}  // namespace colltree
