// SPDX-License-Identifier: BSD-3-Clause
// The work of a rank for a plan, the same source under real MPI, under smpirun and in the
// simulator, which differ in the conductor, the selector and the rest of the RankEnvironment.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "protocol/plan.h"
#include "protocol/report_line.h"
#include "rank/cell_buffers.h"
#include "rank/disturbance.h"
#include "rank/repetitions.h"

namespace colltree::rank {

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

// Finds out if somebody else used the machine while we measured, by the processor time of all nodes
// of the communicator (/proc/stat, in ticks of 10 ms) without that of our ranks, and if our ranks
// had a core each.
class LoadGuard {
 public:
  // `cores`: that the job's ranks on this node may run on. Collective.
  LoadGuard(MPI_Comm world, int cores);

  // Begins a new stretch on this rank.
  void start();

  // Share of all cores that others used in the stretch, on every rank; none while the stretch is
  // too short to tell (0.1 s). Collective over comm, the first ranks of the world.
  std::optional<double> look(MPI_Comm comm);

  // How many cores a node has where more ranks of comm than these lie on it, `here` of them on this
  // node; 0: no node is so. On every rank. Collective over comm.
  std::uint64_t shared_cores(MPI_Comm comm, int here) const;

  // Sleeps until the stretch is long enough to tell.
  void wait() const;

 private:
  ProcessorTime now() const;

  int cores_;
  bool first_of_node_ = false;
  ProcessorTime begin_;
  double began_s_ = 0;
};

// The timed call. `begin` and `end` run on every rank right before the first repetition and right
// after the last, outside the times; either may be empty.
struct Timed {
  std::function<void(std::size_t)> call;
  std::function<void()> begin = {};
  std::function<void()> end = {};
};

// The timing of one collective call: all ranks of a communicator start together, and the time is
// the last rank's end minus that common start (never the mean of rank 0).
class Conductor {
 public:
  virtual ~Conductor() = default;

  // Makes `comm` the group that starts together; `members` are its ranks 0..size-1 of
  // MPI_COMM_WORLD. Collective over comm.
  virtual void enter(MPI_Comm comm) = 0;

  // Runs `timed.call(i)` for i = 0..repetitions-1, each from a common start. Collective over comm.
  virtual Durations run(std::size_t repetitions, const Timed& timed) = 0;

  // True on all ranks when `mine` is true on each. Collective over comm.
  virtual bool everywhere(bool mine) = 0;

  virtual double clock_error_us() const { return 0; }
};

// Makes a library's own algorithm run in place of the library's choice; this is what measure_rank
// sees of it.
class MethodSelector {
 public:
  virtual ~MethodSelector() = default;

  // Prepares the cell's method; "" or why it cannot run here. Collective over `comm`.
  virtual std::string select(const protocol::PlanCell& cell, const CellShape& shape,
                             MPI_Comm comm) = 0;
  virtual MPI_Comm comm() const { return comm_; }  // where it runs
  virtual void release() {}                        // collective
  // Around the calls that shall run it, on every rank.
  virtual void begin() {}
  virtual void end() {}
  // After a first call between begin and end: "" or what ran instead, as far as can be seen.
  virtual std::string other_than_selected() const { return ""; }

 protected:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// The parts that differ between a real cluster and a simulated one.
struct RankEnvironment {
  Conductor* conductor = nullptr;
  std::function<void(const protocol::JobReport&)> report;  // called on a communicator's rank 0 only
  // The same for whole lines of report_line from other ranks; may be empty where no plan asks for
  // several communicators at once.
  std::function<void(std::string_view lines)> report_lines;
  std::function<void(MPI_Comm world)> between_groups;  // e.g. synchronise clocks; may be empty
  std::function<void(MPI_Comm world)> leave_idle;  // ranks outside a communicator wait here without
                                                   // disturbing it; collective over the world
  void (*charge_copy)(std::size_t bytes) = nullptr;  // simulated cost of local copies
  MPI_Op sum = MPI_SUM;                              // may carry simulated cost
  MPI_Op exclusive_or = MPI_BXOR;
  // The node of a rank of the world, as a number that no other node has; empty: ask MPI.
  std::function<int(int world_rank)> node_of;
  bool split_all = true;  // a communicator of all ranks in their order is not the world itself
  // If all ranks live in one process, an instance whose messages take more than this, on all ranks
  // together, has one memory for all of them, and its contents are not checked. 0 = never.
  std::uint64_t most_payload_bytes = 0;
  void (*carry_content)(bool carries) = nullptr;  // of this rank's messages from now on
  std::size_t buffer_pool_bytes = 0;              // memory to rotate over; 0 = one slot
  MethodSelector* selector = nullptr;             // the plan's methods are the MPI library's own
  LoadGuard* load_guard = nullptr;
};

protocol::JobLayout layout_of_job(MPI_Comm world,
                                  const RankEnvironment& environment);  // collective

// Reports what the job is. Collective over `world`.
void report_start(MPI_Comm world, const RankEnvironment& environment);

// Collective over `world`. Sub-communicators are the first ranks of it, or the first of each node
// (PlanCell). World rank 0, which reports, takes part in all of them.
void measure(const protocol::Plan& plan, MPI_Comm world, const RankEnvironment& environment);

// Prints a measuring job's report to the coordinator on standard output, at once. A job whose
// report is lost ends here: what it measures would be lost, too.
void print_or_abort(const std::string& lines);

}  // namespace colltree::rank
