// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/json.h"
#include "base/streams.h"
#include "coll/library_methods.h"
#include "coll/mpich_nonblocking.h"
#include "measure/driver.h"
#include "measure/job_starter.h"
#include "measure/library_survey.h"

namespace colltree {

namespace {

std::string host_name() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return std::string(std::string_view(name).substr(0, std::string_view(name).find('.')));
}

class LauncherDriver : public Driver {
 public:
  LauncherDriver(const std::string& launcher, const std::string& flavour,
                 std::optional<Library> library)
      : starter_(launcher, flavour), library_(library) {
    if (!library_) return;
    starter_.require(*library_);
    survey_ = survey_library(starter_.program());
    if (survey_.empty() && library_ == Library::kMpich)
      throw Error(
          fmt::format("{} does not tell the numbers of its algorithms; measure without --source",
                      starter_.mpi()));
    for (const std::string& line : table_differences(*library_, survey_))
      say("{}: {}\n", starter_.mpi(), line);
  }

  SystemInfo system() const override {
    return {fmt::format("{}-{}{}", host_name(), starter_.flavour(), library_ ? "-own" : ""),
            kProvenanceMeasured, starter_.mpi(), "", ""};
  }

  std::string options(const StopRule& stop) const override {
    Json options{{"driver", "launcher"},
                 {"min_samples", stop.min_samples},
                 {"max_samples", stop.max_samples},
                 {"max_half_width", stop.max_half_width},
                 {"confidence", stop.confidence},
                 {"cell_budget_s", stop.cell_budget_s},
                 {"warm_up", stop.warm_up},
                 {"launcher", fmt::format("{}", fmt::join(starter_.launcher(), " "))}};
    if (stop.max_foreign_load > 0) options["max_foreign_load"] = stop.max_foreign_load;
    if (library_) options["source"] = name(*library_);
    return options.dump();
  }

  std::vector<std::string> command(const Plan& plan, const std::string& plan_file) const override {
    // Open MPI lets algorithms be chosen only when it is started so.
    std::vector<std::string> settings;
    if (library_ == Library::kOpenmpi)
      settings.emplace_back("OMPI_MCA_coll_tuned_use_dynamic_rules=1");
    if (const std::string start = start_setting(plan.cells.front()); !start.empty())
      settings.push_back(start);
    return starter_.command(plan, plan_file, settings);
  }

  std::string start_setting(const PlanCell& cell) const override {
    return library_ ? colltree::start_setting(*library_, cell.collective, cell.method) : "";
  }

  bool has(const PlanCell& cell) const override {
    if (!library_ || !survey_.contains(cell.collective)) return true;
    const std::string name = told_name(*library_, cell.collective, cell.method.algorithm);
    return name.empty() || survey_.at(cell.collective).contains(name);
  }

  // Small communicators first: something useful is there soon.
  void arrange(std::vector<PlanCell>& cells) const override {
    std::ranges::stable_sort(cells, {}, [this](const PlanCell& cell) {
      return std::make_pair(start_setting(cell), cell.communicator_size);
    });
  }

  StopRule job_stop_rule(const StopRule& stop) const override { return stop; }

  std::vector<double> samples(const PlanCell&, std::vector<double> reported_us,
                              const StopRule&) const override {
    return reported_us;
  }

  bool retries() const override { return true; }
  std::string default_name() const override { return starter_.mpi() + "'s own choice"; }

 private:
  JobStarter starter_;
  std::optional<Library> library_;
  LibrarySurvey survey_;
};

}  // namespace

std::unique_ptr<Driver> make_launcher_driver(const std::string& launcher,
                                             const std::string& flavour,
                                             std::optional<Library> library) {
  return std::make_unique<LauncherDriver>(launcher, flavour, library);
}

}  // namespace colltree
