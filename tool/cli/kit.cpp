// SPDX-License-Identifier: BSD-3-Clause
// `colltree measure kit`: the measuring program as sources, with a plan, for a cluster where
// nothing can be installed.
#include <fmt/core.h>

#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/measure_options.h"
#include "kit/kit_files.h"

namespace colltree::cli {

namespace {

struct KitOptions : MeasureOptions {
  std::string output;
  bool json = false;
};

kit::KitPlan plan_of(const KitOptions& options) {
  if (options.communicator_sizes.is_auto())
    throw UsageError(
        "--communicator-sizes: auto needs the machine that measures; write the sizes, 2..64");
  if (options.has_both_sources()) throw UsageError("--source: a kit takes one source");
  const measure::CampaignRequest request = options.make_request();
  kit::KitPlan kit;
  kit.made_by = COLLTREE_VERSION;
  kit.silence_limit_s = request.silence_limit_s;
  kit.unknown = request.methods.empty();
  kit.plan.source = options.source;
  kit.plan.stop = request.stop;
  kit.plan.cells = measure::plan_cells(request);
  measure::erase_of_one_node(kit.plan.cells);  // where its ranks will lie is not known here
  return kit;
}

void make_kit(const KitOptions& options) {
  check_writable(options.output);
  const kit::KitPlan kit = plan_of(options);
  const std::vector<kit::ArchiveFile> files = kit::kit_files(kit::kit_root(), kit);
  write_file(options.output, kit::tar_gz(files));
  const std::uint64_t ranks = kit.plan.ranks();
  if (options.json)
    return print_results("colltree/kit/1", {{"kit", options.output},
                                            {"cells", kit.plan.cells.size()},
                                            {"ranks", ranks},
                                            {"files", files.size()}});
  fmt::print(
      "{}: {} cells on up to {} ranks; there: tar xzf it, cd colltree-kit, make, "
      "./colltree-kit --launcher 'mpirun -np {{ranks}}'\n",
      options.output, kit.plan.cells.size(), ranks);
}

}  // namespace

void declare_kit(CLI::App& app) {
  auto options = std::make_shared<KitOptions>();
  app.add_option("-o,--output", options->output, "the kit, a .tar.gz")
      ->check(output_file())
      ->required();
  app.add_flag("--json", options->json, "print the results as JSON");
  options->declare_for_kit(app);
  app.callback([options] { make_kit(*options); });
}

}  // namespace colltree::cli
