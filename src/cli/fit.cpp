// SPDX-License-Identifier: BSD-3-Clause
// `colltree fit KIND`: every kind of model that can be fitted, its parameters as options; a file
// and a row for those that can do more.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/fit_input.h"

namespace colltree {

void declare_fit_quadtree(CommandLine& line);
void declare_fit_c45(CommandLine& line);
void declare_fit_optimal(CommandLine& line);

namespace {

// Of the kinds whose command can do more than fit with these parameters.
constexpr Command kFitCommands[] = {
    {"quadtree", "quadtree of the 2007 paper; octree over several collectives; kdtree",
     "colltree fit quadtree grig.db --collective bcast --max-depth 3 -o bcast.json",
     declare_fit_quadtree},
    {"c45", "C4.5 tree of the 2006 paper, over one or several collectives",
     "colltree fit c45 grig.db --collective bcast,reduce --weight 40 --confidence 5 -o tree.json",
     declare_fit_c45},
    {"optimal", "the tree of a number of leaves that loses least, with a proof",
     "colltree fit optimal grig.db --collective bcast --leaves 10 -o bcast.json",
     declare_fit_optimal},
};

struct PlainOptions {
  FitInput input;
  ParameterOptions parameters;
};

void declare_plain(CommandLine& line, const Kind& kind) {
  auto options = std::make_shared<PlainOptions>();
  add_fit_options(line, options->input);
  options->parameters.declare(line, kind);
  line.set_work([options, &kind] {
    const Fitter fitter(kind, options->parameters.values());
    save_and_report(fit_and_judge(fitter, load_fit_timings(options->input)), options->input);
  });
}

void declare_kind(CommandLine& line, const Kind& kind) {
  const auto* special =
      std::ranges::find(kFitCommands, std::string_view(kind.name), &Command::name);
  const bool plain = special == std::end(kFitCommands);
  CommandLine& sub = line.add_subcommand(kind.name, plain ? kind.summary : special->summary);
  sub.set_footer(plain ? fmt::format("Example:\n  colltree fit {} grig.db --collective bcast -o "
                                     "bcast.json",
                                     kind.name)
                       : fmt::format("Example:\n  {}", special->example));
  plain ? declare_plain(sub, kind) : special->declare(sub);
}

}  // namespace

void declare_fit(CommandLine& line) {
  // In the words of --fit: an octree is explained.
  line.set_on_unknown_subcommand([](const std::string& word) { fitted_kind(word); });
  for (const Kind* kind : kinds()) {
    if (kind->fit != nullptr) declare_kind(line, *kind);
  }
}

}  // namespace colltree
