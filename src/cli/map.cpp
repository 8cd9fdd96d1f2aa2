// SPDX-License-Identifier: BSD-3-Clause
// `colltree map`: the best method of each instance, to look at or as a table.
#include <fmt/core.h>

#include <memory>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "timings/decision_map.h"

namespace colltree::cli {

namespace {

struct MapOptions {
  ProfileOptions input;
  std::string output;
};

std::vector<DecisionMap> make_maps(const SystemTimings& loaded) {
  std::vector<DecisionMap> maps;
  for (const Timings& timings : loaded.timings) maps.push_back(make_decision_map(timings));
  return maps;
}

void write_csv(const std::vector<DecisionMap>& maps, const std::string& path) {
  std::string text;
  for (const DecisionMap& map : maps) {
    const std::string csv = map_csv(map);
    text += text.empty() ? csv : csv.substr(csv.find('\n') + 1);
  }
  write_file(path, text);
}

void print_json(const std::vector<DecisionMap>& maps, const profile::SystemInfo& system) {
  Json json = {{"system", system.name}, {"provenance", system.provenance}, {"maps", Json::array()}};
  for (const DecisionMap& map : maps) json["maps"].push_back(map_json(map));
  fmt::print("{}\n", json.dump(2));
}

void print_text(const std::vector<DecisionMap>& maps, const profile::SystemInfo& system) {
  for (const DecisionMap& map : maps) {
    fmt::print("{} on {} ({}): best method by communicator size (rows) and message size\n{}",
               name(map.collective), system.name, system.provenance, map_text(map));
  }
}

void show_maps(const MapOptions& options) {
  const SystemTimings loaded = load_system_timings(options.input);
  const std::vector<DecisionMap> maps = make_maps(loaded);
  if (!options.output.empty()) write_csv(maps, options.output);
  if (options.input.json) {
    print_json(maps, loaded.system);
  } else {
    print_text(maps, loaded.system);
  }
}

}  // namespace

void declare_map(CommandLine& line) {
  auto options = std::make_shared<MapOptions>();
  add_profile_options(line, options->input);
  add_reproducible_option(line, options->input.reproducible);
  line.add_output("-o,--output", options->output, "also write the map as CSV");
  line.set_work([options] { show_maps(*options); });
}

}  // namespace colltree::cli
