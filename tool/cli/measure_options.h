// SPDX-License-Identifier: BSD-3-Clause
// The options of `measure` and `tune`: where to measure, what, and how often.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "measure/campaign_run.h"

namespace colltree::cli {

// Declares --launcher, which is returned, and --mpi.
CLI::Option* add_launcher_options(CLI::App& app, std::string& launcher, std::string& mpi);

// Declares --setting, as measure::find_settings reads it.
void add_setting_option(CLI::App& app, std::vector<std::string>& settings, const std::string& what);

// --mpi, or `library`, which another option names, if neither --mpi nor the launcher tells.
std::string flavour_for(const std::string& launcher, const std::string& mpi,
                        std::string_view library);

struct MeasureOptions {
  std::string platform;
  std::string launcher;
  std::string mpi;
  std::string source = "portable";
  std::string parameters;
  std::string collectives;  // "": the usual ones
  std::string grid;
  SizeList communicator_sizes;  // empty: those of the grid
  SizeList message_sizes;
  std::string ranks_per_node;
  std::string mix;
  std::string methods;
  SizeList segment_sizes{"0,1K,8K,16K,32K,64K,128K"};
  std::string noise = "off";
  std::string system;
  std::size_t jobs = 0;
  protocol::StopRule stop{10, 200, 0.05, 0.95, 1.0, 3, 0.1};
  double at_once = 0;
  double silence_limit_s = 120;
  std::string budget;
  std::string until;
  std::vector<std::string> retry;     // "failed", "disturbed"
  std::vector<std::string> settings;  // measure/settings.h: read_settings

  void declare(CLI::App& app, const std::string& jobs_help =
                                  "number of simulations at once (default: one for each core)");
  // Declares only what is measured and how often: the machine that measures is not known yet.
  void declare_for_kit(CLI::App& app);
  // These two are for one source.
  std::unique_ptr<measure::Driver> make_driver()
      const;  // throws UsageError without --platform or --launcher
  measure::CampaignRequest make_request() const;

  // "portable,openmpi": both in one job. Throws UsageError where another option allows one only.
  bool has_both_sources() const;
  // The result of flavour_for with the library whose algorithms are measured.
  std::string flavour() const;
  // The options of one of both: the library's own algorithms, or ours.
  MeasureOptions of_library() const;
  MeasureOptions of_portable() const;
  // One set of options for each source, in the order of measuring.
  std::vector<MeasureOptions> sources() const;

 private:
  void declare_sizes(CLI::App& app);
  void declare_what(CLI::App& app);
  void declare_placements(CLI::App& app);
  void declare_how_often(CLI::App& app);
  // The collectives that the source has an algorithm for.
  std::vector<Collective> collectives_of_source() const;
  std::vector<Collective> wanted_collectives() const;
  std::vector<std::uint64_t> asked_ranks_per_node() const;
  measure::Grid make_grid(const std::vector<Collective>& measured) const;
};

// `--source portable,openmpi`: our algorithms and the library's own in one job (campaign_run.h).
struct BothSources {
  // Throws UsageError, and Error for what cannot be measured, before there is a profile.
  explicit BothSources(const MeasureOptions& options);

  measure::BothOutcomes measure(profile::Profile& profile) const;

  measure::CampaignRequest library;
  measure::CampaignRequest portable;
  std::unique_ptr<measure::Driver> library_driver;
  std::unique_ptr<measure::Driver> portable_driver;
};

}  // namespace colltree::cli
