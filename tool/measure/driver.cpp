// SPDX-License-Identifier: BSD-3-Clause
#include "measure/driver.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <thread>
#include <tuple>

#include "base/error.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/streams.h"
#include "base/text.h"
#include "coll/catalogue.h"
#include "coll/library_methods.h"
#include "measure/allocation.h"
#include "measure/installed_library.h"
#include "measure/job.h"

namespace colltree::measure {

namespace {

class SimulatedDriver : public Driver {
 public:
  SimulatedDriver(const Platform& platform, const NoiseModel& noise, std::size_t jobs)
      : platform_(platform),
        noise_(noise),
        jobs_(jobs == 0 ? std::max(1U, std::thread::hardware_concurrency()) : jobs),
        program_(find_program("colltree-simulate")),
        library_(library_version(program_)) {}

  profile::SystemInfo system() const override {
    return {platform_.name, profile::kProvenanceSimulated, short_library_name(library_),
            platform_.hash, noise_.off() ? "" : format_noise(noise_)};
  }

  std::string platform_file() const override { return platform_.file.string(); }

  std::string options(const protocol::StopRule& stop) const override {
    Json json = {{"driver", "simulated"}, {"noise", format_noise(noise_)}};
    if (!noise_.off()) {
      json["min_samples"] = stop.min_samples;
      json["max_samples"] = stop.max_samples;
      json["max_half_width"] = stop.max_half_width;
      json["confidence"] = stop.confidence;
    }
    return json.dump();
  }

  std::vector<std::string> command(const protocol::Plan&,
                                   const std::string& plan_file) const override {
    return {program_.string(), platform_.file.string(), plan_file, std::to_string(jobs_)};
  }

  bool has(const protocol::PlanCell& cell) const override {
    return !shares_memory(cell.instance.collective, cell.method);
  }

  // All hosts, however many ranks.
  protocol::JobLayout layout(std::uint64_t) const override {
    const Allocation allocation = find_allocation(platform_);
    return {allocation.ranks / allocation.ranks_per_node, allocation.ranks_per_node};
  }

  // The most expensive first, so that all cores are busy to the end.
  void arrange(std::vector<protocol::PlanCell>& cells) const override {
    std::ranges::stable_sort(cells, std::greater<>(), [](const protocol::PlanCell& cell) {
      return std::make_tuple(cell.instance.communicator_size, cell.instance.message_size,
                             cell.instance.ranks_per_node);
    });
  }

  // The simulator repeats itself exactly: one repetition says all.
  protocol::StopRule job_stop_rule(const protocol::StopRule&) const override {
    return {1, 1, 0, 0.95, 0, 0};
  }

  // A process for each instance, and each message of each rank costs a simulated event.
  double cost_s(const protocol::PlanCell& cell, double, const protocol::StopRule&) const override {
    constexpr double kProcess_s = 2e-3;
    constexpr double kMessage_s = 2e-6;
    const auto segment = static_cast<double>(cell.method.segment_size.value_or(0));
    const auto bytes = static_cast<double>(cell.instance.message_size);
    const double segments = segment > 0 ? std::max(1.0, bytes / segment) : 1;
    const auto ranks = static_cast<double>(cell.instance.communicator_size);
    return kProcess_s + kMessage_s * ranks * std::log2(ranks + 1) * segments;
  }

  std::vector<double> samples(const protocol::PlanCell& cell, std::vector<double> reported_us,
                              const protocol::StopRule& stop) const override {
    // The simulator's precision is 1 ns; digits beyond 1 ps tell only what was simulated before.
    for (double& time_us : reported_us) time_us = std::round(time_us * 1e6) / 1e6;
    if (noise_.off()) return reported_us;
    const std::string key = cell_line(cell);
    std::vector<double> noisy;
    while (noisy.size() < stop.max_samples) {
      noisy.push_back(reported_us.front() * noise_factor(noise_, key, noisy.size()));
      if (noisy.size() >= stop.min_samples &&
          relative_half_width(noisy, stop.confidence) <= stop.max_half_width) {
        break;
      }
    }
    return noisy;
  }

  bool retries() const override { return false; }
  std::string default_name() const override {
    if (platform_.selector == "ompi") return "SMPI's port of Open MPI's selector";
    if (platform_.selector == "mpich") return "SMPI's port of MPICH's selector";
    return fmt::format("SMPI's selector {}", platform_.selector);
  }

 private:
  Platform platform_;
  NoiseModel noise_;
  std::size_t jobs_;
  std::filesystem::path program_;
  std::string library_;
};

}  // namespace

std::unique_ptr<Driver> make_simulated_driver(const Platform& platform, const NoiseModel& noise,
                                              std::size_t jobs) {
  return std::make_unique<SimulatedDriver>(platform, noise, jobs);
}

profile::SystemInfo launched_system(std::string_view host, std::string_view flavour,
                                    const std::string& mpi, std::optional<Library> library) {
  return {fmt::format("{}-{}{}", host.substr(0, host.find('.')), flavour, library ? "-own" : ""),
          profile::kProvenanceMeasured, mpi, "", ""};
}

std::string launched_options(std::string_view driver, const protocol::StopRule& stop,
                             const std::string& launcher, std::optional<Library> library) {
  Json options{{"driver", driver},
               {"min_samples", stop.min_samples},
               {"max_samples", stop.max_samples},
               {"max_half_width", stop.max_half_width},
               {"confidence", stop.confidence},
               {"cell_budget_s", stop.cell_budget_s},
               {"warm_up", stop.warm_up},
               {"launcher", launcher}};
  if (stop.max_foreign_load > 0) options["max_foreign_load"] = stop.max_foreign_load;
  if (library) options["source"] = name(*library);
  return options.dump();
}

namespace {

class LauncherDriver : public Driver {
 public:
  LauncherDriver(const std::string& launcher, const std::string& flavour,
                 std::optional<Library> library, std::span<const std::string> settings)
      : starter_(launcher, flavour),
        library_(library),
        settings_(find_settings(starter_, settings)) {
    if (!library_) return;
    starter_.require(*library_);
    survey_ = survey_library(starter_.program());
    if (survey_.empty() && *library_ != Library::kOpenmpi)
      throw Error(
          fmt::format("{} does not report the numbers of its algorithms; measure without --source",
                      starter_.mpi()));
    for (const std::string& line : table_differences(*library_, survey_))
      say(fmt::format("{}: {}\n", starter_.mpi(), line));
  }

  profile::SystemInfo system() const override {
    return launched_system(host_name(), starter_.flavour(), starter_.mpi(), library_);
  }

  std::string options(const protocol::StopRule& stop) const override {
    return launched_options("launcher", stop, join(starter_.launcher(), " "), library_);
  }

  std::vector<std::string> command(const protocol::Plan& plan,
                                   const std::string& plan_file) const override {
    const protocol::PlanCell& first = plan.cells.front();
    const auto settings =
        library_ && !first.portable ? start_settings(*library_, first) : std::vector<std::string>();
    return in_environment(starter_.command(plan, plan_file, settings),
                          variables_of(setting_of(first.method)));
  }

  std::span<const Setting> settings() const override { return settings_; }

  std::string start_setting(const protocol::PlanCell& cell) const override {
    std::string setting(setting_of(cell.method));
    if (!library_ || cell.portable) return setting;
    const std::string start =
        colltree::start_setting(*library_, cell.instance.collective, without_setting(cell.method));
    return setting.empty() ? start : concat(setting, " ", start);
  }

  bool has(const protocol::PlanCell& cell) const override {
    return !library_ || library_has(*library_, survey_, cell.instance.collective, cell.method);
  }

  std::vector<std::string> unknown(Collective collective) const override {
    return library_ ? unknown_algorithms(*library_, collective, survey_)
                    : std::vector<std::string>();
  }

  protocol::JobLayout layout(std::uint64_t ranks) const override {
    if (!layout_) layout_ = starter_.layout(ranks);
    return *layout_;
  }

  bool is_on_one_node(std::uint64_t ranks) const override {
    if (!one_node_) one_node_ = !may_be_several_nodes(ranks) && says_one_node(ranks);
    return *one_node_;
  }

  // Small communicators first: something useful is there soon. Each block of instances is measured
  // under all settings before the next, in an order that turns with every block: what drifts
  // meanwhile is the same for all.
  void arrange(std::vector<protocol::PlanCell>& cells) const override {
    if (!settings_.empty()) number_instances(cells);
    std::ranges::stable_sort(cells, {}, [this](const protocol::PlanCell& cell) {
      const std::size_t block = settings_.empty() ? 0 : block_.at(cell.instance);
      const auto turn = static_cast<std::ptrdiff_t>(setting_index(setting_of(cell.method)));
      return std::make_tuple(block, block % 2 == 0 ? turn : -turn, start_setting(cell),
                             cell.instance.communicator_size, cell.instance.ranks_per_node);
    });
  }

  protocol::StopRule job_stop_rule(const protocol::StopRule& stop) const override { return stop; }

  double cost_s(const protocol::PlanCell&, double time_us,
                const protocol::StopRule& stop) const override {
    constexpr double kCell_s = 2e-3;
    constexpr double kCommonStart_us = 50;
    const double repetition_s = (time_us + kCommonStart_us) / 1e6;
    const double repetitions_s = repetition_s * (stop.min_samples + stop.warm_up);
    return kCell_s + std::min(repetitions_s, stop.cell_budget_s + repetition_s);
  }

  std::vector<double> samples(const protocol::PlanCell&, std::vector<double> reported_us,
                              const protocol::StopRule&) const override {
    return reported_us;
  }

  bool retries() const override { return true; }
  std::string default_name() const override { return starter_.mpi() + "'s own choice"; }

 private:
  // The launcher's hosts or the batch system say it, or nothing does. Without an allocation srun
  // and the like find other nodes for each job.
  bool may_be_several_nodes(std::uint64_t ranks) const {
    try {
      const Allocation hosts = find_allocation(std::getenv, starter_.launcher());
      return hosts.ranks > hosts.ranks_per_node && ranks > hosts.ranks_per_node;
    } catch (const Error&) {
      return starts_elsewhere(starter_.launcher());
    }
  }
  // A job that does not start says why when it is to measure.
  bool says_one_node(std::uint64_t ranks) const {
    try {
      return layout(ranks).nodes == 1;
    } catch (const Error&) {
      return false;
    }
  }

  // 0: the plain job.
  std::size_t setting_index(std::string_view setting) const {
    if (setting.empty()) return 0;
    const auto found = std::ranges::find(settings_, setting, &Setting::name);
    return static_cast<std::size_t>(found - settings_.begin()) + 1;
  }

  std::vector<std::string> variables_of(std::string_view setting) const {
    const std::size_t index = setting_index(setting);
    return index == 0 ? std::vector<std::string>() : settings_.at(index - 1).variables;
  }

  // An instance keeps its block when some of its cells are measured.
  void number_instances(const std::vector<protocol::PlanCell>& cells) const {
    constexpr std::size_t kMostOfBlock = 24;
    constexpr std::size_t kFewestTurns = 4;
    std::vector<Instance> added;
    for (const protocol::PlanCell& cell : cells) {
      if (block_.try_emplace(cell.instance).second) added.push_back(cell.instance);
    }
    std::ranges::stable_sort(added, {}, [](const Instance& instance) {
      return std::make_tuple(instance.communicator_size, instance.ranks_per_node);
    });
    const std::size_t known = block_.size() - added.size();
    const std::size_t of_block =
        std::clamp<std::size_t>(added.size() / kFewestTurns, 1, kMostOfBlock);
    for (std::size_t i = 0; i < added.size(); ++i) block_[added[i]] = (known + i) / of_block;
  }

  JobStarter starter_;
  std::optional<Library> library_;
  std::vector<Setting> settings_;
  LibrarySurvey survey_;
  mutable std::optional<protocol::JobLayout> layout_;  // asked for once
  mutable std::optional<bool> one_node_;               // likewise
  mutable std::map<Instance, std::size_t> block_;      // in which an instance is measured
};

}  // namespace

std::unique_ptr<Driver> make_launcher_driver(const std::string& launcher,
                                             const std::string& flavour,
                                             std::optional<Library> library,
                                             std::span<const std::string> settings) {
  // Its own choice would no longer be the library's.
  for (const std::string& setting : rules_in_environment()) {
    const std::size_t equals = setting.find('=');
    throw Error(fmt::format(
        "{} is set: the library would follow the rules of {} while it is measured; unset it",
        setting.substr(0, equals), setting.substr(equals + 1)));
  }
  return std::make_unique<LauncherDriver>(launcher, flavour, library, settings);
}

}  // namespace colltree::measure
