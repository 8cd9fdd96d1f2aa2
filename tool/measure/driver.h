// SPDX-License-Identifier: BSD-3-Clause
// How a plan becomes a running job: in the simulator, or through the cluster's own launcher.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coll/library_algorithms.h"
#include "measure/platform.h"
#include "measure/settings.h"
#include "profile/profile.h"
#include "protocol/plan.h"

namespace colltree::measure {

class Driver {
 public:
  virtual ~Driver() = default;

  // Who is measured; the name is the default that --system overrides.
  virtual profile::SystemInfo system() const = 0;
  virtual std::string platform_file() const { return ""; }
  // All that changes a time, as JSON: part of the campaign's identity.
  virtual std::string options(const protocol::StopRule& stop) const = 0;
  virtual std::vector<std::string> command(const protocol::Plan& plan,
                                           const std::string& plan_file) const = 0;
  // The nodes of the ranks of a job of `ranks` ranks; may start one such job, once.
  virtual protocol::JobLayout layout(std::uint64_t ranks) const = 0;
  // True if all ranks of such a job, and so those of every smaller job, are known to be on one
  // node; may start it, once.
  virtual bool is_on_one_node(std::uint64_t /*ranks*/) const { return false; }
  // False if the installed library lacks the cell's method.
  virtual bool has(const protocol::PlanCell& /*cell*/) const { return true; }
  // The library's algorithms that our table lacks, under marked names.
  virtual std::vector<std::string> unknown(Collective /*collective*/) const { return {}; }
  // The settings under which every method is measured once more, beside the plain job.
  virtual std::span<const Setting> settings() const { return {}; }
  // What must be in the environment when a job that measures the cell starts: the name of a setting
  // and "NAME=VALUE" of a method; a job's cells agree. "" = nothing.
  virtual std::string start_setting(const protocol::PlanCell& /*cell*/) const { return ""; }
  // The plan's cells in the order that suits this driver; those of one start setting together, and
  // settings in turns.
  virtual void arrange(std::vector<protocol::PlanCell>& cells) const = 0;
  // The stop rule that the job itself applies to repetitions.
  virtual protocol::StopRule job_stop_rule(const protocol::StopRule& stop) const = 0;
  // Roughly, of measuring a cell whose time is about `time_us`: what an adaptive campaign weighs.
  virtual double cost_s(const protocol::PlanCell& cell, double time_us,
                        const protocol::StopRule& stop) const = 0;
  // The samples to store for a cell, given what the job reported.
  virtual std::vector<double> samples(const protocol::PlanCell& cell,
                                      std::vector<double> reported_us,
                                      const protocol::StopRule& stop) const = 0;
  // True if a cell whose job died is tried once more: the cause may have been the machine.
  virtual bool retries() const = 0;
  // The name of the default method's library, for people.
  virtual std::string default_name() const = 0;
};

// `jobs` simulations at once; 0 = one for each core.
std::unique_ptr<Driver> make_simulated_driver(const Platform& platform, const NoiseModel& noise,
                                              std::size_t jobs);

// `launcher`, `flavour`: as JobStarter has them. `library`: whose own algorithms will be measured;
// the job is started so that they can be switched. `settings`: as read_settings reads them, or
// kInstalledSettings. Throws Error.
std::unique_ptr<Driver> make_launcher_driver(const std::string& launcher,
                                             const std::string& flavour,
                                             std::optional<Library> library = std::nullopt,
                                             std::span<const std::string> settings = {});

// Who is measured through a launcher on `host`, and all that changes a time there; also by a kit
// (tool/kit), which says so as `driver`.
profile::SystemInfo launched_system(std::string_view host, std::string_view flavour,
                                    const std::string& mpi, std::optional<Library> library);
std::string launched_options(std::string_view driver, const protocol::StopRule& stop,
                             const std::string& launcher, std::optional<Library> library);

}  // namespace colltree::measure
