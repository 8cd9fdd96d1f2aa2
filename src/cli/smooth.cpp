// SPDX-License-Identifier: BSD-3-Clause
// `colltree fit smooth`: the model without leaves that are hardly worth their test.
#include <fmt/core.h>

#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "cli/loaded_models.h"
#include "model/fitter.h"
#include "model/model.h"
#include "model/rough_spots.h"

namespace colltree::cli {

namespace {

struct SmoothOptions {
  ProfileOptions input;
  std::string model;
  double within = 0.001;
  std::string output;
};

void smooth(const SmoothOptions& options) {
  const LoadedModel model = load_models({options.model}).front();
  SystemTimings loaded = load_system_timings(options.input);
  keep_what_the_model_knows(model, loaded);
  model::Model smoothed = model::rules_model(
      model.function->origin,
      model::merge_islands(model.function->rules, loaded.timings, options.within));
  model::judge_on_training_points(smoothed, loaded.timings);
  smoothed.statistics.smoothing = {model.function->kind, options.within,
                                   model::total_shape(model.function->rules).leaves};
  FitInput report;
  report.output = options.output;
  report.timings.json = options.input.json;
  std::vector<std::string_view> names;
  for (const Timings& one : loaded.timings) names.push_back(name(one.collective));
  report.timings.collectives = join(names, ",");
  save_and_report(smoothed, report);
}

}  // namespace

void declare_smooth(CommandLine& line) {
  auto options = std::make_shared<SmoothOptions>();
  line.add("model", options->model, "the model (M.json)").required();
  add_profile_options(line, options->input, false);
  line.add_percent("--within", options->within, limits::kPercentOfPenalty,
                   "the mean penalty of a collective may grow by this much, in percent")
      .show_default();
  line.add_output("-o,--output", options->output, "the model to write, of kind 'rules'").required();
  line.set_work([options] { smooth(*options); });
}

}  // namespace colltree::cli
