// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <memory>

#include "base/json.h"
#include "cli/command.h"
#include "cli/decision_file.h"

namespace colltree::cli {

namespace {

struct DecideOptions {
  std::string file;
  std::string collective;
  Instance instance;
  bool json = false;
};

void decide_and_print(DecideOptions& options) {
  options.instance.collective = parse_collective(options.collective);
  const Method method = load_decisions(options.file).decide(options.instance);
  if (!options.json) {
    fmt::print("{}\n", method.label());
    return;
  }
  Json answer = {{"method", method.label()}, {"algorithm", method.name()}};
  if (method.segment_size) answer["segment_size"] = *method.segment_size;
  fmt::print("{}\n", answer.dump());
}

}  // namespace

void declare_decide(CommandLine& line) {
  auto options = std::make_shared<DecideOptions>();
  line.add("file", options->file, "model (M.json) or compact decision file (F.cdt)").required();
  line.add("collective", options->collective, "collective").required();
  line.add_size("communicator_size", options->instance.communicator_size, limits::kAskedRanks,
                "ranks")
      .required();
  line.add_size("message_size", options->instance.message_size, limits::kAskedBytes,
                "bytes; suffixes K, M, G")
      .required();
  line.add("--nodes", options->instance.nodes, limits::kAskedRanks, "nodes, if known");
  line.add("--ranks-per-node", options->instance.ranks_per_node, limits::kAskedRanks,
           "ranks per node, if known");
  line.add_flag("--json", options->json, "print JSON");
  line.set_work([options] { decide_and_print(*options); });
}

}  // namespace colltree::cli
