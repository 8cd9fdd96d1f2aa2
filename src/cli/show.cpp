// SPDX-License-Identifier: BSD-3-Clause
// `colltree show`: what a profile holds and where it comes from.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "profile/overview.h"

namespace colltree {

namespace {

struct Options {
  std::string profile;
  std::optional<std::string> system;
  bool json = false;
};

void show(const Options& options) {
  const Profile profile(options.profile, OpenMode::kRead);
  const std::vector<SystemOverview> systems = overview(profile, options.system);
  nlohmann::json json = nlohmann::json::array();
  for (const SystemOverview& system : systems) {
    if (options.json) {
      json.push_back(overview_json(system));
    } else {
      fmt::print("{}", overview_text(system));
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
  if (!options.json && systems.empty()) fmt::print("{}: no timings yet\n", options.profile);
}

}  // namespace

void declare_show(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("profile", options->profile, "the profile, P.db")->required();
  app.add_option("--system", options->system, "only this system");
  app.add_flag("--json", options->json, "print JSON");
  app.callback([options] { show(*options); });
}

}  // namespace colltree
