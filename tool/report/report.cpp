// SPDX-License-Identifier: BSD-3-Clause
#include "report/report.h"

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/json.h"
#include "emit/emitter.h"
#include "model/openmpi/library_rules.h"
#include "report/chooser_data.h"
#include "report/command_lines.h"
#include "report/method_maps.h"
#include "rules/rule_target.h"
#include "timings/decision_map.h"

namespace colltree::report {

namespace {

template <typename Value>
Json times(const Times& times, const Value& value) {
  Json values = Json::array();
  for (std::size_t i = 0; i < times.size(); ++i)
    values.push_back(short_number(value(times[i]), kTimeDigits));
  return values;
}

double known_us(const Time& time) { return time.known_us(); }
double low_us(const Time& time) { return time.interval() ? time.interval()->low : kNoTime; }
double high_us(const Time& time) { return time.interval() ? time.interval()->high : kNoTime; }

// A number for the page, 1 or 0.
double is_predicted(const Time& time) { return time.is_predicted() ? 1 : 0; }

Json column(const Timings& timings, std::uint64_t Instance::*field) {
  return json_list(timings.instances, [&](const Instance& instance) { return instance.*field; });
}

// Leaves the placement out where it is known at no instance.
Json instances_json(const Timings& timings) {
  Json result = {{"communicator_size", column(timings, &Instance::communicator_size)},
                 {"message_size", column(timings, &Instance::message_size)}};
  const bool placed = std::ranges::any_of(timings.instances, [](const Instance& instance) {
    return instance.nodes != 0 || instance.ranks_per_node != 0;
  });
  if (placed) {
    result["nodes"] = column(timings, &Instance::nodes);
    result["ranks_per_node"] = column(timings, &Instance::ranks_per_node);
  }
  return result;
}

// The noise is known where some interval is wider than its time.
bool knows_noise(const Timings& timings) {
  for (std::size_t i = 0; i < timings.time_us.size(); ++i) {
    const auto interval = timings.time_us[i].interval();
    if (interval && interval->high > interval->low) return true;
  }
  return false;
}

// Counts at each instance the methods that tie with the best method, because their intervals
// overlap its interval.
Json rivals(const Timings& timings) {
  Json counts = Json::array();
  const std::size_t methods = timings.methods.size();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const std::size_t best = timings.best_at(i).value_or(0);
    const double reach = high_us(timings.time_at(i, best));
    std::size_t count = 0;
    for (std::size_t m = 0; m < methods; ++m) {
      if (m != best && low_us(timings.time_at(i, m)) <= reach) ++count;
    }
    counts.push_back(count);
  }
  return counts;
}

// The methods that some map shows: only these need a colour.
Json legend_json(const MethodIndex& index) {
  Json shown = Json::array();
  for (std::size_t m = 0; m < index.methods().size(); ++m)
    if (index.is_shown(m)) shown.push_back(m);
  return shown;
}

Json regions_json(const std::vector<GridRegion>& regions) {
  const auto range = [](const SizeRange& sizes) { return Json::array({sizes.first, sizes.last}); };
  return json_list(regions, [&](const GridRegion& region) {
    return Json{{"communicator_sizes", range(region.communicator_sizes)},
                {"message_sizes", range(region.message_sizes)}};
  });
}

Json counts_json(const profile::SystemOverview& overview, Collective collective) {
  const auto found = overview.collectives.find(collective);
  if (found == overview.collectives.end()) return nullptr;
  const profile::CollectiveOverview& counts = found->second;
  Json result = {{"samples", counts.samples}};
  for (const profile::CellStatus status :
       {profile::CellStatus::kOk, profile::CellStatus::kFailed, profile::CellStatus::kCannotRun}) {
    const auto cells = counts.cells.find(status);
    result[std::string(profile::name(status))] = cells == counts.cells.end() ? 0 : cells->second;
  }
  return result;
}

// The timings of one collective and everything that chooses there, as the page reads them
// (docs/tasks/looking.md).
Json collective_json(const Timings& timings, const std::vector<ReportChooser>& reported,
                     const ReportInput& input, MethodIndex& index) {
  const std::vector<GridRegion> regions = regions_of(timings);
  Json choosers = json_list(reported, [&](const ReportChooser& chooser) {
    return chooser_json(chooser, timings, regions, index);
  });
  const bool noise = knows_noise(timings);
  Json json = {
      {"collective", name(timings.collective)},
      {"counts", counts_json(input.overview, timings.collective)},
      {"instances", instances_json(timings)},
      {"methods", json_list(index.methods(),
                            [](const Method& method) {
                              return Json{{"label", method.label()}, {"algorithm", method.name()}};
                            })},
      {"measured_methods", timings.methods.size()},
      {"legend", legend_json(index)},
      {"time_us", times(timings.time_us, known_us)},
      {"low_us", noise ? times(timings.time_us, low_us) : Json()},
      {"high_us", noise ? times(timings.time_us, high_us) : Json()},
      {"default_us", times(timings.default_us, known_us)},
      {"rivals", noise ? rivals(timings) : Json()},
      {"regions", regions_json(regions)},
      {"choosers", std::move(choosers)}};
  if (counts_of(timings).predicted > 0) {
    json["predicted"] = times(timings.time_us, is_predicted);
    json["default_predicted"] = times(timings.default_us, is_predicted);
  }
  return json;
}

constexpr std::size_t kMostListed = 200;  // cells without a time; the count is always complete

// A reader of this report can use source, the file of `colltree run`, and the rules of the library
// that was measured.
bool is_for_library(const emit::Emitter& emitter, const std::string& mpi) {
  const std::string_view target = emitter.target;
  if (target == "c" || target == "cdt") return true;
  if (target == "smpi") return mpi.starts_with("smpi-");
  try {
    return target == rules::rule_target_of(mpi).name;
  } catch (const Error&) {
    return false;  // a library without rules here
  }
}

// The page opens on the collective where the library's own choice loses most, or on the first one
// when nobody knows what that choice costs.
Collective most_to_gain(const ReportInput& input) {
  Collective most = input.timings.front().collective;
  double greatest = 0;
  for (const Timings& timings : input.timings) {
    PenaltyPoints points = default_penalty_points(timings);
    if (points.values.empty()) {
      const auto rules = model::openmpi_library_rules(timings, input.overview.system.mpi);
      if (rules) points = model::penalty_points(timings, *rules);
    }
    const double mean = summarize(points).charged_mean;
    if (mean <= greatest) continue;
    greatest = mean;
    most = timings.collective;
  }
  return most;
}

}  // namespace

Json make_report(const ReportInput& input) {
  Json system = profile::overview_json(input.overview);
  Json& without_time = system["without_time"];
  const std::size_t without = without_time.size();
  if (without > kMostListed) without_time = std::span(without_time.begin(), kMostListed);
  Json collectives = Json::array();
  const std::vector<std::vector<ReportChooser>> choosers = report_choosers(input);
  for (std::size_t i = 0; i < choosers.size(); ++i) {
    MethodIndex methods(input.timings[i]);
    collectives.push_back(collective_json(input.timings[i], choosers[i], input, methods));
  }
  return {
      {"format", "colltree report"},
      {"version", 1},
      {"colltree", COLLTREE_VERSION},
      {"profile", shell_word(input.profile)},
      {"command", input.command},
      {"origin_commands", origin_commands(input)},
      {"emitters", json_list(emit::emitters(),
                             [&](const emit::Emitter& emitter) {
                               return Json{
                                   {"target", emitter.target},
                                   {"summary", emitter.summary},
                                   {"useful", is_for_library(emitter, input.overview.system.mpi)}};
                             })},
      {"verdict", input.verdict},
      {"penalty_steps", json_list(kPenaltySteps,
                                  [](const PenaltyStep& step) {
                                    return Json{{"from", step.from}, {"text", step.text}};
                                  })},
      {"cells_without_time", without},
      {"system", std::move(system)},
      {"opens_on", name(most_to_gain(input))},
      {"sources_text",
       input.source_gains ? Json(evaluate::source_gains_text(*input.source_gains)) : Json()},
      {"sources", input.source_gains ? evaluate::source_gains_json(*input.source_gains) : Json()},
      {"collectives", std::move(collectives)}};
}

}  // namespace colltree::report
