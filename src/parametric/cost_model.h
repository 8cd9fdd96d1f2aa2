// SPDX-License-Identifier: BSD-3-Clause
// A network model with its parameters as what it is for: the expected time of any method at any
// instance, measured or not. As such it predicts, and it decides: the method whose time is least.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "parametric/parameters.h"
#include "timings/timings.h"

namespace colltree {

enum class NetworkModel { kHockney, kLogGP, kPLogP, kHockneyFitted };

struct NetworkModelInfo {
  NetworkModel model;
  std::string_view name;  // in options and tables
  std::string_view summary;
};

std::span<const NetworkModelInfo> network_models();
std::optional<NetworkModel> find_network_model(std::string_view name);
std::string_view name(NetworkModel model);

// Microseconds; none where there is no formula (parametric/formulas.h).
using CostModel = std::function<std::optional<double>(const Method&, const Instance&)>;

// Of hockney, loggp, plogp: one set of parameters for all methods, from point-to-point times.
CostModel cost_model(NetworkModel model, const NetworkParameters& parameters,
                     double gamma_us_per_byte);

// hockney-fitted: alpha, beta and gamma of each algorithm by itself, fitted to all its times here
// (after Nuriyev, Lastovetsky, Efficient and accurate selection of optimal collective communication
// algorithms using analytical performance modeling, 2021). Least relative deviations. An algorithm
// without times takes the parameters that fit those of all.
CostModel fitted_hockney(const Timings& timings);

// The method of least expected time among those, the first among ties; the first method where none
// has a formula.
Method least_expected(const CostModel& model, std::span<const Method> methods,
                      const Instance& instance);

}  // namespace colltree
