// SPDX-License-Identifier: BSD-3-Clause
// `colltree describe`: what packages install beside the program, and what somebody without them
// sources.
#include <fmt/core.h>

#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "cli/command.h"
#include "cli/shell_completion.h"

namespace colltree {

namespace {

// Text between the requests of man(7): a hyphen that stays one when it is copied, no escape, and no
// line that begins as a request does.
std::string troff(std::string_view text) {
  std::string safe;
  bool at_start = true;
  for (const char letter : text) {
    if (at_start && (letter == '.' || letter == '\'')) safe += "\\&";
    if (letter == '-') {
      safe += "\\-";
    } else if (letter == '\\') {
      safe += "\\e";
    } else {
      safe += letter;
    }
    at_start = letter == '\n';
  }
  return safe;
}

std::string option_text(const Option& option) {
  const std::string names = troff(join(option.names(), ", "));
  const std::string value = option.value_text();
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}\n", names, value.empty() ? "" : " " + troff(value),
                     troff(option.help()));
}

std::string usage(const CommandLine& line, const std::string& path) {
  std::string text = "\\fB" + troff(path) + "\\fR";
  if (!line.options().empty()) text += " [options]";
  for (const Option* option : line.options()) {
    if (option->is_positional()) text += " \\fI" + troff(option->name()) + "\\fR";
  }
  return text;
}

// "Example:\n  colltree map P.db" without its title.
std::string example(const CommandLine& line) {
  const std::string footer = line.footer();
  const std::size_t end = footer.find('\n');
  if (end == std::string::npos) return "";
  return fmt::format(".PP\n.EX\n{}\n.EE\n", troff(footer.substr(end + 1)));
}

std::string command_text(const CommandLine& line, const std::string& above) {
  const std::string path = above + " " + line.name();
  std::string text = fmt::format(".SS {}\n{}\n", troff(path), troff(line.summary()));
  if (line.subcommands().empty()) {
    text += ".PP\n" + usage(line, path) + "\n";
    for (const Option* option : line.options()) text += option_text(*option);
    text += example(line);
  }
  for (const CommandLine* sub : line.subcommands()) text += command_text(*sub, path);
  return text;
}

// colltree(1) in the language of man(7): every command below `root` with its options and its
// example.
std::string man_page(const CommandLine& root, const std::string& version) {
  std::string summary = root.summary();
  if (summary.starts_with(root.name() + ": ")) summary.erase(0, root.name().size() + 2);
  std::string text = fmt::format(
      ".TH COLLTREE 1 \"\" \"colltree {}\" \"User Commands\"\n"
      ".SH NAME\ncolltree \\- {}\n"
      ".SH SYNOPSIS\n\\fBcolltree\\fR \\fIcommand\\fR [options]\n.br\n"
      "\\fBcolltree\\fR \\fIcommand\\fR \\fB\\-\\-help\\fR\n"
      ".SH COMMANDS\n",
      troff(version), troff(summary));
  for (const CommandLine* sub : root.subcommands()) text += command_text(*sub, root.name());
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n0\nDone.\n"
         ".TP\n1\nAn error, in one line on standard error that names the place and the remedy.\n"
         ".TP\n2\nThe command line is wrong.\n"
         ".SH SEE ALSO\n"
         "The pages in share/doc/colltree/docs beside the program's folder, README.md first.\n";
}

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
  line.add_output("-o,--output", options->output, "the file; - for standard output")
      .or_standard_output()
      .show_default();
  line.set_work([options] { describe(*options); });
}

}  // namespace colltree
