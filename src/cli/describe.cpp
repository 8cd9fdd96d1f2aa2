// SPDX-License-Identifier: BSD-3-Clause
// `colltree describe`: what packages install beside the program, and what somebody without them
// sources.
#include <fmt/format.h>

#include "base/file.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/man_page.h"
#include "cli/shell_completion.h"

namespace colltree {

namespace {

struct DescribeOptions {
  std::string form;
  std::string output = "-";
};

void describe(const DescribeOptions& options) {
  const std::unique_ptr<CommandLine> root = command_line();
  const std::string text = options.form == "man"    ? man_page(*root, kVersion)
                           : options.form == "bash" ? bash_completion(*root)
                                                    : zsh_completion(*root);
  if (options.output == "-") return fmt::print("{}", text);
  write_file(options.output, text);
}

}  // namespace

void declare_describe(CommandLine& line) {
  auto options = std::make_shared<DescribeOptions>();
  line.add("form", options->form,
           "man: a page for man(1); bash, zsh: for a shell to complete command lines, as in "
           "'source <(colltree describe bash)'")
      .required()
      .one_of({"man", "bash", "zsh"});
  line.add_output("-o,--output", options->output, "the file; - for standard output").show_default();
  line.set_work([options] { describe(*options); });
}

}  // namespace colltree
