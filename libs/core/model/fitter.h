// SPDX-License-Identifier: BSD-3-Clause
// A fitter is a kind of model with its parameters as a value, spelled `quadtree:max_depth=3` or
// `c45:weight=40,confidence=5`. Code that fits several times (`tune`, held-out evaluation,
// `compare`) takes a list of them. The kinds are a table (kind.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/kind.h"
#include "model/kinds/optimal.h"
#include "timings/timings.h"

namespace colltree::model {

class Fitter {
 public:
  // `kind` is one that is fitted.
  Fitter(const Kind& kind, Parameters parameters);

  // The canonical spelling: parameters in the order of the table, without those that have their
  // default value. parse_fitter(name()) is this fitter.
  std::string name() const;
  // One table for each collective. Throws Error when these timings cannot be fitted.
  Model fit(const std::vector<Timings>& timings) const;

 private:
  const Kind* kind_;
  Parameters parameters_;
};

// Throws UsageError for a kind that does not exist or that is only read.
const Kind& fitted_kind(std::string_view name);

// Reads `weight=40,confidence=5`; without it every parameter has its default value. Throws
// UsageError that names the unknown parameter or the bad value.
Parameters parse_parameters(const Kind& kind, const std::optional<std::string>& text);

// Throws UsageError that names the unknown kind, the unknown parameter or the bad value.
Fitter parse_fitter(std::string_view text);

// The fitter that made the model, to repeat it on other timings. Throws Error for a kind that is
// not fitted ("rules") or a model whose fit its file does not repeat (a mix of calls).
Fitter fitter_of(const Model& model);

// "quadtree:max_depth=,accuracy_threshold=,...": a line for each kind, for help texts.
std::string fitter_help();

// Adds the penalties of the model on its own training points to its statistics.
void judge_on_training_points(Model& model, const std::vector<Timings>& timings);
Model fit_and_judge(const Fitter& fitter, const std::vector<Timings>& timings);

// The model to deploy is defined in one place: `tune` writes it and the report shows it.

// The tree of least expected loss over all sizes (docs/results/models.md: by its tables).
std::string deployed_fitter(double caution = OptimalOptions{}.caution);

}  // namespace colltree::model
