// SPDX-License-Identifier: BSD-3-Clause
#include "report/chooser_data.h"

#include <cmath>

#include "base/json.h"
#include "report/short_number.h"
#include "report/tree_data.h"
#include "timings/penalty_json.h"

namespace colltree {

namespace {

// By instance: the number of the method asked for, and where another one really runs, which.
void add_methods(Json& entry, const Chooser& choose, const Timings& timings, MethodIndex& index) {
  if (!choose) return;
  Json asked = Json::array();
  Json runs = Json::object();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Method method = choose(timings.instances[i]);
    asked.push_back(index(method));
    const auto column = timings.column_of(i, method);
    if (column && timings.methods[*column] != method) runs[std::to_string(i)] = *column;
  }
  entry["method"] = std::move(asked);
  entry["runs"] = std::move(runs);
}

// By instance; null where the choice has no time.
Json penalties(const PenaltyPoints& points, const Timings& timings) {
  Json values = Json::array();
  std::size_t next = 0;
  for (const Instance& instance : timings.instances) {
    const bool has_time = next < points.at.size() && points.at[next] == instance;
    values.push_back(has_time ? short_number(points.values[next++], kPenaltyDigits) : Json());
  }
  return values;
}

// Of the geometric mean, as versus_default itself.
Json versus_default_interval(const PenaltyPoints& points) {
  std::vector<double> logarithms;
  for (const double fraction : points.versus_default) logarithms.push_back(std::log1p(fraction));
  const auto interval = mean_interval(logarithms, points.at, Bootstrap{});
  if (!interval) return nullptr;
  return {std::expm1(interval->low), std::expm1(interval->high)};
}

Json regions_json(const ReportChooser& chooser, const ReportEntry& entry,
                  const std::vector<GridRegion>& regions) {
  Json all = Json::array();
  for (const GridRegion& region : regions) {
    // The default is judged by its measured times, also where its method is known.
    const PenaltySummary summary =
        summarize(chooser.id == "default" ? default_penalty_points(region.timings)
                                          : penalty_points(region.timings, entry.choose));
    all.push_back(
        {summary.instances, short_number(summary.mean, kPenaltyDigits),
         summary.versus_default ? short_number(*summary.versus_default, kPenaltyDigits) : Json()});
  }
  return all;
}

Json entry_json(const ReportChooser& chooser, const ReportEntry& entry, const Timings& timings,
                const std::vector<GridRegion>& regions, MethodIndex& index) {
  Json result = {{"leaves", entry.leaves ? Json(*entry.leaves) : Json()},
                 {"penalty", penalties(entry.points, timings)},
                 {"performance_penalty", penalty_json(summarize(entry.points, Bootstrap{}))},
                 {"versus_default_interval", versus_default_interval(entry.points)},
                 {"cannot_run", entry.points.cannot_run.size()},
                 {"faster_than_all", entry.points.faster_than_all},
                 {"regions", regions_json(chooser, entry, regions)}};
  add_methods(result, entry.choose, timings, index);
  if (entry.tree) result["tree"] = tree_json(entry.tree->lower(), timings.collective, index);
  return result;
}

Json held_out_json(const ReportChooser& chooser) {
  if (!chooser.held_out) return nullptr;
  return {{"entry", chooser.held_out->entry},
          {"folds", chooser.held_out->folds},
          {"performance_penalty", penalty_json(chooser.held_out->summary)}};
}

}  // namespace

Json chooser_json(const ReportChooser& chooser, const Timings& timings,
                  const std::vector<GridRegion>& regions, MethodIndex& index) {
  Json entries = Json::array();
  for (const ReportEntry& entry : chooser.entries) {
    entries.push_back(entry_json(chooser, entry, timings, regions, index));
  }
  return {{"id", chooser.id},
          {"detail", chooser.detail},
          {"start", chooser.start},
          {"held_out", held_out_json(chooser)},
          {"no_held_out", chooser.no_held_out},
          {"fit_command", chooser.fit_command},
          {"model_file", chooser.model_file},
          {"entries", std::move(entries)}};
}

}  // namespace colltree
