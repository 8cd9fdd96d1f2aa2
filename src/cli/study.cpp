// SPDX-License-Identifier: BSD-3-Clause
// `colltree study depth|threshold|limits|encodings`: the studies of the 2007 paper on any profile,
// as CSV or JSON; the other studies are files of their own.
#include <fmt/core.h>

#include <memory>

#include "base/file.h"
#include "cli/command.h"
#include "cli/fit_input.h"
#include "model/kinds/quadtree.h"
#include "model/quadtree/label_grid.h"
#include "report/tree_study.h"

namespace colltree::cli {

namespace {

struct Study {
  const char* name;
  const char* summary;
  std::vector<report::StudyRow> (*rows)(const report::StudyInput& input, model::Reshape reshape);
};

constexpr Study kStudies[] = {
    {"depth", "compute the penalty of quadtrees for each depth limit (tables 1 and 2 of 2007)",
     report::depth_study},
    {"threshold", "compute penalty and depth for each accuracy threshold (figure 5 of 2007)",
     report::threshold_study},
    {"limits", "compare depth limit and threshold at equal mean depth (figure 6 of 2007)",
     report::limit_study},
    {"encodings", "compare the nodes of the three reshapings at equal penalty",
     [](const report::StudyInput& input, model::Reshape) { return report::encoding_study(input); }},
};

struct StudyOptions {
  FitInput input;
  std::string reshape = "end";
  std::string third = "collective";
};

void run_study(const Study& study, const StudyOptions& options) {
  const std::vector<Timings> timings = load_fit_timings(options.input);
  const model::LabelGrid grid = model::make_grid_of(timings, options.third);
  const std::vector<report::StudyRow> rows =
      study.rows({timings, grid}, model::parse_reshape(options.reshape));
  const std::string text = options.input.timings.json
                               ? results_text("colltree/study/1", report::study_json(rows))
                               : report::study_csv(rows);
  if (options.input.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(options.input.output, text);
  }
}

void declare_quadtree_study(CommandLine& line, const Study& study) {
  auto options = std::make_shared<StudyOptions>();
  add_training_options(line, options->input.timings);
  line.add("--reshape", options->reshape,
           "how the grid becomes a square: by copies of its end, evenly or not at all")
      .one_of({"end", "even", "none"})
      .show_default();
  line.add("--third", options->third, "the third dimension of the tree")
      .one_of({"collective", "ranks_per_node"})
      .show_default();
  line.add_output("-o,--output", options->input.output,
                  "the file to write (default: standard output)");
  line.add_flag("--json", options->input.timings.json, "print JSON instead of CSV");
  line.set_footer(fmt::format("Example:\n  colltree study {} grig.db --collective bcast -o {}.csv",
                              study.name, study.name));
  line.set_work([options, &study] { run_study(study, *options); });
}

}  // namespace

void declare_study(CommandLine& line) {
  for (const Study& study : kStudies)
    declare_quadtree_study(line.add_subcommand(study.name, study.summary), study);
}

}  // namespace colltree::cli
