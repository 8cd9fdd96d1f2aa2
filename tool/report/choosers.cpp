// SPDX-License-Identifier: BSD-3-Clause
#include "report/choosers.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/error.h"
#include "base/work.h"
#include "emit/simplify.h"
#include "evaluate/answer.h"
#include "evaluate/points.h"
#include "evaluate/policy.h"
#include "model/expectation.h"
#include "model/fitter.h"
#include "model/kinds/optimal.h"
#include "model/kinds/quadtree.h"
#include "model/openmpi/library_rules.h"
#include "model/optimal/measured_grid.h"
#include "report/command_lines.h"
#include "timings/instance_grid.h"
#include "timings/interpolation.h"

namespace colltree::report {

namespace {

constexpr double kGoodEnough = 0.01;  // mean penalty of the optimal tree that is shown first

// Cuts the part of one collective out of a model, without splits that end in the same choice.
std::shared_ptr<model::Model> part_of(const model::Model& model, Collective collective) {
  auto part = std::make_shared<model::Model>(model);
  part->rules.roots = {{collective, model::root_of(model.rules, collective)}};
  part->rules = emit::simplify(part->rules);
  return part;
}

ReportEntry judged(ReportEntry entry) {
  entry.summary = summarize(entry.points, Bootstrap{});
  entry.versus_default_interval = evaluate::versus_default_interval(entry.points);
  return entry;
}

ReportChooser default_chooser(const Timings& timings, const ReportInput& input) {
  const std::string& mpi = input.overview.system.mpi;
  ReportEntry entry{.points = default_penalty_points(timings)};
  if (const auto rules = model::openmpi_library_rules(timings, mpi)) {
    entry.tree = part_of(*rules, timings.collective);
    entry.choose = [rules](const Instance& instance) { return rules->decide(instance); };
  }
  return {.id = "default", .detail = mpi, .entries = {judged(std::move(entry))}};
}

ReportChooser best_chooser(PredictionDraws& draws) {
  const Timings& timings = draws.timings();
  std::map<Instance, Method> best;
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const auto method = timings.best_at(i);
    if (method) best.emplace(timings.instances[i], timings.methods[*method]);
  }
  const Chooser choose = [best](const Instance& instance) { return best.at(instance); };
  return {.id = "best",
          .detail = "measured",
          .entries = {judged({.choose = choose, .points = penalty_points(draws, choose)})}};
}

ReportEntry entry_of(PredictionDraws& draws, const model::Model& whole) {
  const std::shared_ptr<const model::Model> model = part_of(whole, draws.timings().collective);
  const Chooser choose = [model](const Instance& instance) { return model->decide(instance); };
  // A quadtree's own count: it has four children a node, its rule tree two.
  const std::uint64_t leaves = whole.kind == model::kQuadtreeKind.name
                                   ? whole.statistics.shape.leaves
                                   : model::total_shape(model->rules).leaves;
  return judged(
      {.leaves = leaves, .tree = model, .choose = choose, .points = penalty_points(draws, choose)});
}

void hold_out(ReportChooser& chooser, const Timings& timings) {
  const FoldOptions options;
  const ReportEntry& entry = chooser.entries[chooser.start];
  try {
    const Folds folds({timings}, options);
    const evaluate::Contender contender = evaluate::fitted_by(model::fitter_of(*entry.tree));
    const PenaltyPoints points = evaluate::held_out_points({timings}, folds, contender).front();
    chooser.folds = folds.count();
    chooser.held_out = summarize(points, evaluate::held_out_bootstrap(folds, options.seed));
  } catch (const Error& error) {  // too few sizes to leave one out, a model that nobody can refit
    chooser.no_held_out = error.what();
  }
}

ReportChooser optimal_chooser(PredictionDraws& draws, const ReportInput& input) {
  const Timings& timings = draws.timings();
  model::OptimalOptions options;
  options.leaves = input.most_leaves;
  ReportChooser chooser{.id = "optimal", .detail = "optimal"};
  if (input.most_leaves == 0) return chooser;
  for (model::Model& model : model::fit_optimal_sizes({timings}, options)) {
    chooser.entries.push_back(entry_of(draws, model));
    chooser.entries.back().leaves = model.statistics.shape.leaves;  // that were asked for
  }
  if (chooser.entries.empty()) return chooser;
  // The page shows the fewest leaves that lose less than one percent; the most when none do.
  const auto good = std::ranges::find_if(
      chooser.entries, [](const ReportEntry& entry) { return entry.summary.mean < kGoodEnough; });
  chooser.start = std::min<std::size_t>(good - chooser.entries.begin(), chooser.entries.size() - 1);
  hold_out(chooser, timings);
  chooser.model_file = fmt::format("{}-optimal-{{leaves}}.json", name(timings.collective));
  chooser.fit_command = fit_command(timings, input, "{leaves}", chooser.model_file);
  return chooser;
}

// If the sizes differ from row to row, the grid is large and the fits to all folds take minutes.
constexpr double kMostRectangles = 1e6;

bool is_small(const Timings& timings) {
  return optimal::box_count(make_grid({&timings, 1}).axes) <= kMostRectangles;
}

// The model that `tune` would deploy for these timings.
ReportChooser deployed_chooser(PredictionDraws& draws, const ReportInput& input) {
  const Timings& timings = draws.timings();
  const std::string fitter = model::deployed_fitter();
  const model::Model model = model::parse_fitter(fitter).fit({timings});
  ReportChooser chooser{.id = "deployed", .detail = fitter, .entries = {entry_of(draws, model)}};
  hold_out(chooser, timings);
  chooser.statements = model::statements(model);
  chooser.model_file = fmt::format("{}.json", name(timings.collective));
  chooser.fit_command = fit_command(timings, input, "auto", chooser.model_file);
  return chooser;
}

ReportChooser model_chooser(PredictionDraws& draws, const ReportModel& model) {
  ReportChooser chooser{.id = model.path,
                        .detail = model.function->kind,
                        .entries = {entry_of(draws, *model.function)}};
  chooser.statements = model::statements(*model.function);
  chooser.model_file = model.path;
  if (model.function->origin.collectives.size() == 1) {
    hold_out(chooser, draws.timings());
  } else {
    chooser.no_held_out = "it was fitted to several collectives together";
  }
  return chooser;
}

// Every chooser but the one that is deployed.
std::vector<ReportChooser> other_choosers(PredictionDraws& draws, const ReportInput& input) {
  const Timings& timings = draws.timings();
  std::vector<ReportChooser> choosers;
  const bool has_default =
      std::ranges::any_of(timings.default_us.known_us(), [](double us) { return !std::isnan(us); });
  if (has_default) choosers.push_back(default_chooser(timings, input));
  choosers.push_back(best_chooser(draws));
  if (const auto fixed = best_fixed_method(timings)) {
    const Chooser choose = [method = fixed->method](const Instance&) { return method; };
    choosers.push_back({.id = "fixed",
                        .detail = fixed->method.label(),
                        .entries = {judged({.choose = choose, .points = fixed->points})}});
  }
  ReportChooser optimal = optimal_chooser(draws, input);
  if (!optimal.entries.empty()) choosers.push_back(std::move(optimal));
  for (const ReportModel& model : input.models) {
    if (std::ranges::count(model.function->origin.collectives, timings.collective) != 0) {
      choosers.push_back(model_chooser(draws, model));
    }
  }
  return choosers;
}

// The default stands first if it was measured.
void add_advice(std::vector<ReportChooser>& choosers, const Timings& timings, bool is_undecided) {
  std::optional<double> default_penalty;
  if (choosers.front().id == "default")
    default_penalty = choosers.front().entries.front().summary.mean;
  for (ReportChooser& chooser : choosers) {
    const Chooser& choose = chooser.entries[chooser.start].choose;
    const Chooser left_alone = [](const Instance&) { return library_default(); };
    std::optional<double> held_out;
    if (chooser.held_out) held_out = chooser.held_out->mean;
    chooser.advice = evaluate::advice(chooser.id == "default" ? left_alone : choose, timings,
                                      is_undecided, default_penalty, held_out);
  }
}

}  // namespace

std::vector<std::vector<ReportChooser>> report_choosers(const ReportInput& input) {
  const std::vector<Timings>& tables = input.timings;
  std::vector<std::vector<ReportChooser>> choosers(tables.size());
  std::vector<std::optional<ReportChooser>> deployed(tables.size());
  // The searches for what is deployed have the higher numbers. Those that take longest come first.
  std::vector<std::size_t> searches((input.deployed ? 2 : 1) * tables.size());
  std::iota(searches.begin(), searches.end(), std::size_t{0});
  std::ranges::stable_sort(searches, std::greater(), [&](std::size_t search) {
    const std::size_t times = tables[search % tables.size()].time_us.size();
    return search < tables.size() ? 2 * times : times;
  });
  Progress progress(input.overview.system.name + " report", searches.size(), "searches");
  std::mutex of_progress;
  std::size_t at_a_time = SIZE_MAX;
  for (const Timings& timings : tables)
    at_a_time = std::min(at_a_time, evaluate::fits_at_a_time({timings}));
  in_parallel(searches.size(), at_a_time, [&](std::size_t next) {
    const std::size_t table = searches[next] % tables.size();
    PredictionDraws draws(tables[table]);
    if (searches[next] == table) {
      choosers[table] = other_choosers(draws, input);
    } else if (is_small(tables[table])) {
      deployed[table] = deployed_chooser(draws, input);
    }
    const std::lock_guard lock(of_progress);
    progress.advance();
  });
  progress.finish();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    // It stands behind the choosers that need no fit.
    const auto fitted = std::ranges::find_if(choosers[i], [](const ReportChooser& chooser) {
      return chooser.id != "default" && chooser.id != "best" && chooser.id != "fixed";
    });
    if (deployed[i]) choosers[i].insert(fitted, std::move(*deployed[i]));
    add_advice(choosers[i], tables[i], input.is_undecided);
  }
  return choosers;
}

}  // namespace colltree::report
