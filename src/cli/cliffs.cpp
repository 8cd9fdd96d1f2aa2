// SPDX-License-Identifier: BSD-3-Clause
// `colltree evaluate cliffs`: where the decision changes and the time jumps, and leaves that are
// hardly worth their test; of a model or of the library's own rules (docs/tasks/judging.md).
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/loaded_models.h"
#include "evaluate/comparison.h"
#include "model/model.h"
#include "model/openmpi/library_rules.h"
#include "model/rough_spots.h"

namespace colltree::cli {

namespace {

struct CliffsOptions {
  ProfileOptions input;
  std::string model;  // "": the library's own rules
  double least_factor = 1.5;
  double most_cost = 0.001;
  std::size_t most_shown = 20;
};

struct Cliffs {
  Collective collective = Collective::kBcast;
  std::string chooser;
  std::vector<model::Jump> jumps;
  std::vector<model::Island> islands;
};

Cliffs find_cliffs(const Timings& timings, const std::string& chooser, const model::Model& decides,
                   const CliffsOptions& options) {
  const Chooser choose = [&](const Instance& at) { return decides.decide(at); };
  return {timings.collective, chooser, model::find_jumps(timings, choose, options.least_factor),
          model::find_islands(model::unfolded(decides.rules), {timings}, options.most_cost)};
}

std::vector<Cliffs> of_model(const SystemTimings& loaded, const CliffsOptions& options) {
  const LoadedModel model = load_models({options.model}).front();
  SystemTimings known = loaded;
  keep_what_the_model_knows(model, known);
  std::vector<Cliffs> all;
  for (const Timings& timings : known.timings) {
    all.push_back(find_cliffs(timings, model.path, *model.function, options));
  }
  return all;
}

std::vector<Cliffs> of_library(const SystemTimings& loaded, const CliffsOptions& options) {
  std::vector<Cliffs> all;
  for (const Timings& timings : loaded.timings) {
    const auto rules = model::openmpi_library_rules(timings, loaded.system.mpi);
    if (rules) all.push_back(find_cliffs(timings, loaded.system.mpi, *rules, options));
  }
  if (!all.empty()) return all;
  throw Error(fmt::format("{}: the rules of '{}' are not known here; name a model, M.json",
                          options.input.profile, loaded.system.mpi));
}

std::string jump_text(const model::Jump& jump) {
  const bool ranks = jump.from.communicator_size != jump.to.communicator_size;
  const std::string where = ranks ? fmt::format("{} -> {} ranks, {} B", jump.from.communicator_size,
                                                jump.to.communicator_size, jump.from.message_size)
                                  : fmt::format("{} ranks, {} -> {} B", jump.from.communicator_size,
                                                jump.from.message_size, jump.to.message_size);
  return fmt::format(
      "  x{:<6.3g} {:<30} {} {:.4g} us (+{} %) -> {} {:.4g} us (+{} %), {:.4g} us by the trend{}\n",
      jump.factor, where, jump.before.label(), jump.before_us,
      evaluate::percent_text(jump.penalty_before), jump.after.label(), jump.after_us,
      evaluate::percent_text(jump.penalty_after), jump.expected_us,
      jump.predicted ? ", predicted" : "");
}

std::string labels(const std::vector<Method>& methods) {
  std::vector<std::string> all;
  for (const Method& method : methods) all.push_back(method.label());
  return all.empty() ? "what is beside it" : join(all, ", ");
}

std::string island_text(const model::Island& island) {
  return fmt::format("  {:>6} %  {}: {}, {} points; without it {}\n",
                     evaluate::percent_text(island.cost), model::region_text(island.region),
                     island.method.label(), island.instances, labels(island.instead));
}

template <typename One>
void print_some(const std::vector<One>& all, std::size_t most, std::string (*text)(const One&)) {
  for (std::size_t i = 0; i < all.size() && i < most; ++i) fmt::print("{}", text(all[i]));
  if (all.size() > most) fmt::print("  and {} more; --most N or --json\n", all.size() - most);
}

void print_line(const std::string& text) {
  if (!text.empty()) fmt::print("{}\n", text);
}

void print_text(const Cliffs& cliffs, const CliffsOptions& options) {
  const auto predicted =
      static_cast<std::size_t>(std::ranges::count(cliffs.jumps, true, &model::Jump::predicted));
  fmt::print("{} by {}: {} jumps by more than a factor of {}{}\n", name(cliffs.collective),
             cliffs.chooser, cliffs.jumps.size(), options.least_factor,
             evaluate::of_them_predicted(predicted));
  print_some(cliffs.jumps, options.most_shown, jump_text);
  fmt::print("{} by {}: {} leaves whose removal adds at most {}% to the mean penalty\n",
             name(cliffs.collective), cliffs.chooser, cliffs.islands.size(),
             100 * options.most_cost);
  print_some(cliffs.islands, options.most_shown, island_text);
}

Json instance_json(const Instance& at) {
  return {{"communicator_size", at.communicator_size}, {"message_size", at.message_size}};
}

Json jump_json(const model::Jump& jump) {
  Json json = {{"from", instance_json(jump.from)},      {"to", instance_json(jump.to)},
               {"before", jump.before.label()},         {"after", jump.after.label()},
               {"before_us", jump.before_us},           {"after_us", jump.after_us},
               {"expected_us", jump.expected_us},       {"factor", jump.factor},
               {"penalty_before", jump.penalty_before}, {"penalty_after", jump.penalty_after}};
  if (jump.predicted) json["predicted"] = true;
  return json;
}

Json island_json(const model::Island& island) {
  Json instead = Json::array();
  for (const Method& method : island.instead) instead.push_back(method.label());
  return {{"region", model::region_text(island.region)},
          {"method", island.method.label()},
          {"instances", island.instances},
          {"cost", island.cost},
          {"instead", instead}};
}

Json cliffs_json(const Cliffs& cliffs) {
  Json jumps = Json::array();
  for (const model::Jump& jump : cliffs.jumps) jumps.push_back(jump_json(jump));
  Json islands = Json::array();
  for (const model::Island& island : cliffs.islands) islands.push_back(island_json(island));
  return {{"collective", name(cliffs.collective)},
          {"chooser", cliffs.chooser},
          {"jumps", jumps},
          {"islands", islands}};
}

void report(const CliffsOptions& options) {
  if (!(options.least_factor >= 1)) throw UsageError("--factor: must be 1 or more");
  const SystemTimings loaded = load_system_timings(options.input);
  const std::vector<Cliffs> all =
      options.model.empty() ? of_library(loaded, options) : of_model(loaded, options);
  if (!options.input.json) {
    for (const Cliffs& cliffs : all) print_text(cliffs, options);
    print_line(evaluate::prediction_note(loaded.timings));
    return;
  }
  Json collectives = Json::array();
  for (const Cliffs& cliffs : all) collectives.push_back(cliffs_json(cliffs));
  Json json = {{"system", loaded.system.name},
               {"provenance", loaded.system.provenance},
               {"collectives", collectives}};
  if (const std::string note = evaluate::prediction_note(loaded.timings); !note.empty())
    json["note"] = note;
  fmt::print("{}", results_text("colltree/cliffs/1", json));
}

}  // namespace

void declare_cliffs(CommandLine& line) {
  auto options = std::make_shared<CliffsOptions>();
  line.add("model", options->model,
           "the model (M.json); without one: the library's own rules, where they are known");
  add_profile_options(line, options->input, false);
  line.add("--factor", options->least_factor, {1, 1e9},
           "report a jump of the time between neighbours with different methods from this factor "
           "on, beyond the trend of the times around")
      .show_default();
  line.add_percent("--cost", options->most_cost, limits::kPercentOfPenalty,
                   "report the leaves that save at most this much mean penalty, in percent")
      .show_default();
  line.add("--most", options->most_shown, {0, 1000000}, "largest number of each to show")
      .show_default();
  line.set_footer(fmt::format(
      "(+N %): what the choice loses there against the best method: where both ends lose nothing, "
      "no choice avoids the\njump.\n\n{}",
      line.footer()));
  line.set_work([options] { report(*options); });
}

}  // namespace colltree::cli
