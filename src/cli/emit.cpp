// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <memory>

#include "base/file.h"
#include "cli/command.h"
#include "emit/emitter.h"

namespace colltree {

namespace {

struct Options {
  std::string target;
  std::string model;
  std::string output;
  std::string mix;
  bool plain = false;
  EmitOptions emit;
};

void emit(Options& options) {
  const Emitter& emitter = find_emitter(options.target);
  const std::unique_ptr<DecisionFunction> model = load_model(options.model);
  options.emit.merge = !options.plain;
  if (!options.mix.empty()) options.emit.mix = load_call_mix(options.mix);
  const std::string content = emitter.emit(*model, options.emit);
  write_file(options.output, content);
  fmt::print("{}: {} bytes, {}\n", options.output, content.size(), emitter.summary);
}

std::string targets() {
  std::string list;
  for (const Emitter& emitter : emitters()) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : "; ", emitter.target, emitter.summary);
  }
  return list;
}

}  // namespace

void declare_emit(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("target", options->target, "what to write: " + targets())->required();
  app.add_option("model", options->model, "model (M.json)")->required();
  app.add_option("-o,--output", options->output, "the file to write")->required();
  app.add_option("--prefix", options->emit.prefix, "of the names in generated source")
      ->capture_default_str();
  app.add_option(
      "--mix", options->mix,
      "CSV of an application's calls: its sizes are decided with the fewest tests (nested "
      "ifs, trees)");
  app.add_flag("--plain", options->plain,
               "the model's own tests; regions of one method not merged");
  app.callback([options] { emit(*options); });
}

}  // namespace colltree
