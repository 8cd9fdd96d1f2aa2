// SPDX-License-Identifier: BSD-3-Clause
// What `colltree c45` prints: the trees and the table of sizes, errors and estimate, as release 8.
#pragma once

#include <string>

#include "model/c45/summary.h"

namespace colltree::c45 {

std::string report_text(const Dataset& data, const Training& training, const std::string& stem,
                        const Cases* test = nullptr);

}  // namespace colltree::c45
