// SPDX-License-Identifier: BSD-3-Clause
#include "measure/foreign_load.h"

#include <algorithm>
#include <cstdio>

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

}  // namespace colltree
