// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include "base/file.h"
#include "base/json.h"
#include "cli/command.h"

namespace colltree::cli {

#define COLLTREE_COMMAND(group, name, summary, example) void declare_##name(CLI::App& app);
#define COLLTREE_SUBCOMMAND(above, name, summary, example) void declare_##name(CLI::App& app);
#include "cli/commands.def"
#undef COLLTREE_SUBCOMMAND
#undef COLLTREE_COMMAND

namespace {

constexpr Command kCommands[] = {
#define COLLTREE_COMMAND(group, name, summary, example) \
  {#name, summary, example, declare_##name, group, nullptr},
#define COLLTREE_SUBCOMMAND(above, name, summary, example) \
  {#name, summary, example, declare_##name, "Subcommands", #above},
#include "cli/commands.def"
#undef COLLTREE_SUBCOMMAND
#undef COLLTREE_COMMAND
};

}  // namespace

std::span<const Command> commands() { return kCommands; }

void print_results(const char* schema, Json results, int indent) {
  if (results.is_object()) results["schema"] = schema;
  for (std::size_t i = 0; results.is_array() && i < results.size(); ++i)
    results[i]["schema"] = schema;
  fmt::print("{}\n", results.dump(indent));
}

void write_or_print(const std::string& file, const std::string& text) {
  file == "-" ? fmt::print("{}", text) : write_file(file, text);
}

}  // namespace colltree::cli
