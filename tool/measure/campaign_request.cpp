// SPDX-License-Identifier: BSD-3-Clause
#include "measure/campaign_request.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/bounds.h"
#include "base/error.h"
#include "coll/catalogue.h"

namespace colltree::measure {

namespace {

std::optional<double> amount(std::string_view text, std::string_view unit, const RealRange& range) {
  if (!text.ends_with(unit)) return std::nullopt;
  text.remove_suffix(unit.size());
  return find_real(text, range);
}

std::vector<Method> methods_of_library(const CampaignRequest& request, Collective collective) {
  ParameterValues values = request.parameters;
  values.nonblocking = values.nonblocking || !request.methods.empty();  // they can be named
  std::vector<Method> methods =
      library_methods(*request.library, collective, request.segment_sizes, values);
  methods.push_back({kDefaultAlgorithm, std::nullopt});
  return request.methods.empty() ? methods : select_methods(request.methods, methods);
}

std::vector<Method> methods_of(const CampaignRequest& request, Collective collective) {
  if (request.library) return methods_of_library(request, collective);
  if (!request.methods.empty())
    return parse_methods(request.methods, collective, request.segment_sizes, request.parameters);
  std::vector<Method> methods =
      portable_methods(collective, request.segment_sizes, request.parameters);
  methods.push_back({kDefaultAlgorithm, std::nullopt});
  return methods;
}

// The methods to plan at an instance whose placement is not said yet. If several are asked for,
// methods that know the nodes stay until with_placements has seen them; those that share memory
// stay until the driver says whether all ranks are on one node.
std::vector<Method> methods_at(const CampaignRequest& request, std::span<const Method> methods,
                               const Instance& instance) {
  if (request.library) return segmented_below(methods, instance.message_size);
  const Instance on_one_node = protocol::placed(instance, instance.communicator_size);
  std::vector<Method> planned;
  for (const Method& method : methods) {
    const bool asks_nodes =
        !request.ranks_per_node.empty() && knows_nodes(instance.collective, method);
    const bool shares = shares_memory(instance.collective, method);
    if (asks_nodes || effective_method(method, shares ? on_one_node : instance) == method)
      planned.push_back(method);
  }
  return planned;
}

constexpr const char* kNothingRuns = "the grid is empty: no method can run at any of its instances";

// Adds the library's algorithms that our table lacks; a request that names methods leaves them out.
void append_unknown(const CampaignRequest& request, const Driver& driver,
                    std::vector<protocol::PlanCell>& cells) {
  if (!request.methods.empty()) return;
  for (const Collective collective : request.collectives) {
    for (const std::string& algorithm : driver.unknown(collective)) {
      for (const Instance& instance : instances_of({collective}, request.grid))
        cells.push_back({instance, {algorithm, std::nullopt}});
    }
  }
}

// Each cell once more for every setting. Where a setting decides alone who carries out collectives,
// only the library's own choice is measured.
void append_settings(std::span<const Setting> settings, std::vector<protocol::PlanCell>& cells) {
  const std::vector<protocol::PlanCell> plain = cells;
  for (const Setting& setting : settings) {
    const bool default_only = decides_alone(setting);
    for (protocol::PlanCell cell : plain) {
      if (default_only && !is_library_default(cell.method)) continue;
      cell.method = under_setting(cell.method, setting.name);
      cells.push_back(std::move(cell));
    }
  }
}

std::uint64_t largest_size(const CampaignRequest& request) {
  return *std::ranges::max_element(request.grid.communicator_sizes);
}

std::vector<protocol::PlanCell> with_placements(const CampaignRequest& request,
                                                const Driver& driver,
                                                const std::vector<protocol::PlanCell>& cells) {
  const protocol::JobLayout layout = driver.layout(largest_size(request));
  std::vector<protocol::PlanCell> possible;
  bool any_room = false;
  for (const protocol::PlanCell& cell : cells) {
    for (const std::uint64_t ranks : protocol::possible_ranks_per_node(
             request.ranks_per_node, cell.instance.communicator_size, layout)) {
      any_room = true;
      const protocol::PlanCell there{protocol::placed(cell.instance, ranks), cell.method};
      if (request.library || effective_method(there.method, there.instance) == there.method)
        possible.push_back(there);
    }
  }
  if (!possible.empty()) return possible;
  if (any_room) throw Error(kNothingRuns);
  throw Error(
      fmt::format("--ranks-per-node: the job has {} nodes of at most {} ranks: no room for any of "
                  "the communicator sizes with any of these",
                  layout.nodes, layout.ranks_per_node));
}

bool needs_one_node(const protocol::PlanCell& cell) {
  return shares_memory(cell.instance.collective, cell.method);
}

}  // namespace

void erase_of_one_node(std::vector<protocol::PlanCell>& cells) {
  std::erase_if(cells, needs_one_node);
  if (cells.empty()) throw Error(kNothingRuns);
}

Budget parse_budget(std::string_view text) {
  constexpr std::pair<std::string_view, double> kTimeUnits[] = {{"s", 1}, {"m", 60}, {"h", 3600}};
  constexpr RealRange kTime{0, 1e7, true};
  constexpr RealRange kPercent{0, 100, true};
  constexpr RealRange kCells{1, 1e9};
  if (text.empty()) return {};
  if (const auto cells = amount(text, "cells", kCells))
    return {.cells = static_cast<std::uint64_t>(*cells)};
  if (const auto percent = amount(text, "%", kPercent)) return {.share = *percent / 100};
  for (const auto& [unit, seconds] : kTimeUnits) {
    if (const auto time = amount(text, unit, kTime)) return {.seconds = *time * seconds};
  }
  throw UsageError(fmt::format(
      "--budget: expected a time (90s, 30m, 2h), a share of all cells' cost (5%) or a number of "
      "cells (2000cells), got '{}'",
      text));
}

std::optional<double> parse_until(std::string_view text) {
  constexpr RealRange kPercent{0, 100, true};
  if (text.empty()) return std::nullopt;
  const auto percent = amount(text, "%", kPercent);
  if (!percent) {
    throw UsageError(
        fmt::format("--until: expected the mean penalty that is small enough, such as 0.5%, got "
                    "'{}'",
                    text));
  }
  return *percent / 100;
}

std::vector<protocol::PlanCell> plan_cells(const CampaignRequest& request) {
  std::vector<protocol::PlanCell> cells;
  for (const Collective collective : request.collectives) {
    if (!request.library && portable_methods(collective, request.segment_sizes).empty()) {
      throw Error(
          fmt::format("colltree has no method of its own for {}; --collective all measures the "
                      "collectives that have one",
                      name(collective)));
    }
    const std::vector<Method> methods = methods_of(request, collective);
    if (methods.size() == 1 && is_library_default(methods[0]) && request.methods == "papers")
      throw Error(
          fmt::format("--methods papers: the papers have no methods of {}; leave it out of "
                      "--collective, or choose other methods",
                      name(collective)));
    for (const Instance& instance : instances_of({collective}, request.grid)) {
      for (const Method& method : methods_at(request, methods, instance))
        cells.push_back({instance, method});
    }
  }
  if (cells.empty()) throw Error(kNothingRuns);
  return cells;
}

std::vector<protocol::PlanCell> plan_cells(const CampaignRequest& request, const Driver& driver) {
  std::vector<protocol::PlanCell> cells = plan_cells(request);
  append_unknown(request, driver, cells);
  if (!request.ranks_per_node.empty()) {
    cells = with_placements(request, driver, cells);
  } else if (!request.library && std::ranges::any_of(cells, needs_one_node) &&
             !driver.is_on_one_node(largest_size(request))) {
    erase_of_one_node(cells);
  }
  const auto gone = std::stable_partition(
      cells.begin(), cells.end(), [&](const protocol::PlanCell& cell) { return driver.has(cell); });
  const bool named = !request.methods.empty();
  if (gone != cells.end() && (named || gone == cells.begin())) {
    const protocol::PlanCell& cell = *gone;
    throw Error(fmt::format(
        "{} has no {} algorithm '{}'; colltree measure methods --source {} says since when",
        driver.system().mpi, name(cell.instance.collective), cell.method.name(),
        request.library ? name(*request.library) : "portable"));
  }
  cells.erase(gone, cells.end());
  append_settings(driver.settings(), cells);
  return cells;
}

}  // namespace colltree::measure
