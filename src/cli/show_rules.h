// SPDX-License-Identifier: BSD-3-Clause
// `colltree show` of what is deployed: a library's rules file, a compact decision file.
#pragma once

#include <string>

namespace colltree {

// Whether the file is rules of a library, by what it holds.
bool is_rules_file(const std::string& path);
// Its rules by collective and what `check` counts. Throws Error when it cannot be read.
void show_rules(const std::string& path);

// What a compact decision file decides for, its methods and how it holds them. Throws Error.
void show_compact(const std::string& path);

}  // namespace colltree
