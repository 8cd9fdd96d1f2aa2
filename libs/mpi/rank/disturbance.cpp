// SPDX-License-Identifier: BSD-3-Clause
#include "rank/disturbance.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <vector>

#include "base/text.h"

namespace colltree::rank {

namespace {

constexpr int kTries = 3;

bool was_measured(const std::vector<double>& medians_us) {
  return !medians_us.empty() && std::ranges::all_of(medians_us, [](double us) { return us > 0; });
}

// A kit knows no other fields than {}.
std::string hundredths(double us) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, us, std::chars_format::fixed, 2).ptr};
}

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

std::optional<double> StretchJudge::judge(double load) {
  const bool disturbed = load > most_;
  if (disturbed && ++tries_ < kTries) return std::nullopt;
  tries_ = 0;
  return disturbed ? load : 0;
}

void measure_in_stretches(std::size_t cells, double most_foreign_load, const StretchSteps& steps) {
  StretchJudge judge(most_foreign_load);
  std::vector<protocol::JobReport> stretch;  // measured, not judged
  const auto keep = [&](double foreign_load) {
    for (protocol::JobReport& report : stretch) {
      if (auto* result = std::get_if<protocol::CellResult>(&report)) {
        result->foreign_load = result->failure ? 0 : foreign_load;
        result->shared_cores = result->failure ? 0 : steps.shared_cores;
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
    if (const std::optional<double> mark = judge.judge(*load)) {
      keep(*mark);
    } else {
      cell -= stretch.size();
      stretch.clear();
    }
  }
  keep(0);
}

Agreement judge(std::span<const TriedCell> cells, double bound) {
  Agreement agreement;
  bool all_agree = true;
  for (const TriedCell& cell : cells) {
    if (!was_measured(cell.alone_us) || cell.together_us.empty() ||
        !std::ranges::all_of(cell.together_us, was_measured))
      continue;
    const double alone = std::ranges::min(cell.alone_us);
    double least = std::ranges::min(cell.together_us.front());
    double most = least;
    for (const std::vector<double>& block : cell.together_us) {
      least = std::min(least, std::ranges::min(block));
      most = std::max(most, std::ranges::min(block));
    }
    all_agree =
        all_agree && std::abs(most / alone - 1) <= bound && std::abs(least / alone - 1) <= bound;
    if (!agreement.text.empty()) agreement.text += "; ";
    agreement.text += concat(cell.cell, ": ", hundredths(alone), " us alone, ", hundredths(least),
                             " to ", hundredths(most), " us at once");
  }
  agreement.agrees = all_agree && !agreement.text.empty();
  if (agreement.text.empty()) agreement.text = "no cell could be measured alone and at once";
  return agreement;
}

}  // namespace colltree::rank
