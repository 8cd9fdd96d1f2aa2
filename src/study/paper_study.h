// SPDX-License-Identifier: BSD-3-Clause
// The two studies of `colltree study reproduce`: each measures the paper's grids on the simulated
// clusters and gives its tables as JSON, whose rows hold the paper's figures beside ours.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/model.h"
#include "timings/penalty.h"
#include "timings/timings.h"

namespace colltree::study {

struct PaperFigure {
  std::string name;  // "2006-figure-2"
  std::string svg;
};

// A folder with one profile, which grows with every collective that is asked for, and pictures.
class PaperStudy {
 public:
  // Makes the folder. `jobs`: simulations at once, 0 = one for each core. Throws Error.
  PaperStudy(const std::string& folder, std::size_t jobs);

  // Times of one collective on a simulated cluster at exactly this grid and these segment sizes;
  // simulates what the profile does not hold.
  Timings timings(const char* platform, const char* grid, Collective collective,
                  std::span<const std::uint64_t> segment_sizes) const;

  // The paths of the pictures, written beside the profile.
  Json write(const std::vector<PaperFigure>& figures) const;

 private:
  std::filesystem::path path_;
  std::size_t jobs_;
};

PenaltySummary penalty_of(const model::Model& model, const Timings& timings);

// One table: `label` names a row's own field, `fields` the columns, each as theirs/ours.
void print_table(const std::string& title, const Json& rows, const char* label,
                 const std::vector<const char*>& fields);

Json reproduce_2006(const PaperStudy& study);
void print_2006(const Json& result);
Json reproduce_2007(const PaperStudy& study);
void print_2007(const Json& result);

// The figures of the two papers, drawn from timings of the clusters that stand for theirs.
//   2006  figures 2 to 4; figure 1 is a text box
//   2007  figures 1 to 6
// Which limits the papers' maps have is known for 2006 (in the captions); of 2007 the tables list
// depths 1 to 6 and the text says three maps: 4, 3 and 2 here, and thresholds of 80, 60 and 40 %.
std::vector<PaperFigure> figures_2006(const Timings& grig_bcast, const Timings& grig_reduce);

struct Timings2007 {
  Timings frodo_bcast;
  Timings frodo_reduce;
  Timings grig_bcast;
  Timings grig_reduce;
};
std::vector<PaperFigure> figures_2007(const Timings2007& timings);

}  // namespace colltree::study
