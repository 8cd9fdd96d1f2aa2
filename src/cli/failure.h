// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <exception>
#include <string>

namespace colltree {

// What is said of a failure of the command, such as "colltree fit quadtree": our own errors name
// place and remedy; what nobody foresaw becomes a plain sentence.
std::string explain_failure(const std::exception& failure, const std::string& called);

}  // namespace colltree
