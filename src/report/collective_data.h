// SPDX-License-Identifier: BSD-3-Clause
// The timings of one collective and all that chooses there, as the page reads them
// (docs/report.md).
#pragma once

#include "base/json.h"
#include "report/report.h"

namespace colltree {

Json collective_json(const Timings& timings, const ReportInput& input);

}  // namespace colltree
