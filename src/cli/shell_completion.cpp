// SPDX-License-Identifier: BSD-3-Clause
#include "cli/shell_completion.h"

#include <fmt/core.h>

#include <functional>
#include <vector>

#include "base/text.h"

namespace colltree {

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

}  // namespace

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
    words += fmt::format("    {}) options={} commands={} ;;\n", in_quotes(path),
                         in_quotes(join(option_names(line), " ")),
                         in_quotes(join(subcommand_names(line), " ")));
  });
  return "# bash completion of colltree, written by `colltree describe bash`\n"
         "_colltree() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
         "  local path= options= commands= each\n"
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
         "    COMPREPLY=($(compgen -W \"$commands\" -- \"$word\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
         "  fi\n"
         "}\n"
         "complete -o filenames -F _colltree colltree\n";
}

namespace {

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

}  // namespace

std::string zsh_completion(const CommandLine& root) {
  std::string cases;
  for_each_command(root, "", [&](const CommandLine& line, const std::string& path) {
    cases += fmt::format("    {})\n", in_quotes(path));
    if (line.subcommands().empty()) {
      cases += "      _arguments -s '--help[print help]'";
      for (const Option* option : line.options()) {
        if (!option->is_positional()) cases += zsh_option(*option);
      }
      cases += " \\\n        '*:file:_files'\n";
    } else {
      cases += "      commands=(" + zsh_subcommands(line) + ")\n      _describe command commands\n";
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

}  // namespace colltree
