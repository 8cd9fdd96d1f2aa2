// SPDX-License-Identifier: BSD-3-Clause
// One chooser as the page reads it (docs/report.md).
#pragma once

#include <vector>

#include "base/json.h"
#include "report/choosers.h"
#include "report/method_index.h"
#include "report/regions.h"

namespace colltree {

// {id, detail, start, held_out, no_held_out, fit_command, model_file, entries: [{leaves, method,
// runs, penalty, performance_penalty, versus_default_interval, cannot_run, faster_than_all, tree,
// regions}]}
Json chooser_json(const ReportChooser& chooser, const Timings& timings,
                  const std::vector<GridRegion>& regions, MethodIndex& index);

}  // namespace colltree
