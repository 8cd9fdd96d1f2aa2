// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "cli/command.h"
#include "colltree/decision.h"
#include "model/decision_function.h"

namespace colltree {

namespace {

struct Options {
  std::string file;
  std::string collective;
  std::string communicator_size;
  std::string message_size;
  Instance instance;
  bool json = false;
};

std::uint64_t size_of(const std::string& text, const char* what) {
  if (const auto value = parse_bytes(text)) return *value;
  throw UsageError(fmt::format("{}: '{}' is not a size; write 8, 64K or 2M", what, text));
}

// A .cdt through the same C functions that programs use.
Method decide_compact(const std::string& path, const Instance& at) {
  char error[512];
  const std::unique_ptr<colltree_decision, void (*)(colltree_decision*)> decision(
      colltree_decision_load(path.c_str(), error, sizeof error), colltree_decision_free);
  if (!decision) throw Error(error);
  const colltree_instance instance = {at.communicator_size, at.message_size, at.nodes,
                                      at.ranks_per_node};
  const int collective = colltree_decision_collective(std::string(name(at.collective)).c_str());
  const int index = colltree_decide(decision.get(), collective, &instance);
  if (index < 0) throw Error(fmt::format("{}: does not decide for {}", path, name(at.collective)));
  const colltree_chosen_method method = colltree_decision_method(decision.get(), index);
  if (method.segment_size == COLLTREE_SEGMENT_BY_LIBRARY) return {method.algorithm, std::nullopt};
  return {method.algorithm, method.segment_size};
}

Method decide_by_file(const std::string& path, const Instance& at) {
  if (!path.ends_with(".cdt")) return load_model(path)->decide(at);
  return decide_compact(path, at);
}

void decide_and_print(Options& options) {
  options.instance.collective = parse_collective(options.collective);
  options.instance.communicator_size = size_of(options.communicator_size, "communicator size");
  options.instance.message_size = size_of(options.message_size, "message size");
  const Method method = decide_by_file(options.file, options.instance);
  if (!options.json) {
    fmt::print("{}\n", method.label());
    return;
  }
  nlohmann::json answer = {{"method", method.label()}, {"algorithm", method.algorithm}};
  if (method.segment_size) answer["segment_size"] = *method.segment_size;
  fmt::print("{}\n", answer.dump());
}

}  // namespace

void declare_decide(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("file", options->file, "model (M.json) or compact decision file (F.cdt)")
      ->required();
  app.add_option("collective", options->collective, "collective")->required();
  app.add_option("communicator_size", options->communicator_size, "ranks")->required();
  app.add_option("message_size", options->message_size, "bytes; suffixes K, M, G")->required();
  app.add_option("--nodes", options->instance.nodes, "nodes, if known");
  app.add_option("--ranks-per-node", options->instance.ranks_per_node, "ranks per node, if known");
  app.add_flag("--json", options->json, "print JSON");
  app.callback([options] { decide_and_print(*options); });
}

}  // namespace colltree
