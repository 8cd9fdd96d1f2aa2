// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/stretches.h"

#include <utility>
#include <vector>

#include "measure/foreign_load.h"

namespace colltree {

void measure_in_stretches(std::size_t cells, double most_foreign_load, const StretchSteps& steps) {
  StretchJudge judge(most_foreign_load);
  std::vector<Report> stretch;  // measured, not judged
  const auto keep = [&](double foreign_load) {
    for (Report& report : stretch) {
      if (auto* measured = std::get_if<CellMeasured>(&report))
        measured->foreign_load = foreign_load;
      steps.report(report);
    }
    stretch.clear();
  };
  for (std::size_t cell = 0; cell < cells;) {
    stretch.push_back(steps.measure(cell++));
    if (!steps.look) {
      keep(0);
      continue;
    }
    if (cell == cells) steps.wait();  // the last cells may be few
    const std::optional<double> load = steps.look();
    if (!load) continue;
    const StretchJudge::Verdict verdict = judge.judge(*load);
    if (verdict.again) {
      cell -= stretch.size();
      stretch.clear();
    } else {
      keep(verdict.mark);
    }
  }
  keep(0);
}

}  // namespace colltree
