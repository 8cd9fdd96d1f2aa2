// SPDX-License-Identifier: BSD-3-Clause
// Models as commands take them: their files, with the small table of choosers that `evaluate` and
// `compare` set beside the default; the network model of a profile.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/profile_options.h"
#include "parametric/parameters.h"

namespace colltree::evaluate {
struct Comparison;
enum class Detail : std::uint8_t;
struct ContestOptions;
}  // namespace colltree::evaluate
namespace colltree::model {
struct Model;
}  // namespace colltree::model
namespace colltree::cli {

struct LoadedModel {
  std::string path;
  std::shared_ptr<const model::Model> function;

  bool decides(Collective collective) const;
};

std::vector<LoadedModel> load_models(const std::vector<std::string>& paths);

// For each collective of the timings: the default, the best fixed method, the models.
std::vector<evaluate::Comparison> compare_models(const SystemTimings& loaded,
                                                 const std::vector<LoadedModel>& models);

// Takes out what the model does not decide for. Throws Error when nothing is left.
void keep_what_the_model_knows(const LoadedModel& model, SystemTimings& loaded);

// "orfeo-epyc-core (imported, openmpi-4.1.5)"
std::string describe(const profile::SystemInfo& system);

// The meaning of the columns of comparison_text, for --help.
extern const char* const kComparisonHelp;

inline constexpr const char* kDetailsHelp = "print every row and column of the tables";
evaluate::Detail detail_of(bool details);

// --held-out and --folds, as `evaluate` and `compare` have them.
struct HeldOutOptions {
  std::string held_out;  // comma list; "" or "none": no points are held out
  std::size_t folds = 5;

  // Throws UsageError.
  evaluate::ContestOptions parsed() const;
};

// Returns --held-out.
CLI::Option* add_held_out_options(CLI::App& app, HeldOutOptions& options);

// The network model with the parameters that a profile holds: for `compare --fit loggp` and
// `show --parameters`.
inline constexpr const char* kNetworkModel = "loggp";  // in options and tables

class MeasuredNetwork {
 public:
  MeasuredNetwork(ProfileOptions options, profile::SystemInfo system);

  // Estimated, at the first call, from all that the system has, whichever collectives were asked
  // for. Throws Error with the command that measures what is missing.
  const parametric::NetworkParameters& parameters() const;

  // The network model of one collective. Throws Error as parameters(), also where gamma is missing.
  parametric::Network network_of(Collective collective) const;

 private:
  parametric::ParameterSource source() const;

  ProfileOptions options_;
  profile::SystemInfo system_;
  mutable std::mutex mutex_;  // compare fits on several cores
  mutable std::optional<parametric::NetworkParameters> parameters_;
};

// `show --parameters`: prints the network model of every system of the profile, or of one.
void show_network_parameters(const ProfileOptions& options);

}  // namespace colltree::cli
