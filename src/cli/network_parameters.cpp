// SPDX-License-Identifier: BSD-3-Clause
#include "cli/network_parameters.h"

#include <fmt/format.h>

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

Json table_json(const SizeTable& table) {
  Json rows = Json::array();
  for (const auto& [bytes, us] : table.points())
    rows.push_back({{"message_size", static_cast<std::uint64_t>(bytes)}, {"us", us}});
  return rows;
}

Json parameters_json(const SystemInfo& system, const NetworkParameters& p) {
  return {{"system", system.name},
          {"provenance", system.provenance},
          {"mpi", system.mpi},
          {"hockney",
           {{"alpha_us", p.hockney.alpha_us}, {"beta_us_per_byte", p.hockney.beta_us_per_byte}}},
          {"loggp",
           {{"L_us", p.loggp.latency_us},
            {"o_us", p.loggp.overhead_us},
            {"g_us", p.loggp.gap_us},
            {"G_us_per_byte", p.loggp.byte_gap_us_per_byte}}},
          {"plogp",
           {{"L_us", p.plogp.latency_us},
            {"os", table_json(p.plogp.send_overhead)},
            {"or", table_json(p.plogp.receive_overhead)},
            {"g", table_json(p.plogp.gap)}}},
          {"gamma_us_per_byte", p.gamma_us_per_byte ? Json(*p.gamma_us_per_byte) : Json()}};
}

std::string bandwidth_text(double us_per_byte) {
  return us_per_byte > 0 ? fmt::format(" ({:.4g} MB/s)", 1 / us_per_byte) : "";
}

void print_parameters(const SystemInfo& system, const NetworkParameters& p) {
  fmt::print("{}\n", describe(system));
  fmt::print("  hockney  alpha {:.4g} us, beta {:.4g} us/B{}\n", p.hockney.alpha_us,
             p.hockney.beta_us_per_byte, bandwidth_text(p.hockney.beta_us_per_byte));
  fmt::print("  loggp    L {:.4g} us, o {:.4g} us, g {:.4g} us, G {:.4g} us/B{}\n",
             p.loggp.latency_us, p.loggp.overhead_us, p.loggp.gap_us, p.loggp.byte_gap_us_per_byte,
             bandwidth_text(p.loggp.byte_gap_us_per_byte));
  fmt::print("  plogp    L {:.4g} us, and by message size\n", p.plogp.latency_us);
  fmt::print("           {:>10}  {:>10}  {:>10}  {:>10}\n", "bytes", "os us", "or us", "g us");
  for (const auto& [bytes, us] : p.plogp.gap.points()) {
    fmt::print("           {:>10.0f}  {:>10.4g}  {:>10.4g}  {:>10.4g}\n", bytes,
               p.plogp.send_overhead.at(bytes), p.plogp.receive_overhead.at(bytes), us);
  }
  fmt::print("  folding  gamma {}\n", p.gamma_us_per_byte
                                          ? fmt::format("{:.4g} us/B", *p.gamma_us_per_byte)
                                          : "not known: no linear reduce was measured");
}

}  // namespace

NetworkModels::NetworkModels(ProfileOptions options, SystemInfo system)
    : options_(std::move(options)), source_{system.name, system.provenance, options_.profile} {}

const NetworkParameters& NetworkModels::parameters() const {
  const std::lock_guard lock(mutex_);
  if (!parameters_)
    parameters_ = estimate_parameters(point_to_point_timings(options_, source_.system), source_);
  return *parameters_;
}

CostModel NetworkModels::model(NetworkModel model, const Timings& timings) const {
  if (model == NetworkModel::kHockneyFitted) return fitted_hockney(timings);
  return cost_model(model, parameters(), gamma_for(parameters(), timings.collective, source_));
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
    const NetworkParameters parameters = NetworkModels(options, system).parameters();
    if (options.json) {
      json.push_back(parameters_json(system, parameters));
    } else {
      print_parameters(system, parameters);
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(2));
}

}  // namespace colltree
