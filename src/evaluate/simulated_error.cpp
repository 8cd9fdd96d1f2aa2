// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/simulated_error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/statistics.h"

namespace colltree {

namespace {

using Sizes = std::pair<std::uint64_t, std::uint64_t>;

Sizes sizes_of(const Instance& at) { return {at.communicator_size, at.message_size}; }

// The least value that nine of ten do not exceed.
double ninth_decile(std::vector<double> values) {
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(0.9 * static_cast<double>(values.size())));
  return values[std::max<std::size_t>(1, rank) - 1];
}

}  // namespace

SimulatedError simulated_error(const Timings& measured, const Timings& simulated,
                               const std::function<bool(const Method&)>& which) {
  std::map<Sizes, std::size_t> rows;
  for (std::size_t i = 0; i < simulated.instances.size(); ++i)
    rows.emplace(sizes_of(simulated.instances[i]), i);
  std::vector<double> errors;
  double logarithms = 0;
  for (std::size_t i = 0; i < measured.instances.size(); ++i) {
    const auto row = rows.find(sizes_of(measured.instances[i]));
    if (row == rows.end()) continue;
    for (std::size_t m = 0; m < measured.methods.size(); ++m) {
      const Method& method = measured.methods[m];
      const auto column = std::ranges::find(simulated.methods, method);
      if (column == simulated.methods.end() || method.algorithm == kDefaultAlgorithm) continue;
      const double real_us = measured.at(i, m).measured_us();
      const double model_us =
          simulated.at(row->second, static_cast<std::size_t>(column - simulated.methods.begin()))
              .measured_us();
      if (!which(method) || !(real_us > 0) || !(model_us > 0)) continue;
      errors.push_back(std::abs(model_us - real_us) / real_us);
      logarithms += std::log(model_us / real_us);
    }
  }
  if (errors.empty()) return {};
  return {errors.size(), median(errors), ninth_decile(errors),
          std::exp(logarithms / static_cast<double>(errors.size()))};
}

Json simulated_error_json(const SimulatedError& error) {
  if (error.cells == 0) return {{"cells", 0}};
  return {
      {"cells", error.cells}, {"median", error.median}, {"p90", error.p90}, {"ratio", error.ratio}};
}

}  // namespace colltree
