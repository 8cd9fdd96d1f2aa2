// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/run_time_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/version.h"
#include "emit/cdt.h"
#include "emit/emitter.h"
#include "model/fitter.h"
#include "model/united_trees.h"
#include "profile/records.h"

namespace colltree {

namespace {

// A column more: `last` behind each row of `table`.
std::vector<double> widen(const std::vector<double>& table, const std::vector<double>& last) {
  if (table.empty()) return {};
  const std::size_t columns = table.size() / last.size();
  std::vector<double> wide;
  wide.reserve(table.size() + last.size());
  for (std::size_t row = 0; row < last.size(); ++row) {
    const auto begin = table.begin() + static_cast<std::ptrdiff_t>(row * columns);
    wide.insert(wide.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
    wide.push_back(last[row]);
  }
  return wide;
}

bool has_default(const Timings& timings) {
  return timings.provenance != kProvenanceSimulated &&
         std::ranges::any_of(timings.default_us,
                             [](double time_us) { return !std::isnan(time_us); });
}

}  // namespace

Timings with_default(const Timings& timings) {
  Timings wide = timings;
  wide.methods.push_back({kDefaultAlgorithm, std::nullopt});
  wide.time_us = widen(timings.time_us, timings.default_us);
  wide.low_us = widen(timings.low_us, timings.default_us);
  wide.high_us = widen(timings.high_us, timings.default_us);
  return wide;
}

std::string run_time_model(const std::vector<Timings>& timings, const std::string& fitter) {
  std::vector<RuleTree> trees;
  std::string names;
  for (const Timings& one : timings) {
    const Model model = parse_fitter(fitter).fit({has_default(one) ? with_default(one) : one});
    trees.push_back(tree_to_emit(model, {}));
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name(one.collective));
  }
  const std::string description =
      fmt::format("{} of {} on {}, {}; colltree {}", fitter, names, timings.front().system,
                  timings.front().provenance, kVersion);
  return make_cdt(united(trees), description, CdtForm::kAuto);
}

}  // namespace colltree
