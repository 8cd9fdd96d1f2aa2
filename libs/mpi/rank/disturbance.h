// SPDX-License-Identifier: BSD-3-Clause
// Judges if somebody else used the machine while we measured, or if cells measured at once
// disturbed one another, and decides what becomes of the samples. Numbers only; LoadGuard and
// AtOnce read them from the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/report_line.h"

namespace colltree::rank {

// Processor seconds, since some start or of a stretch.
struct ProcessorTime {
  double busy_s = 0;      // all processes
  double capacity_s = 0;  // of all cores, idle or not
  double own_s = 0;       // of our ranks
};

// First line of /proc/stat: "cpu  user nice system idle iowait irq softirq steal guest guest_nice".
// Stolen time counts as busy. False: not such a line.
bool parse_processor_line(const char* line, double ticks_per_s, ProcessorTime& out);

// Share of all cores that others used in a stretch, from 0 to 1.
double foreign_share(const ProcessorTime& spent);

// A disturbed stretch is measured at most three times in total; then it is kept and marked.
class StretchJudge {
 public:
  explicit StretchJudge(double most) : most_(most) {}  // share that others may use

  // The others' share that the stretch's cells are stored with, 0 = none; nothing: it is measured
  // again.
  std::optional<double> judge(double load);

 private:
  double most_;
  int tries_ = 0;  // of this stretch
};

// Cells measured in turn, in stretches that are long enough for a load guard to judge: a stretch
// that others disturbed is measured again. Speaks no MPI; measure_rank fills in the steps.
struct StretchSteps {
  std::function<protocol::JobReport(std::size_t cell)> measure;
  std::function<void(const protocol::JobReport&)> report;
  // Others' share of all cores since the last answer; none: the stretch is too short to tell.
  // Empty: nobody looks.
  std::function<std::optional<double>()> look;
  std::function<void()> wait;      // until look() can tell
  std::uint64_t shared_cores = 0;  // as CellResult::shared_cores
};

// Reports each of the cells 0 .. cells-1 once, in order, when its stretch is judged.
void measure_in_stretches(std::size_t cells, double most_foreign_load, const StretchSteps& steps);

// A cell that was measured alone on the first communicator and on all at once, several times by
// turns. Medians in microseconds; 0 = it could not be measured.
struct TriedCell {
  std::string cell;
  std::vector<double> alone_us;
  std::vector<std::vector<double>> together_us;  // by communicator
};

struct Agreement {
  bool agrees = false;
  std::string text;  // "bcast 2 64 linear 0: 1.52 us alone, 1.49 to 1.6 us at once; ..."
};

// They agree when at least one cell was measured everywhere, and each such cell's least median on
// each communicator differs from the least one alone by at most the share `bound`: disturbance only
// adds, so the least of the turns is compared.
Agreement judge(std::span<const TriedCell> cells, double bound);

}  // namespace colltree::rank
