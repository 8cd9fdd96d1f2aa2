// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/streams.h"
#include "cli/command.h"
#include "cli/profile_options.h"
#include "emit/emitter.h"
#include "model/model.h"
#include "rules/rule_target.h"

namespace colltree::cli {

namespace {

struct EmitCommandOptions {
  std::string target;
  std::string model;
  std::string output;
  std::string profile;
  std::optional<std::string> system;
  emit::EmitOptions emit;
};

// The timings of what the model decides for; none without a profile.
std::vector<Timings> timings_for(const EmitCommandOptions& options, const model::Model& model) {
  if (options.profile.empty()) return {};
  ProfileOptions input{.profile = options.profile, .system = options.system};
  std::vector<Timings> timings = load_system_timings(input).timings;
  const std::vector<Collective>& known = model.origin.collectives;
  std::erase_if(timings, [&](const Timings& measured) {
    return std::ranges::count(known, measured.collective) == 0;
  });
  return timings;
}

// The library whose rules are written; nullptr: none are.
const rules::RuleTarget* rules_target(const std::string& name) {
  for (const rules::RuleTarget& target : rules::rule_targets()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

// Options that have no effect on what this target writes.
void refuse_options_of_others(const EmitCommandOptions& options, const rules::RuleTarget* target,
                              bool with_prefix) {
  const emit::EmitOptions& emit = options.emit;
  if (!emit.into.empty() && (target == nullptr || !target->merges))
    throw UsageError(fmt::format(
        "--into: only selection files of MPICH hold the rules of others beside ours, not "
        "{}",
        options.target));
  if (options.system && options.profile.empty()) throw UsageError("--system: needs --on P.db");
  if (with_prefix && options.target != "c" && !options.target.starts_with("c-"))
    throw UsageError(
        fmt::format("--prefix: names functions of C source, not of {}", options.target));
  if (target != nullptr && emit.plain)
    throw UsageError(
        fmt::format("--plain: for C source and compact files, not for {}", options.target));
  if (target == nullptr && (emit.ranks_per_node != 0 || emit.allow_unsafe || emit.replace_default))
    throw UsageError(
        fmt::format("--ranks-per-node, --allow-unsafe, --replace-default: for rules of a library, "
                    "not for {}",
                    options.target));
}

// The library's environment variables, where it is known how it takes a file, and a second file
// where the rules need one.
void say_how_to_load(const rules::RuleTarget& target, const std::string& output,
                     const std::string& companion) {
  if (!target.is_started || !std::filesystem::is_regular_file(output)) return;
  if (target.has_companion) rules::keep_companion(output, companion);
  if (!companion.empty())
    fmt::print("{}: lies beside it, for the device above\n", rules::companion_of(output));
  const rules::RulesFile file{&target, output};
  fmt::print("to load it: {}\n", fmt::join(target.is_script ? rules::shell_lines({file})
                                                            : rules::settings_to_load({file}),
                                           " "));
}

void emit(EmitCommandOptions& options, bool with_prefix) {
  const emit::Emitter& emitter = emit::find_emitter(options.target);
  const rules::RuleTarget* target = rules_target(options.target);
  refuse_options_of_others(options, target, with_prefix);
  const model::Model model = model::load_model(options.model);
  const std::vector<Timings> timings = timings_for(options, model);
  if (!timings.empty()) options.emit.timings = &timings;
  std::vector<std::string> notes;
  options.emit.notes = &notes;
  std::string companion;
  options.emit.companion = &companion;
  const std::string content = emitter.emit(model, options.emit);
  write_file(options.output, content);
  for (const std::string& note : notes) say(fmt::format("note: {}\n", note));
  fmt::print("{}: {} bytes, {}\n", options.output, content.size(), emitter.summary);
  if (target != nullptr) say_how_to_load(*target, options.output, companion);
}

}  // namespace

void declare_emit(CLI::App& app) {
  auto options = std::make_shared<EmitCommandOptions>();
  std::string targets;
  for (const emit::Emitter& emitter : emit::emitters())
    targets += fmt::format("  {:<14} {}\n", emitter.target, emitter.summary);
  app.add_option("target", options->target, "what to write, one of the targets below")->required();
  app.add_option("model", options->model, "the model (M.json)")->required();
  app.add_option("-o,--output", options->output, "the file to write")
      ->check(output_file())
      ->required();
  app.option_defaults()->group("Rules of a library");
  app.add_option(
      "--on", options->profile,
      "a profile: print the penalty of the rules beside the model's, and use its times to "
      "replace methods that the library does not have or that are unsafe");
  app.add_option("--system", options->system, "the system, if the profile holds several");
  app.add_option("--ranks-per-node", options->emit.ranks_per_node,
                 "write the rules for this placement where the format cannot ask for it")
      ->transform(whole_number(limits::kAskedRanks));
  app.add_option(
      "--into", options->emit.into,
      "a selection file of MPICH to add the rules to; its rules for other collectives are "
      "kept");
  app.add_flag(
      "--allow-unsafe", options->emit.allow_unsafe,
      "write also the rules that can break correct programs (docs/tasks/rules.md), and list "
      "them");
  app.add_flag("--replace-default", options->emit.replace_default,
               "where the format cannot tell two calls apart and the model leaves one of them to "
               "the library: write the best method for both");
  app.option_defaults()->group("C source and compact files");
  const CLI::Option* prefix =
      app.add_option("--prefix", options->emit.prefix, "prefix of the names in generated source")
          ->capture_default_str();
  app.add_flag("--plain", options->emit.plain,
               "keep the model's own tests; do not merge regions of one method");
  app.footer(fmt::format("Targets:\n{}\n{}", targets, app.get_footer()));
  app.callback([options, prefix] { emit(*options, prefix->count() > 0); });
}

}  // namespace colltree::cli
