// SPDX-License-Identifier: BSD-3-Clause
// Finds the variables of a library that a script sets for each command that it runs. A script is a
// job script, a module file of Lua or Tcl, or a container's recipe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace colltree::rules {

struct Assignment {
  std::size_t line = 0;
  std::string variable;
  std::string value;      // without quotes and without the comment behind it
  std::string problem;    // why a shell does not set this value; "" when it does
  bool expanded = false;  // the value holds what is known only when the script runs: $NAME
  std::string remark;     // follows the variable's name: "stands twice: ..."; "": nothing to say
};

// A command with the settings under which it runs, each variable once.
struct ScriptRun {
  std::size_t line = 0;  // of the command; 0: what the script leaves to whoever loads it
  std::vector<Assignment> settings;
};

// Reads the variables that begin with `prefix`. At least one run; those under equal settings are
// one.
//   shell, csh  NAME=VALUE alone, behind export or in front of a command, setenv NAME VALUE, unset;
//               options: -x NAME=VALUE, -genv NAME VALUE, --export=ALL,NAME=VALUE; "bash -c '...'";
//               #SBATCH, #PBS and the like; a setting in a string that a variable keeps has a
//               remark
//   Lua         setenv("NAME", "VALUE")
std::vector<ScriptRun> read_runs(std::string_view content, std::string_view prefix);

// Returns the first line, without comments, that names such a variable; 0 if none does.
std::size_t naming_line(std::string_view content, std::string_view prefix);

}  // namespace colltree::rules
