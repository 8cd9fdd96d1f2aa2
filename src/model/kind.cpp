// SPDX-License-Identifier: BSD-3-Clause
#include "model/kind.h"

#include "model/kinds/c45_rules.h"
#include "model/kinds/c45_tree.h"
#include "model/kinds/optimal.h"
#include "model/kinds/quadtree.h"
#include "model/model.h"
#include "timings/kept_methods.h"

namespace colltree::model {

namespace {

constexpr Kind kRulesKind{.name = "rules"};  // what rules_model makes

constexpr RealRange kLeastGainRange{0, 1000};

// "5" or "5%".
std::optional<double> percentage(std::string_view word) {
  if (word.ends_with('%')) word.remove_suffix(1);
  return find_real(word, kLeastGainRange);
}

}  // namespace

bool is_least_gain(std::string_view word) { return word == "none" || percentage(word); }

std::optional<double> least_gain(std::string_view word) {
  const auto percent = percentage(word);
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

std::vector<Timings> candidates(const std::vector<Timings>& timings, const Parameters& parameters) {
  const auto gain = least_gain(parameters.word(kLeastGain.name));
  return gain ? proven(timings, *gain) : timings;
}

std::span<const Kind* const> kinds() {
  static constexpr const Kind* kKinds[] = {&kQuadtreeKind, &kOctreeKind,  &kKdtreeKind, &kC45Kind,
                                           &kC45RulesKind, &kOptimalKind, &kRulesKind};
  return kKinds;
}

const Kind* find_kind(std::string_view name) {
  for (const Kind* kind : kinds()) {
    if (kind->name == name) return kind;
  }
  return nullptr;
}

}  // namespace colltree::model
