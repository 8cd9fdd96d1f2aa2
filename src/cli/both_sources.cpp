// SPDX-License-Identifier: BSD-3-Clause
#include "cli/both_sources.h"

namespace colltree {

BothSources::BothSources(const MeasureOptions& options)
    : library_(options.of_library().make_request()),
      portable_(options.of_portable().make_request()),
      library_driver_(options.of_library().make_driver()),
      portable_driver_(options.of_portable().make_driver()) {}

void BothSources::check() const {
  static_cast<void>(plan_cells(library_));
  static_cast<void>(plan_cells(portable_));
}

BothOutcomes BothSources::measure(Profile& profile) const {
  return run_campaigns({library_, *library_driver_}, {portable_, *portable_driver_}, profile);
}

}  // namespace colltree
