// SPDX-License-Identifier: BSD-3-Clause
// The options and the report that every `colltree fit KIND` has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/profile_options.h"
#include "model/parameters.h"

namespace colltree::model {
struct Kind;
struct Model;
}  // namespace colltree::model
namespace colltree::cli {

struct FitInput {
  ProfileOptions timings;
  std::string mix;  // CSV path; empty: every grid point counts the same
  std::string output;
};

// Declares PROFILE, --collective, --system and what samples count.
void add_training_options(CLI::App& app, ProfileOptions& timings);
// Declares these, -o and --json.
void add_fit_options(CLI::App& app, FitInput& input);

// One table for each collective asked for. Throws Error.
std::vector<Timings> load_fit_timings(const FitInput& input);

// Prints the penalty of the methods that add up in one order.
void print_order(const OneOrder& cost);
// Saves the model and prints what it is and what it costs: a short summary or JSON.
void save_and_report(const model::Model& model, const FitInput& input);

// The parameters of a kind of model as options of `colltree fit KIND`.
class ParameterOptions {
 public:
  // Declares --name for each. Lives as long as the command line, at one place.
  void declare(CLI::App& app, const model::Kind& kind);
  // The values, once the command line has been read. Throws UsageError.
  model::Parameters values() const;

 private:
  std::optional<model::Parameters> parameters_;
};

}  // namespace colltree::cli
