// SPDX-License-Identifier: BSD-3-Clause
// One function a format, which makes its row: defined in the file that reads it.
#pragma once

#include "profile/importers/results_format.h"

namespace colltree::importers {

#define COLLTREE_RESULTS_FORMAT(name) ResultsFormat name();
#include "profile/importers/formats.def"
#undef COLLTREE_RESULTS_FORMAT

}  // namespace colltree::importers
