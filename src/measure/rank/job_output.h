// SPDX-License-Identifier: BSD-3-Clause
// What a measuring job says to the coordinator.
#pragma once

#include <string>

namespace colltree {

// To standard output, at once. A job whose words are lost ends here: what it measures would be
// lost, too.
void print_or_abort(const std::string& lines);

}  // namespace colltree
