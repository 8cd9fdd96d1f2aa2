// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "coll/catalogue.h"

namespace colltree {

namespace {

struct Options {
  std::string collectives = "bcast,reduce,alltoall";
  bool json = false;
};

void print_json(const Options& options) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Collective collective : parse_collectives(options.collectives)) {
    for (const Method& method : portable_methods(collective, paper_segment_sizes())) {
      const AlgorithmInfo& info = *find_portable_algorithm(collective, method.algorithm);
      rows.push_back({{"collective", name(collective)},
                      {"method", method.label()},
                      {"algorithm", method.algorithm},
                      {"segment_size", *method.segment_size},
                      {"min_communicator_size", info.min_communicator_size},
                      {"min_message_size", info.min_message_size},
                      {"fallback", info.fallback}});
    }
  }
  fmt::print("{}\n", rows.dump(2));
}

void print_text(const Options& options) {
  for (const Collective collective : parse_collectives(options.collectives)) {
    fmt::print("{}\n", name(collective));
    for (const AlgorithmInfo& info : portable_algorithms()) {
      if (info.collective != collective) continue;
      fmt::print("  {:<13} {}", info.algorithm,
                 info.segmented ? "segments none, 1K..128K" : "unsegmented");
      if (info.fallback != info.algorithm) {
        fmt::print("; runs as {} below {} ranks or {} bytes", info.fallback,
                   info.min_communicator_size, info.min_message_size);
      }
      fmt::print("\n");
    }
  }
}

}  // namespace

void declare_methods(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("--collective", options->collectives, "comma list of collectives")
      ->capture_default_str();
  app.add_flag("--json", options->json, "print JSON");
  app.callback([options] { options->json ? print_json(*options) : print_text(*options); });
}

}  // namespace colltree
