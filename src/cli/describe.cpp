// SPDX-License-Identifier: BSD-3-Clause
// `colltree describe`: what packages install beside the program, and what somebody without them
// sources.
#include <fmt/core.h>

#include <functional>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"

namespace colltree::cli {

namespace {

// Each command below the root by its words behind the program: "fit", "fit quadtree".
void for_each_command(
    const CommandLine& line, const std::string& path,
    const std::function<void(const CommandLine& line, const std::string& path)>& see) {
  see(line, path);
  for (const CommandLine* sub : line.subcommands()) {
    for_each_command(*sub, path.empty() ? sub->name() : path + " " + sub->name(), see);
  }
}

// In single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string safe = "'";
  for (const char letter : text) safe += letter == '\'' ? "'\\''" : std::string(1, letter);
  return safe + "'";
}

std::vector<std::string> option_names(const CommandLine& line) {
  std::vector<std::string> names = {"--help"};
  for (const Option* option : line.options()) {
    if (option->is_positional()) continue;
    for (const std::string& name : option->names()) names.push_back(name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CommandLine& line) {
  std::vector<std::string> names;
  for (const CommandLine* sub : line.subcommands()) names.push_back(sub->name());
  return names;
}

// The command that has been written so far, as both shells find it: a case of all paths.
std::string path_case(const CommandLine& root, std::string_view indent) {
  std::string paths;
  for_each_command(root, "", [&](const CommandLine&, const std::string& path) {
    if (!path.empty()) paths += (paths.empty() ? "" : "|") + in_quotes(path);
  });
  return fmt::format(
      "{0}case \"${{path:+$path }}$each\" in\n{0}  {1}) path=\"${{path:+$path }}$each\" "
      ";;\n{0}esac\n",
      indent, paths);
}

// A script to be sourced, or found as bash-completion's completions/colltree.
std::string bash_completion(const CommandLine& root) {
  std::string values, words;
  for_each_command(root, "", [&](const CommandLine& line, const std::string& path) {
    for (const Option* option : line.options()) {
      if (option->is_positional() || option->kind() == ValueKind::kFlag) continue;
      std::string names;
      for (const std::string& name : option->names())
        names += (names.empty() ? "" : "|") + in_quotes(path + " " + name);
      const std::string what =
          option->words().empty() ? "-f" : "-W " + in_quotes(join(option->words(), " "));
      values +=
          fmt::format("    {}) COMPREPLY=($(compgen {} -- \"$word\")); return ;;\n", names, what);
    }
    words += fmt::format("    {}) options={} commands={} files={} ;;\n", in_quotes(path),
                         in_quotes(join(option_names(line), " ")),
                         in_quotes(join(subcommand_names(line), " ")), line.has_work() ? "-f" : "");
  });
  return "# bash completion of colltree, written by `colltree describe bash`\n"
         "_colltree() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local path= options= commands= files= each\n"
         "  COMPREPLY=()\n"
         "  for each in \"${COMP_WORDS[@]:1:COMP_CWORD - 1}\"; do\n" +
         path_case(root, "    ") +
         "  done\n"
         "  case \"$path $before\" in\n" +
         values +
         "  esac\n"
         "  case \"$path\" in\n" +
         words +
         "  esac\n"
         "  if [[ $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
         "  elif [[ -n $commands ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$commands\" $files -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _colltree colltree\n";
}

// Of a help text: no bracket and no colon, which part the words of _arguments.
std::string zsh_text(std::string_view help) {
  std::string safe;
  for (const char letter : help) {
    if (letter == '[' || letter == ']' || letter == ':' || letter == '\\') safe += '\\';
    safe += letter;
  }
  return safe;
}

// "--method[where neither file nor name says it]:value:_files", one for each name.
std::string zsh_option(const Option& option) {
  std::string value;
  if (option.kind() != ValueKind::kFlag) {
    value = option.words().empty() ? ":value:_files" : ":value:(" + join(option.words(), " ") + ")";
  }
  std::string text;
  for (const std::string& name : option.names()) {
    text +=
        " \\\n        " + in_quotes(fmt::format("*{}[{}]{}", name, zsh_text(option.help()), value));
  }
  return text;
}

std::string zsh_subcommands(const CommandLine& line) {
  std::string text;
  for (const CommandLine* sub : line.subcommands()) {
    text +=
        " \\\n        " + in_quotes(fmt::format("{}:{}", sub->name(), zsh_text(sub->summary())));
  }
  return text;
}

// A function to be found as _colltree in a folder of zsh's fpath.
std::string zsh_completion(const CommandLine& root) {
  std::string cases;
  for_each_command(root, "", [&](const CommandLine& line, const std::string& path) {
    cases += fmt::format("    {})\n", in_quotes(path));
    if (!line.subcommands().empty())
      cases += "      commands=(" + zsh_subcommands(line) + ")\n      _describe command commands\n";
    if (line.has_work()) {
      cases += "      _arguments -s '--help[print help]'";
      for (const Option* option : line.options()) {
        if (!option->is_positional()) cases += zsh_option(*option);
      }
      cases += " \\\n        '*:file:_files'\n";
    }
    cases += "      ;;\n";
  });
  return "#compdef colltree\n"
         "# zsh completion of colltree, written by `colltree describe zsh`\n"
         "_colltree() {\n"
         "  local path= each\n"
         "  local -a commands above\n"
         "  for each in \"${(@)words[2,CURRENT-1]}\"; do\n" +
         path_case(root, "    ") +
         "  done\n"
         "  above=(${(s: :)path})\n"
         "  words=(\"${words[1]}\" \"${(@)words[$#above+2,-1]}\")\n"
         "  (( CURRENT -= $#above ))\n"
         "  case \"$path\" in\n" +
         cases +
         "  esac\n"
         "}\n"
         "_colltree \"$@\"\n";
}

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

// "Example:\n  colltree export P.db -o F.csv" without its title.
std::string example(const CommandLine& line) {
  const std::string footer = line.footer();
  const std::size_t end = footer.find('\n');
  if (end == std::string::npos) return "";
  return fmt::format(".PP\n.EX\n{}\n.EE\n", troff(footer.substr(end + 1)));
}

std::string command_text(const CommandLine& line, const std::string& above) {
  const std::string path = above + " " + line.name();
  std::string text = fmt::format(".SS {}\n{}\n", troff(path), troff(line.summary()));
  if (line.has_work()) {
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

void describe_library(const DescribeOptions& options) {
  const std::unique_ptr<CommandLine> root = command_line();
  const std::string text = options.form == "man"    ? man_page(*root, COLLTREE_VERSION)
                           : options.form == "bash" ? bash_completion(*root)
                                                    : zsh_completion(*root);
  if (options.output == "-") return fmt::print("{}", text);
  write_file(options.output, text);
}

}  // namespace

void declare_describe(CommandLine& line) {
  auto options = std::make_shared<DescribeOptions>();
  line.add("form", options->form,
           "man: a page for man(1); bash, zsh: completion of command lines, as in 'source "
           "<(colltree describe bash)'")
      .required()
      .one_of({"man", "bash", "zsh"});
  line.add_output("-o,--output", options->output, "the file to write; -: standard output")
      .or_standard_output()
      .show_default();
  line.set_work([options] { describe_library(*options); });
}

}  // namespace colltree::cli
