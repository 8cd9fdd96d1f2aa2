// SPDX-License-Identifier: BSD-3-Clause
// The options and the report that every `colltree fit KIND` has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/profile_options.h"

namespace colltree::model {
struct Kind;
struct Model;
}  // namespace colltree::model
namespace colltree::cli {

struct FitInput {
  ProfileOptions timings;
  std::string mix;                        // CSV path; empty: every grid point counts the same
  std::optional<std::string> parameters;  // "weight=40,confidence=5"
  std::string output;
};

// Declares PROFILE, --collective, --system, what samples count, --parameters, -o and --json.
void add_fit_options(CLI::App& app, FitInput& input, const model::Kind& kind);

// One table for each collective asked for. Throws Error.
std::vector<Timings> load_fit_timings(const FitInput& input);

// Prints the penalty of the methods that add up in one order.
void print_order(const OneOrder& cost);
// Saves the model and prints what it is and what it costs: a short summary or JSON.
void save_and_report(const model::Model& model, const FitInput& input);

}  // namespace colltree::cli
