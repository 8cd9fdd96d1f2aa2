// SPDX-License-Identifier: BSD-3-Clause
// `colltree study NAME`: the studies of the 2007 paper on any profile, as CSV or JSON.
#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
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
    {"depth", "penalty against the depth limit (tables 1 and 2)", report::depth_study},
    {"threshold", "penalty and depth against the accuracy threshold (figure 5)",
     report::threshold_study},
    {"limits", "depth limit against threshold at equal mean depth (figure 6)", report::limit_study},
    {"encodings", "nodes of the three reshapings at equal penalty",
     [](const report::StudyInput& input, model::Reshape) { return report::encoding_study(input); }},
};

struct StudyOptions {
  std::string study;
  FitInput input;
  std::string reshape = "end";
  std::string third = "collective";
};

const Study& find_study(const std::string& wanted) {
  std::vector<std::string> names;
  for (const Study& study : kStudies) {
    if (wanted == study.name) return study;
    names.emplace_back(study.name);
  }
  const std::string hint = did_you_mean(wanted, names);
  throw UsageError(
      fmt::format("unknown study '{}'{}", wanted,
                  hint.empty() ? fmt::format("; known are {}", join(names, ", ")) : hint));
}

void run_study(const StudyOptions& options) {
  const Study& study = find_study(options.study);
  const std::vector<Timings> timings = load_fit_timings(options.input);
  const model::LabelGrid grid = model::make_grid_of(timings, options.third);
  const std::vector<report::StudyRow> rows =
      study.rows({timings, grid}, model::parse_reshape(options.reshape));
  const std::string text = options.input.timings.json ? report::study_json(rows).dump(2) + "\n"
                                                      : report::study_csv(rows);
  if (options.input.output.empty()) {
    fmt::print("{}", text);
  } else {
    write_file(options.input.output, text);
  }
}

std::string studies() {
  std::string list;
  for (const Study& study : kStudies) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : "; ", study.name, study.summary);
  }
  return list;
}

}  // namespace

void declare_study(CommandLine& line) {
  auto options = std::make_shared<StudyOptions>();
  line.add("study", options->study, studies()).required();
  add_training_options(line, options->input.timings);
  line.add("--reshape", options->reshape, "end, even or none").show_default();
  line.add("--third", options->third,
           "third dimension: collective (when several are given) or ranks_per_node")
      .show_default();
  line.add_output("-o,--output", options->input.output, "file to write; stdout if absent");
  line.add_flag("--json", options->input.timings.json, "JSON instead of CSV");
  line.set_work([options] { run_study(*options); });
}

}  // namespace colltree::cli
