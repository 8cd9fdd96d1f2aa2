// SPDX-License-Identifier: BSD-3-Clause
// What every `colltree plot WHAT` has in common: the profile or model it draws, how and where to.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/options.h"
#include "cli/profile_options.h"
#include "report/palette.h"

namespace colltree::model {
struct Model;
}  // namespace colltree::model
namespace colltree::cli {

struct PlotInput {
  ProfileOptions timings;
  std::vector<std::string> models;
  std::string fitters;
  std::string output;
  std::string title;  // "" = what it shows
  std::string background = "light";
  double scale = 2;
};

// Declares -o, --title, --background and --scale.
void add_picture_options(CommandLine& line, PlotInput& input);
// Declares further models, --fit and the options that select a part of the profile.
void add_plot_choosers(CommandLine& line, PlotInput& input);
// All of these behind the profile or model; without `models` of a profile only.
void add_plot_options(CommandLine& line, PlotInput& input, bool models);

report::Background background_of(const PlotInput& input);

// Whether the file is a model rather than a profile: JSON.
bool is_model(const std::string& path);

// Something that decides, with its name in pictures.
struct PlotChooser {
  std::string name;
  std::shared_ptr<const model::Model> function;
  std::string leaves() const;  // "21 leaves"; "" when it does not say
};
// The models of the command line that decide for the collective, then what --fit asks for, fitted
// to the timings.
std::vector<PlotChooser> choosers_for(const PlotInput& input, const Timings& timings);
// The models alone. Throws Error when one cannot be read.
std::vector<PlotChooser> load_choosers(const std::vector<std::string>& paths);

// --title, or this one.
std::string title_of(const PlotInput& input, const std::string& title);
// "bcast on grig (simulated)"
std::string what_of(const Timings& timings);

// Writes the file and says so.
void write_plot(const PlotInput& input, const std::string& svg);

}  // namespace colltree::cli
