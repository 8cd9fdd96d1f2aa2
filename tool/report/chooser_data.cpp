// SPDX-License-Identifier: BSD-3-Clause
#include "report/chooser_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "timings/penalty_json.h"

namespace colltree::report {

Json short_number(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  char text[64];
  const auto written =
      std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  double rounded = 0;
  std::from_chars(text, written.ptr, rounded);
  // A whole number without ".0": there are tens of thousands of them.
  if (rounded == std::floor(rounded) && std::fabs(rounded) < 1e9) {
    return static_cast<std::int64_t>(rounded);
  }
  return rounded;
}

std::size_t MethodIndex::operator()(const Method& method) {
  const auto found = std::ranges::find(methods_, method);
  const auto index = static_cast<std::size_t>(found - methods_.begin());
  if (found == methods_.end()) {
    methods_.push_back(method);
    shown_.push_back(false);
  }
  shown_[index] = true;
  return index;
}

Json tree_json(const model::RuleTree& tree, Collective collective, MethodIndex& index) {
  const std::uint32_t root = model::root_of(tree, collective);
  std::vector<std::uint32_t> reached = {root};
  std::map<std::uint32_t, std::size_t> number = {{root, 0}};
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const model::RuleNode& node = tree.nodes[reached[next]];
    if (node.is_leaf()) continue;
    for (const std::uint32_t child : {node.low, node.high}) {
      if (number.emplace(child, reached.size()).second) reached.push_back(child);
    }
  }
  return json_list(reached, [&](std::uint32_t place) -> Json {
    const model::RuleNode& node = tree.nodes[place];
    if (node.is_leaf()) return Json::array({index(tree.methods[node.method])});
    return {name(node.attribute), node.threshold, number.at(node.low), number.at(node.high)};
  });
}

namespace {

std::vector<SizeRange> thirds(const std::set<std::uint64_t>& sizes) {
  const std::vector<std::uint64_t> sorted(sizes.begin(), sizes.end());
  const std::size_t parts = std::min<std::size_t>(3, sorted.size());
  std::vector<SizeRange> ranges;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t first = part * sorted.size() / parts;
    const std::size_t end = (part + 1) * sorted.size() / parts;
    ranges.push_back({sorted[first], sorted[end - 1]});
  }
  return ranges;
}

bool holds(const SizeRange& range, std::uint64_t size) {
  return range.first <= size && size <= range.last;
}

// Adds the number of the method asked for at each instance and, where another one really runs, its
// number.
void add_methods(Json& entry, const Chooser& choose, const Timings& timings, MethodIndex& index) {
  if (!choose) return;
  Json asked = Json::array();
  Json runs = Json::object();
  for (std::size_t i = 0; i < timings.instances.size(); ++i) {
    const Method method = choose(timings.instances[i]);
    asked.push_back(index(method));
    const auto column = timings.column_of(i, method);
    if (column && timings.methods[*column] != method)
      runs[std::to_string(i)] = index(timings.methods[*column]);
  }
  entry["method"] = std::move(asked);
  entry["runs"] = std::move(runs);
}

// The penalty at each instance; null where the choice has no time.
Json penalties(const PenaltyPoints& points, const Timings& timings) {
  std::size_t next = 0;
  return json_list(timings.instances, [&](const Instance& instance) {
    const bool has_time = next < points.instances.size() && points.instances[next] == instance;
    return has_time ? short_number(points.values[next++], kPenaltyDigits) : Json();
  });
}

Json regions_json(const PenaltyPoints& points, const Timings& timings,
                  const std::vector<GridRegion>& regions) {
  std::vector<PenaltyPoints> inside(regions.size());
  std::vector<std::size_t> region_of(timings.instances.size());
  for (std::size_t k = 0; k < regions.size(); ++k) {
    for (const std::size_t i : regions[k].instances) region_of[i] = k;
  }
  std::size_t next = 0;
  std::size_t next_with_default = 0;
  for (std::size_t i = 0; i < timings.instances.size() && next < points.instances.size(); ++i) {
    if (points.instances[next] != timings.instances[i]) continue;
    inside[region_of[i]].values.push_back(points.values[next++]);
    if (!std::isnan(timings.default_us[i].known_us()))
      inside[region_of[i]].versus_default.push_back(points.versus_default[next_with_default++]);
  }
  return json_list(inside, [](const PenaltyPoints& region) {
    const PenaltySummary summary = summarize(region);
    return Json{
        summary.instances, short_number(summary.mean, kPenaltyDigits),
        summary.versus_default ? short_number(*summary.versus_default, kPenaltyDigits) : Json()};
  });
}

Json entry_json(const ReportEntry& entry, const Timings& timings,
                const std::vector<GridRegion>& regions, MethodIndex& index) {
  const auto& interval = entry.versus_default_interval;
  Json result = {
      {"leaves", entry.leaves ? Json(*entry.leaves) : Json()},
      {"penalty", penalties(entry.points, timings)},
      {"performance_penalty", penalty_json(entry.summary)},
      {"versus_default_interval", interval ? Json{interval->low, interval->high} : Json()},
      {"cannot_run", entry.points.cannot_run.size()},
      {"faster_than_all", entry.points.faster_than_all},
      {"regions", regions_json(entry.points, timings, regions)}};
  add_methods(result, entry.choose, timings, index);
  if (entry.tree) result["tree"] = tree_json(entry.tree->rules, timings.collective, index);
  return result;
}

Json held_out_json(const ReportChooser& chooser) {
  if (!chooser.held_out) return nullptr;
  return {{"entry", chooser.start},
          {"folds", chooser.folds},
          {"performance_penalty", penalty_json(*chooser.held_out)}};
}

}  // namespace

std::vector<GridRegion> regions_of(const Timings& timings) {
  std::set<std::uint64_t> communicators;
  std::set<std::uint64_t> messages;
  for (const Instance& instance : timings.instances) {
    communicators.insert(instance.communicator_size);
    messages.insert(instance.message_size);
  }
  std::vector<GridRegion> regions;
  for (const SizeRange& ranks : thirds(communicators)) {
    for (const SizeRange& bytes : thirds(messages)) {
      std::vector<std::size_t> inside;
      for (std::size_t i = 0; i < timings.instances.size(); ++i) {
        const Instance& instance = timings.instances[i];
        if (holds(ranks, instance.communicator_size) && holds(bytes, instance.message_size)) {
          inside.push_back(i);
        }
      }
      if (!inside.empty()) regions.push_back({ranks, bytes, std::move(inside)});
    }
  }
  return regions;
}

Json chooser_json(const ReportChooser& chooser, const Timings& timings,
                  const std::vector<GridRegion>& regions, MethodIndex& index) {
  Json entries = json_list(chooser.entries, [&](const ReportEntry& entry) {
    return entry_json(entry, timings, regions, index);
  });
  return {{"id", chooser.id},
          {"detail", chooser.detail},
          {"start", chooser.start},
          {"held_out", held_out_json(chooser)},
          {"no_held_out", chooser.no_held_out},
          {"advice", chooser.advice},
          {"statements", chooser.statements},
          {"fit_command", chooser.fit_command},
          {"model_file", chooser.model_file},
          {"entries", std::move(entries)}};
}

}  // namespace colltree::report
