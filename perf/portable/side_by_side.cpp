// SPDX-License-Identifier: BSD-3-Clause
// side_by_side_<flavour> PLAN: times pairs of cells in turns, in one job: of each two cells of the
// plan the first by our own algorithm, the second by the MPI library's. perf/tables/portable.py
// starts it. Both report one sample for each round, the median of the round's calls, and round i of
// the one goes with round i of the other, so what disturbs the machine for longer than a round
// disturbs both. All is collective.measure's: clocks and common starts, buffers, the forcing of an
// algorithm.
#include <mpi.h>

#include <optional>
#include <string>

#include "base/input.h"
#include "base/statistics.h"
#include "coll/catalogue.h"
#include "rank/cell_buffers.h"
#include "rank/cell_runner.h"
#include "rank/library_selector.h"
#include "rank/measure_rank.h"
#include "rank/mpi_conductor.h"
#include "rank/witness.h"

namespace colltree {
namespace {

constexpr std::size_t kCalls = 5;       // of a round
constexpr std::size_t kSlots = 4;       // buffers that take turns
constexpr std::size_t kMostTries = 20;  // times the rounds, when others disturb many

// Where our own would be another method: what runs there is not what the cell says.
std::string other_than_asked(const protocol::PlanCell& cell) {
  const Method method = effective_method(cell.method, cell.instance);
  const bool same = without_source(method.algorithm) == without_source(cell.method.algorithm) &&
                    method.segment_size.value_or(0) == cell.method.segment_size.value_or(0);
  return same ? "" : "ours is " + method.name() + " there";
}

// One of the two. Its conductor learns how long its calls take.
class Side {
 public:
  Side(MPI_Comm comm, rank::MethodSelector* selector)
      : comm_(comm), selector_(selector), conductor_(comm) {
    environment_.selector = selector;
    conductor_.enter(comm);
  }

  // "" or why the cell cannot run.
  std::string open(const protocol::PlanCell& cell) {
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    conductor_.enter(comm_);
    if (selector_ == nullptr && !other_than_asked(cell).empty()) return other_than_asked(cell);
    const rank::CellShape shape = rank::cell_shape(cell.instance, rank);
    buffers_.emplace(shape, kSlots);
    buffers_->fill(0);
    std::string unfit = selector_ != nullptr ? selector_->select(cell, shape, comm_) : "";
    if (!unfit.empty()) return unfit;
    call_.emplace(cell, shape, selector_ != nullptr ? selector_->comm() : comm_, layout_,
                  environment_);
    if (!call_->known()) return "no such method";
    const rank::Timed once = timed([this](std::size_t) { code_ = call_->run(*buffers_, 0); });
    if (once.begin) once.begin();
    once.call(0);
    if (once.end) once.end();
    if (code_ != MPI_SUCCESS) return "the library refuses it";
    const std::string other = selector_ != nullptr ? selector_->other_than_selected() : "";
    return !other.empty() ? other : buffers_->correct(0) ? "" : "the result is wrong";
  }

  // The median of a round in microseconds, on rank 0; 0: no call of it counts.
  double round() {
    std::vector<double> counting;
    const auto call = [this](std::size_t i) { call_->run(*buffers_, i); };
    for (const double seconds : conductor_.run(kCalls, timed(call))) {
      if (seconds >= 0) counting.push_back(seconds * 1e6);
    }
    return median(counting);
  }

  void close() {
    call_.reset();
    buffers_.reset();
    if (selector_ != nullptr) selector_->release();
  }

 private:
  rank::Timed timed(std::function<void(std::size_t)> call) {
    if (selector_ == nullptr) return {std::move(call)};
    return {std::move(call), [this] { selector_->begin(); }, [this] { selector_->end(); }};
  }

  MPI_Comm comm_;
  rank::MethodSelector* selector_;
  rank::MpiConductor conductor_;
  rank::RankEnvironment environment_;
  algorithms::NodeLayout layout_;  // none: what knows the nodes is not compared
  std::optional<rank::CellBuffers> buffers_;
  std::optional<rank::CellCall> call_;
  int code_ = MPI_SUCCESS;
};

// The first trouble of any rank and side, on rank 0.
std::string shared_trouble(const std::string& mine, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const int here = mine.empty() ? 0 : 1;
  int all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MAX, comm);
  return all != 0 && mine.empty() ? "it cannot run on another rank" : mine;
}

// Both reports, of rank 0.
void compare(Side& ours, Side& theirs, const protocol::PlanCell& our_cell,
             const protocol::PlanCell& their_cell, std::size_t rounds, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  protocol::CellResult our_times{our_cell};
  protocol::CellResult their_times{their_cell};
  const std::string our_trouble = shared_trouble(ours.open(our_cell), comm);
  const std::string their_trouble =
      our_trouble.empty() ? shared_trouble(theirs.open(their_cell), comm) : "";
  const bool fit = our_trouble.empty() && their_trouble.empty();
  int go = fit ? 1 : 0;
  for (std::size_t i = 0; go != 0; ++i) {
    const bool first = i % 2 == 0;  // who begins takes turns too
    const double a = first ? ours.round() : theirs.round();
    const double b = first ? theirs.round() : ours.round();
    if (i > 0 && a > 0 && b > 0) {  // the first round is a warm-up
      our_times.samples_us.push_back(first ? a : b);
      their_times.samples_us.push_back(first ? b : a);
    }
    go = our_times.samples_us.size() < rounds && i < kMostTries * rounds ? 1 : 0;
    MPI_Bcast(&go, 1, MPI_INT, 0, comm);
  }
  ours.close();
  theirs.close();
  if (rank != 0) return;
  const auto report = [](protocol::CellResult& times, const std::string& trouble) {
    if (!trouble.empty()) return protocol::report_line(protocol::failed_cell(times.cell, trouble));
    return protocol::report_line(times);
  };
  rank::print_or_abort(report(our_times, our_trouble) + report(their_times, their_trouble));
}

void compare_all(const protocol::Plan& plan) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  {
    rank::LibrarySelector selector(plan.source == "openmpi" ? Library::kOpenmpi : Library::kMpich);
    Side ours(comm, nullptr);
    Side theirs(comm, &selector);
    rank::yield_while_waiting(true);  // as Open MPI's ranks do with --oversubscribe
    for (std::size_t i = 0; i + 1 < plan.cells.size(); i += 2)
      compare(ours, theirs, plan.cells[i], plan.cells[i + 1], plan.stop.max_samples, comm);
  }
  MPI_Comm_free(&comm);
}

}  // namespace
}  // namespace colltree

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc == 2)
    colltree::compare_all(colltree::protocol::read_plan(colltree::read_file(argv[1]), argv[1]));
  MPI_Finalize();
  return argc == 2 ? 0 : 2;
}
