// SPDX-License-Identifier: BSD-3-Clause
#include "parametric/cost_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>

#include "coll/catalogue.h"
#include "parametric/formulas.h"
#include "parametric/least_deviations.h"

namespace colltree {

namespace {

constexpr NetworkModelInfo kModels[] = {
    {NetworkModel::kHockney, "hockney", "alpha + beta m"},
    {NetworkModel::kLogGP, "loggp", "L, o, g, G"},
    {NetworkModel::kPLogP, "plogp", "L, and os, or, g of each size"},
    {NetworkModel::kHockneyFitted, "hockney-fitted",
     "alpha, beta of each algorithm, fitted to its own times"},
};

std::shared_ptr<const Network> network_of(NetworkModel model, const NetworkParameters& parameters,
                                          double gamma) {
  switch (model) {
    case NetworkModel::kLogGP:
      return make_network(parameters.loggp, gamma);
    case NetworkModel::kPLogP:
      return make_network(parameters.plogp, gamma);
    default:
      return make_network(parameters.hockney, gamma);
  }
}

using Fitted = std::array<double, kMostUnknowns>;  // alpha, beta, gamma

double expected(const Fitted& x, const Method& method, const Instance& at) {
  return *expected_us(*make_network(Hockney{x[0], x[1]}, x[2]), method, at);
}

// The formulas are maxima of sums of the parameters, so near x the time is the sum of its
// derivatives times the parameters.
Fitted derivatives(const Fitted& x, const Method& method, const Instance& at) {
  constexpr double kStep = 1e-6;
  const double here = expected(x, method, at);
  Fitted slope{};
  for (std::size_t i = 0; i < slope.size(); ++i) {
    Fitted moved = x;
    const double step = std::max(x[i], 1e-6) * kStep;
    moved[i] += step;
    slope[i] = (expected(moved, method, at) - here) / step;
  }
  return slope;
}

struct TimedCell {
  const Method* method;
  const Instance* at;
  double us;
};

Fitted fit_cells(const std::vector<TimedCell>& cells, bool folds) {
  Fitted x = {1, 1e-3, folds ? 1e-3 : 0};
  // Twice: the second time with the branches that the first one's parameters take.
  for (int turn = 0; turn < 2; ++turn) {
    std::vector<Deviation> rows;
    for (const TimedCell& cell : cells)
      rows.push_back({derivatives(x, *cell.method, *cell.at), cell.us, 1 / cell.us});
    x = least_deviations(rows);
  }
  return x;
}

std::map<std::string, std::vector<TimedCell>> cells_by_algorithm(const Timings& timings) {
  std::map<std::string, std::vector<TimedCell>> cells;
  for (std::size_t m = 0; m < timings.methods.size(); ++m) {
    const Method& method = timings.methods[m];
    if (!has_formula(timings.collective, method)) continue;
    for (std::size_t i = 0; i < timings.instances.size(); ++i) {
      const double us = timings.at(i, m).measured_us();
      if (us > 0 && timings.instances[i].communicator_size > 1)
        cells[method.algorithm].push_back({&method, &timings.instances[i], us});
    }
  }
  return cells;
}

using Networks = std::map<std::string, std::shared_ptr<const Network>>;

}  // namespace

std::span<const NetworkModelInfo> network_models() { return kModels; }

std::optional<NetworkModel> find_network_model(std::string_view name) {
  const auto* found = std::ranges::find(kModels, name, &NetworkModelInfo::name);
  return found == std::end(kModels) ? std::nullopt : std::optional(found->model);
}

std::string_view name(NetworkModel model) {
  return std::ranges::find(kModels, model, &NetworkModelInfo::model)->name;
}

CostModel cost_model(NetworkModel model, const NetworkParameters& parameters,
                     double gamma_us_per_byte) {
  return
      [network = network_of(model, parameters, gamma_us_per_byte)](
          const Method& method, const Instance& at) { return expected_us(*network, method, at); };
}

CostModel fitted_hockney(const Timings& timings) {
  const bool folds = folds_messages(timings.collective);
  Networks networks;
  std::vector<TimedCell> all;
  for (const auto& [algorithm, cells] : cells_by_algorithm(timings)) {
    const Fitted x = fit_cells(cells, folds);
    networks.emplace(algorithm, make_network(Hockney{x[0], x[1]}, x[2]));
    all.insert(all.end(), cells.begin(), cells.end());
  }
  const Fitted common = fit_cells(all, folds);
  const std::shared_ptr<const Network> other =
      make_network(Hockney{common[0], common[1]}, common[2]);
  return [networks, other](const Method& method, const Instance& at) {
    const auto found = networks.find(effective_method(method, at).algorithm);
    return expected_us(found == networks.end() ? *other : *found->second, method, at);
  };
}

Method least_expected(const CostModel& model, std::span<const Method> methods,
                      const Instance& instance) {
  std::vector<double> times;
  for (const Method& method : methods) times.push_back(model(method, instance).value_or(kNoTime));
  return methods[best_method(times).value_or(0)];
}

}  // namespace colltree
