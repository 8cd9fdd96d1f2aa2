// SPDX-License-Identifier: BSD-3-Clause
// `colltree show F.rules`: the rules that a library reads from a file, by collective.
#pragma once

#include <string>

namespace colltree::cli {

// True for rules of a library, which are recognised by their content; false for a pipe, which can
// be read only once.
bool is_rules_file(const std::string& path);

// The first rules of each collective, or with `json` all of them, and how many defects `check`
// finds. Throws Error when the file cannot be read.
void show_rules(const std::string& path, bool json);

}  // namespace colltree::cli
