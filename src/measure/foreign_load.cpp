// SPDX-License-Identifier: BSD-3-Clause
#include "measure/foreign_load.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace colltree {

namespace {

constexpr int kTries = 3;

}  // namespace

bool parse_processor_line(const char* line, double ticks_per_s, ProcessorTime& out) {
  unsigned long long user = 0;
  unsigned long long nice = 0;
  unsigned long long system = 0;
  unsigned long long idle = 0;
  unsigned long long wait = 0;
  unsigned long long irq = 0;
  unsigned long long softirq = 0;
  unsigned long long steal = 0;
  if (std::sscanf(line, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
                  &wait, &irq, &softirq, &steal) != 8)
    return false;
  const unsigned long long busy = user + nice + system + irq + softirq + steal;
  out.busy_s = static_cast<double>(busy) / ticks_per_s;
  out.capacity_s = static_cast<double>(busy + idle + wait) / ticks_per_s;
  return true;
}

double foreign_share(const ProcessorTime& spent) {
  if (spent.capacity_s <= 0) return 0;
  return std::max(0.0, (spent.busy_s - spent.own_s) / spent.capacity_s);
}

StretchJudge::Verdict StretchJudge::judge(double load) {
  const bool disturbed = load > most_;
  if (disturbed && ++tries_ < kTries) return {true, 0};
  tries_ = 0;
  return {false, disturbed ? load : 0};
}

void measure_in_stretches(std::size_t cells, double most_foreign_load, const StretchSteps& steps) {
  StretchJudge judge(most_foreign_load);
  std::vector<Report> stretch;  // measured, not judged
  const auto keep = [&](double foreign_load) {
    for (Report& report : stretch) {
      if (auto* measured = std::get_if<CellMeasured>(&report)) {
        measured->foreign_load = foreign_load;
        measured->shared_cores = steps.shared_cores;
      }
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
