// SPDX-License-Identifier: BSD-3-Clause
#include "cli/network_parameters.h"

#include <fmt/core.h>

#include "base/json.h"
#include "cli/loaded_models.h"
#include "parametric/point_to_point.h"

namespace colltree {

namespace {

std::vector<Timings> point_to_point_timings(const ProfileOptions& options,
                                            const std::string& system) {
  const Profile profile(options.profile, OpenMode::kRead);
  std::vector<Timings> found;
  for (const Collective collective : point_to_point_collectives()) {
    if (auto one = find_timings(profile, system, collective, load_options(options)))
      found.push_back(std::move(*one));
  }
  return found;
}

Json parameters_json(const SystemInfo& system, const NetworkParameters& p) {
  return {{"system", system.name},
          {"provenance", system.provenance},
          {"mpi", system.mpi},
          {"loggp",
           {{"L_us", p.loggp.latency_us},
            {"o_us", p.loggp.overhead_us},
            {"g_us", p.loggp.gap_us},
            {"G_us_per_byte", p.loggp.byte_gap_us_per_byte}}},
          {"gamma_us_per_byte", p.gamma_us_per_byte ? Json(*p.gamma_us_per_byte) : Json()}};
}

std::string bandwidth_text(double us_per_byte) {
  return us_per_byte > 0 ? fmt::format(" ({:.4g} MB/s)", 1 / us_per_byte) : "";
}

void print_parameters(const SystemInfo& system, const NetworkParameters& p) {
  fmt::print("{}\n", describe(system));
  fmt::print("  loggp    L {:.4g} us, o {:.4g} us, g {:.4g} us, G {:.4g} us/B{}\n",
             p.loggp.latency_us, p.loggp.overhead_us, p.loggp.gap_us, p.loggp.byte_gap_us_per_byte,
             bandwidth_text(p.loggp.byte_gap_us_per_byte));
  fmt::print("  folding  gamma {}\n", p.gamma_us_per_byte
                                          ? fmt::format("{:.4g} us/B", *p.gamma_us_per_byte)
                                          : "not known: no linear reduce was measured");
}

}  // namespace

MeasuredNetwork::MeasuredNetwork(ProfileOptions options, SystemInfo system)
    : options_(std::move(options)), source_{system.name, system.provenance, options_.profile} {}

const NetworkParameters& MeasuredNetwork::parameters() const {
  const std::lock_guard lock(mutex_);
  if (!parameters_)
    parameters_ = estimate_parameters(point_to_point_timings(options_, source_.system), source_);
  return *parameters_;
}

Network MeasuredNetwork::of(Collective collective) const {
  return network_for(parameters(), collective, source_);
}

void show_network_parameters(const ProfileOptions& options) {
  std::vector<SystemInfo> systems;
  {
    const Profile profile(options.profile, OpenMode::kRead);
    systems =
        options.system ? std::vector{profile.require_system(options.system)} : profile.systems();
  }
  if (!options.json && systems.empty()) fmt::print("{}: no timings yet\n", options.profile);
  Json json = Json::array();
  for (const SystemInfo& system : systems) {
    const NetworkParameters parameters = MeasuredNetwork(options, system).parameters();
    if (options.json) {
      json.push_back(parameters_json(system, parameters));
    } else {
      print_parameters(system, parameters);
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
}

}  // namespace colltree
