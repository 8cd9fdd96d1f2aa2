// SPDX-License-Identifier: BSD-3-Clause
// `colltree study reproduce 2006|2007`: the papers' own studies on the simulated clusters, theirs
// and ours side by side. The clusters differ, so the figures do: what compares is their shape.
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "cli/command.h"
#include "study/paper_study.h"

namespace colltree::cli {

namespace {

struct ReproduceOptions {
  std::string paper;
  std::string output;
  std::size_t jobs = 0;
  bool json = false;
};

constexpr const char* kCaveat =
    "Each column: the paper's figure / ours. Theirs were measured on clusters that are gone, ours "
    "are simulated\n"
    "(SimGrid SMPI, platforms/*.xml, not calibrated): equal figures are not to be expected, the "
    "same shape is.\n";

void reproduce(const ReproduceOptions& options) {
  const study::PaperStudy study(options.output, options.jobs);
  const Json result =
      options.paper == "2006" ? study::reproduce_2006(study) : study::reproduce_2007(study);
  if (options.json) {
    fmt::print("{}", results_text("colltree/reproduce/1", result));
    return;
  }
  fmt::print("{}", kCaveat);
  options.paper == "2006" ? study::print_2006(result) : study::print_2007(result);
  fmt::print("\nFigures:\n");
  for (const Json& path : result["figures"]) fmt::print("  {}\n", path.get<std::string>());
}

}  // namespace

void declare_reproduce(CommandLine& line) {
  auto options = std::make_shared<ReproduceOptions>();
  line.add("paper", options->paper, "the paper: 2006 (C4.5) or 2007 (quadtrees)")
      .required()
      .one_of({"2006", "2007"});
  line.add("-o,--output", options->output,
           "folder for the profile and the figures; an existing one is continued")
      .required();
  line.add("--jobs", options->jobs, limits::kJobs,
           "number of simulations at once (default: one for each core)");
  line.add_flag("--json", options->json, "print the results as JSON");
  line.set_work([options] { reproduce(*options); });
}

}  // namespace colltree::cli
