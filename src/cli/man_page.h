// SPDX-License-Identifier: BSD-3-Clause
// colltree(1), made of what every command declares.
#pragma once

#include <string>

#include "base/options.h"

namespace colltree {

// The page in the language of man(7): every command below `root` with its options and its example.
std::string man_page(const CommandLine& root, const std::string& version);

}  // namespace colltree
