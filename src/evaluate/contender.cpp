// SPDX-License-Identifier: BSD-3-Clause
#include "evaluate/contender.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"

namespace colltree {

namespace {

FittedChooser chooser_of(std::shared_ptr<const DecisionFunction> model) {
  const DecisionFunction* function = model.get();  // kept alive by the struct it goes into
  return {[function](const Instance& instance) { return function->decide(instance); }, "",
          std::move(model)};
}

FittedChooser fit_best_fixed(const std::vector<Timings>& timings) {
  auto methods = std::make_shared<std::map<Collective, Method>>();
  std::string detail;
  for (const Timings& one : timings) {
    const auto fixed = best_fixed_method(one);
    if (!fixed) throw Error(fmt::format("{}: no method was measured", name(one.collective)));
    methods->emplace(one.collective, fixed->method);
    detail += (detail.empty() ? "" : ", ") + fixed->method.label();
  }
  return {[methods](const Instance& instance) { return methods->at(instance.collective); }, detail,
          nullptr};
}

}  // namespace

Contender fitted_by(const Fitter& fitter) {
  return {fitter.name(), [fitter](const std::vector<Timings>& timings) {
            return chooser_of(fitter.fit(timings));
          }};
}

Contender fixed_model(std::string name, std::shared_ptr<const DecisionFunction> model) {
  return {std::move(name), [model](const std::vector<Timings>&) { return chooser_of(model); }};
}

Contender best_fixed() { return {"best fixed", fit_best_fixed}; }

}  // namespace colltree
