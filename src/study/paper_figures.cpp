// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "model/fitter.h"
#include "model/quadtree/label_grid.h"
#include "report/curves.h"
#include "report/method_maps.h"
#include "report/tree_study.h"
#include "study/paper_study.h"

namespace colltree::study {

namespace {

constexpr report::Background kPage = report::Background::kLight;

struct C45Parameters {
  int weight;
  int confidence;

  std::string option() const { return fmt::format("-m {} -c {}", weight, confidence); }
  model::Model fit(const std::vector<Timings>& timings) const {
    return model::parse_fitter(fmt::format("c45:weight={},confidence={}", weight, confidence))
        .fit(timings);
  }
};

constexpr C45Parameters kFigure2[] = {{2, 25}, {4, 25}, {6, 15}, {8, 5}, {40, 5}};
constexpr C45Parameters kFigure3[] = {{2, 25}, {20, 5}};
constexpr C45Parameters kFigure4[] = {{2, 25}, {6, 25}, {8, 25}, {20, 5}, {40, 25}};

Chooser chooser(const model::Model& model) {
  return [&model](const Instance& at) { return model.decide(at); };
}

std::string leaves(const model::Model& model) {
  return fmt::format("{} leaves", model.statistics.shape.leaves);
}

report::MethodMap map_of(const std::string& title, const Timings& timings,
                         const model::Model& model) {
  report::MethodMap map = report::chosen_map(timings, chooser(model));
  map.title = title;
  map.subtitle = fmt::format("{}, penalty {}", leaves(model),
                             report::penalty_text(penalty_of(model, timings)));
  return map;
}

report::MethodMap exact(const std::string& title, const Timings& timings) {
  report::MethodMap map = report::exact_map(timings);
  map.title = title;
  map.subtitle = fmt::format("{} instances", timings.instances.size());
  return map;
}

std::string where(const Timings& timings) {
  return fmt::format("{} ({})", timings.system, timings.provenance);
}

PaperFigure maps_figure(const std::string& figure_name, const std::string& title,
                        const std::vector<report::MethodMap>& maps, std::size_t columns) {
  report::MapFigure figure = report::decision_figure(title, maps, kPage);
  figure.style.columns = columns;
  return {figure_name, report::draw(figure, kPage)};
}

PaperFigure figure_2(const Timings& bcast) {
  std::vector<report::MethodMap> maps = {exact("(a) Measured", bcast)};
  char letter = 'b';
  for (const C45Parameters& parameters : kFigure2) {
    maps.push_back(map_of(fmt::format("({}) {}", letter++, parameters.option()), bcast,
                          parameters.fit({bcast})));
  }
  return maps_figure("2006-figure-2", "C4.5 decision maps: bcast on " + where(bcast), maps, 3);
}

PaperFigure figure_3(const Timings& bcast, const Timings& reduce) {
  std::vector<report::MethodMap> maps;
  char letter = 'a';
  for (const Timings* one : {&reduce, &bcast}) {
    maps.push_back(exact(fmt::format("({}) {}, exact", letter++, name(one->collective)), *one));
    for (const C45Parameters& parameters : kFigure3) {
      maps.push_back(
          map_of(fmt::format("({}) {}, {}", letter++, name(one->collective), parameters.option()),
                 *one, parameters.fit({bcast, reduce})));
    }
  }
  return maps_figure("2006-figure-3", "Combined C4.5 trees of bcast and reduce on " + where(bcast),
                     maps, 3);
}

PaperFigure figure_4(const Timings& bcast, const Timings& reduce) {
  std::vector<std::string> trees;
  std::vector<report::NamedValues> penalties = {{"bcast", {}}, {"reduce", {}}};
  for (const C45Parameters& parameters : kFigure4) {
    const model::Model model = parameters.fit({bcast, reduce});
    trees.push_back(parameters.option());
    penalties[0].values.push_back(penalty_of(model, bcast).mean);
    penalties[1].values.push_back(penalty_of(model, reduce).mean);
  }
  return {"2006-figure-4",
          report::draw(report::trees_figure(
                           "Penalty of combined trees of bcast and reduce on " + where(bcast),
                           trees, penalties, kPage),
                       kPage)};
}

struct Limit {
  std::string title;
  std::string fitter;
};

std::vector<Limit> depth_limits() {
  std::vector<Limit> limits;
  for (const int depth : {4, 3, 2}) {
    limits.push_back(
        {fmt::format("maximum depth {}", depth), fmt::format("quadtree:max_depth={}", depth)});
  }
  return limits;
}

std::vector<Limit> threshold_limits() {
  std::vector<Limit> limits;
  for (const int percent : {80, 60, 40}) {
    limits.push_back({fmt::format("threshold {} %", percent),
                      fmt::format("quadtree:accuracy_threshold={}", percent / 100.0)});
  }
  return limits;
}

// A row for each cluster: (a) Frodo, (b) Grig.
PaperFigure limited_maps(const std::string& figure_name, const std::string& title,
                         const Timings2007& timings, const std::vector<Limit>& limits) {
  std::vector<report::MethodMap> maps;
  char letter = 'a';
  for (const Timings* one : {&timings.frodo_bcast, &timings.grig_bcast}) {
    maps.push_back(exact(fmt::format("({}) {}, exact", letter, one->system), *one));
    for (const Limit& limit : limits) {
      maps.push_back(map_of(fmt::format("({}) {}", letter, limit.title), *one,
                            model::parse_fitter(limit.fitter).fit({*one})));
    }
    ++letter;
  }
  return maps_figure(figure_name, title, maps, limits.size() + 1);
}

PaperFigure penalty_maps(const Timings2007& timings) {
  std::vector<report::PenaltyMap> maps;
  char letter = 'a';
  for (const Timings* one : {&timings.frodo_bcast, &timings.grig_bcast}) {
    for (const Limit& limit : depth_limits()) {
      const model::Model model = model::parse_fitter(limit.fitter).fit({*one});
      const PenaltyPoints points = penalty_points(*one, chooser(model));
      maps.push_back(report::penalty_map(*one, points));
      maps.back().title = fmt::format("({}) {}, {}", letter, one->system, limit.title);
      maps.back().subtitle = report::penalty_text(summarize(points));
    }
    ++letter;
  }
  report::MapFigure figure = report::penalty_figure(
      "Penalty of depth-limited quadtrees of bcast (simulated)", maps, kPage);
  figure.style.columns = 3;
  return {"2007-figure-3", report::draw(figure, kPage)};
}

report::StudyCurve curve(const Timings& timings, bool depths) {
  const model::LabelGrid grid = model::make_grid_of({timings}, "collective");
  const report::StudyInput input{{&timings, 1}, grid};
  report::StudyCurve result{fmt::format("{} on {}", name(timings.collective), timings.system), {}};
  if (depths) result.rows = report::depth_study(input, model::Reshape::kEnd);
  const std::vector<report::StudyRow> more = report::threshold_study(input, model::Reshape::kEnd);
  result.rows.insert(result.rows.end(), more.begin(), more.end());
  return result;
}

std::vector<report::StudyCurve> curves(const Timings2007& timings, bool depths) {
  std::vector<report::StudyCurve> result;
  for (const Timings* one :
       {&timings.frodo_bcast, &timings.frodo_reduce, &timings.grig_bcast, &timings.grig_reduce}) {
    result.push_back(curve(*one, depths));
  }
  return result;
}

}  // namespace

std::vector<PaperFigure> figures_2006(const Timings& grig_bcast, const Timings& grig_reduce) {
  return {figure_2(grig_bcast), figure_3(grig_bcast, grig_reduce),
          figure_4(grig_bcast, grig_reduce)};
}

std::vector<PaperFigure> figures_2007(const Timings2007& timings) {
  const Timings& reduce = timings.frodo_reduce;
  const report::MethodMap reduce_map = exact("reduce, exact", reduce);
  const std::string on = "reduce on " + where(reduce);
  return {maps_figure("2007-figure-1a", "Decision map: " + on, {reduce_map}, 1),
          {"2007-figure-1b",
           report::draw_table(reduce_map, 8, 8, "Decision map as a table: " + on, kPage)},
          limited_maps("2007-figure-2", "Depth-limited quadtrees of bcast (simulated)", timings,
                       depth_limits()),
          penalty_maps(timings),
          limited_maps("2007-figure-4", "Threshold-limited quadtrees of bcast (simulated)", timings,
                       threshold_limits()),
          {"2007-figure-5",
           report::draw(report::threshold_figure("Effect of the accuracy threshold (simulated)",
                                                 curves(timings, false), kPage),
                        kPage)},
          {"2007-figure-6",
           report::draw(report::limits_figure("Accuracy threshold and maximum depth (simulated)",
                                              curves(timings, true), kPage),
                        kPage)}};
}

}  // namespace colltree::study
