// SPDX-License-Identifier: BSD-3-Clause
// Simulations in separate processes, on the way from a plan to the coordinator: a failure of one of
// them costs only its current cell. The coordinator hears one writer, who numbers its lines
// (report_line.h).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <list>
#include <stdexcept>
#include <vector>

#include "protocol/plan.h"
#include "protocol/report_line.h"

namespace colltree::rank {

// Nothing that was asked for is wrong: the same may pass another time.
struct Breakdown : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Cells begin .. end-1 of a plan.
protocol::Plan part_of(const protocol::Plan& plan, std::size_t begin, std::size_t end);

class SimulationPool {
 public:
  // simulate(plan, out) runs in the child: it writes report lines to `out`, JobDone at the end of
  // each instance, and exits.
  SimulationPool(std::size_t jobs, std::function<void(const protocol::Plan&, int)> simulate);

  // Waits until fewer than `jobs` children run, and starts one. Reports of those that ended go to
  // standard output, ending with a checkpoint each; a cell at which a child ended is reported as
  // failed, and those after it are tried in a new one. Throws Breakdown where no process can be
  // started, or one ended outside any cell.
  void add(protocol::Plan plan);
  void drain();

  void say(const protocol::JobReport& report);

 private:
  // A running child. What it says goes to a file in memory: unlike a pipe it wakes nobody at each
  // report, and what was said before a crash is there.
  struct Child {
    pid_t pid = 0;
    int said = -1;
    protocol::Plan plan;
  };

  void collect();
  void finish(std::list<Child>::iterator position, int status);
  void forward(Child& child, const std::vector<protocol::JobReport>& reports, int status);
  void fail(const Child& child, std::size_t begun, std::size_t ended, int status);

  std::size_t jobs_;
  std::function<void(const protocol::Plan&, int)> simulate_;
  std::list<Child> children_;
  protocol::ReportNumbering numbering_;
  bool started_ = false;
};

}  // namespace colltree::rank
