// SPDX-License-Identifier: BSD-3-Clause
// What shells need to complete command lines of colltree, made of what every command declares:
// commands, options, words of options that take one of several, else files.
#pragma once

#include <string>

#include "base/options.h"

namespace colltree {

// A script to be sourced, or found as bash-completion's completions/colltree.
std::string bash_completion(const CommandLine& root);

// A function to be found as _colltree in a folder of zsh's fpath.
std::string zsh_completion(const CommandLine& root);

}  // namespace colltree
