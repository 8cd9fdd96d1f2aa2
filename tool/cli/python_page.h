// SPDX-License-Identifier: BSD-3-Clause
// The page of `colltree report`, which the Python package writes (python/colltree/_report.py) from
// the data that the program computes.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"

namespace colltree::cli {

// The page of the data of `colltree report --json`. Python starts first and makes ready what needs
// no data while `make_data` computes them. Throws Error before that where no Python has what the
// page needs, and afterwards with the first line of the package's error.
std::string page_by_python(const std::function<Json()>& make_data);

}  // namespace colltree::cli
