// SPDX-License-Identifier: BSD-3-Clause
#include "colltree/timings.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/error.h"
#include "face/values.h"
#include "profile/load_timings.h"
#include "surrogate/complete.h"
#include "timings/timings.h"

namespace colltree::core {

Timings::Timings(colltree::Timings table)
    : table_(std::make_shared<const colltree::Timings>(std::move(table))) {}

namespace {

// The name of this system, or of the only one.
std::string name_of(const profile::Profile& store, const std::string& system) {
  return store.require_system(system.empty() ? std::nullopt : std::optional(system)).name;
}

}  // namespace

Timings Timings::load(const std::string& profile, const std::string& collective,
                      const std::string& system) {
  const profile::Profile store(profile, profile::OpenMode::kRead);
  return Timings(surrogate::complete(
      load_timings(store, name_of(store, system), parse_collective(collective))));
}

std::vector<std::string> Timings::collectives(const std::string& profile,
                                              const std::string& system) {
  const profile::Profile store(profile, profile::OpenMode::kRead);
  return names_of(store.collectives(name_of(store, system)));
}

Timings Timings::from_rows(const std::string& system, const std::vector<Timing>& rows) {
  if (rows.empty()) throw Error("timings: there is no row; a table needs one for each time");
  std::map<std::pair<colltree::Instance, colltree::Method>, Time> times;
  std::set<colltree::Method> methods;
  for (const auto& [instance, method, time_us, is_predicted] : rows) {
    if (!(time_us > 0) || std::isinf(time_us) || instance.communicator_size == 0 ||
        instance.collective != rows.front().instance.collective)
      throw Error(
          fmt::format("timings: a row of {} on {} ranks with {} us among those of {}: a table "
                      "holds one collective by one name, ranks and times above 0",
                      instance.collective, instance.communicator_size, time_us,
                      rows.front().instance.collective));
    const colltree::Method chosen = parse_method_name(method.algorithm, method.segment_size_bytes);
    const Time time =
        is_predicted ? Time::predicted(time_us, {time_us, time_us}) : Time::measured(time_us);
    if (!times.try_emplace({inner(instance), chosen}, time).second)
      throw Error(fmt::format("timings: two rows of {} on {} ranks, {} bytes, {}",
                              instance.collective, instance.communicator_size,
                              instance.message_size_bytes, chosen.label()));
    methods.insert(chosen);
  }
  colltree::Timings table;
  table.system = system;
  table.provenance = profile::kProvenanceImported;
  table.collective = parse_collective(rows.front().instance.collective);
  const bool has_default = methods.erase(library_default()) > 0;
  table.methods = in_tie_order(table.collective, methods);
  if (has_default) table.methods.push_back(library_default());
  for (const auto& [point, time] : times) {
    if (table.instances.empty() || table.instances.back() != point.first)
      table.instances.push_back(point.first);
  }
  for (const colltree::Instance& instance : table.instances) {
    for (const colltree::Method& method : table.methods) {
      const auto found = times.find({instance, method});
      table.time_us.push_back(found == times.end() ? Time() : found->second);
    }
    const auto found = times.find({instance, library_default()});
    table.default_us.push_back(found == times.end() ? Time() : found->second);
  }
  return Timings(std::move(table));
}

std::vector<Instance> Timings::instances() const {
  std::vector<Instance> instances;
  for (const colltree::Instance& instance : table_->instances) {
    instances.push_back({std::string(name(instance.collective)), instance.communicator_size,
                         instance.message_size, instance.nodes, instance.ranks_per_node});
  }
  return instances;
}

std::vector<Method> Timings::methods() const {
  std::vector<Method> methods;
  std::ranges::transform(table_->methods, std::back_inserter(methods), outer);
  return methods;
}

namespace {

std::optional<std::size_t> row_of(const colltree::Timings& table, const Instance& instance) {
  const auto found = std::ranges::lower_bound(table.instances, inner(instance));
  if (found == table.instances.end() || *found != inner(instance)) return std::nullopt;
  return static_cast<std::size_t>(found - table.instances.begin());
}

}  // namespace

std::optional<Timing> Timings::time(const Instance& instance, const Method& method) const {
  const auto row = row_of(*table_, instance);
  if (!row) return std::nullopt;
  const Time time =
      table_->time_of(*row, parse_method_name(method.algorithm, method.segment_size_bytes));
  if (time.is_impossible()) return std::nullopt;
  return Timing{instance, method, time.known_us(), time.is_predicted()};
}

std::optional<Timing> Timings::best(const Instance& instance) const {
  const auto row = row_of(*table_, instance);
  const auto column = row ? table_->best_at(*row) : std::nullopt;
  if (!column) return std::nullopt;
  const Time time = table_->time_at(*row, *column);
  return Timing{instance, outer(table_->methods[*column]), time.known_us(), time.is_predicted()};
}

}  // namespace colltree::core
