// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/measure_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <span>

#include "base/statistics.h"
#include "measure/rank/cell_buffers.h"
#include "measure/rank/cell_call.h"
#include "measure/rank/cell_shape.h"

namespace colltree {

namespace {

constexpr std::size_t kMostSlots = 16;
constexpr std::size_t kFirstBatch = 10;
constexpr double kPatience = 10;
constexpr std::uint64_t kMostTries = 3;  // times max_samples, when many miss the common start

// The communicator of the cells being measured and what the reports say about it.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  std::uint64_t nodes = 1;
  std::uint64_t ranks_per_node = 1;
};

void count_nodes(MPI_Comm comm, std::uint64_t& nodes, std::uint64_t& ranks_per_node) {
  int rank = 0;
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int node_rank = 0;
  int node_size = 0;
  MPI_Comm_rank(node, &node_rank);
  MPI_Comm_size(node, &node_size);
  MPI_Comm_free(&node);
  int mine[2] = {node_rank == 0 ? 1 : 0, 0};
  int all[2] = {0, 0};
  MPI_Allreduce(mine, all, 1, MPI_INT, MPI_SUM, comm);
  mine[1] = node_size;
  MPI_Allreduce(&mine[1], &all[1], 1, MPI_INT, MPI_MAX, comm);
  nodes = static_cast<std::uint64_t>(all[0]);
  ranks_per_node = static_cast<std::uint64_t>(all[1]);
}

std::string first_line(const char* text) { return std::string(text, std::strcspn(text, "\r\n")); }

// True on all ranks when it is true on each.
bool everywhere(bool mine, MPI_Comm comm) {
  int value = mine ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_LAND, comm);
  return all != 0;
}

// A fault on demand, for the tests of the campaign: COLLTREE_TEST_ABORT holds a cell line.
void abort_if_asked(const PlanCell& cell) {
  const char* wanted = std::getenv("COLLTREE_TEST_ABORT");
  if (wanted != nullptr && cell_line(cell) == wanted) MPI_Abort(MPI_COMM_WORLD, 1);
}

class CellRunner {
 public:
  CellRunner(const Group& group, const PlanCell& cell, const StopRule& stop,
             const RankEnvironment& environment)
      : group_(group),
        cell_(cell),
        stop_(stop),
        environment_(environment),
        selector_(environment.selector),
        shape_(cell_shape(cell.instance(), group.rank)),
        comm_(group.comm) {}
  ~CellRunner() {
    if (selector_ != nullptr) selector_->release();
  }
  CellRunner(const CellRunner&) = delete;
  CellRunner& operator=(const CellRunner&) = delete;

  Report run() {
    const std::string trouble = prepare();
    if (!trouble.empty()) return CellFailed{cell_, trouble};
    const std::string unfit = select();
    if (!unfit.empty()) return CellFailed{cell_, unfit, true};
    warm_up();
    std::vector<double> samples;
    std::uint64_t discarded = 0;
    while (next_batch(samples, discarded) > 0) {
      for (const double seconds :
           environment_.conductor->run(batch_, timed([this](std::size_t i) { one_call(i); }))) {
        if (seconds < 0) {
          ++discarded;
        } else {
          samples.push_back(seconds * 1e6);
        }
      }
      done_ += batch_;
    }
    const std::string wrong = check();
    if (!wrong.empty()) return CellFailed{cell_, wrong};
    if (samples.empty())
      return CellFailed{cell_, "no repetition met the common start; the machine is overloaded"};
    return CellMeasured{cell_,
                        static_cast<std::uint64_t>(shape_.count),
                        shape_.type_size,
                        group_.nodes,
                        group_.ranks_per_node,
                        std::move(samples),
                        discarded,
                        0};
  }

 private:
  std::string prepare() {
    const std::size_t bytes = std::max<std::size_t>(1, cell_.message_size);
    const std::size_t slots =
        std::clamp<std::size_t>(environment_.buffer_pool_bytes / bytes, 1, kMostSlots);
    try {
      buffers_.emplace(cell_.instance(), group_.rank, slots);
    } catch (const std::bad_alloc&) {
    }
    if (!everywhere(buffers_.has_value(), group_.comm)) return "not enough memory for the buffers";
    if (selector_ != nullptr) {
      unfit_ = selector_->select(cell_, shape_, group_.comm);
      if (unfit_.empty()) comm_ = selector_->comm();
    }
    call_.emplace(cell_, comm_, group_.rank, environment_);
    return call_->known() ? "" : "no such method in this program";
  }

  Timed timed(std::function<void(std::size_t)> call) const {
    if (selector_ == nullptr) return {std::move(call)};
    return {std::move(call), [this] { selector_->begin(); }, [this] { selector_->end(); }};
  }

  // One call of a library's own algorithm before it is timed: why it does not apply here, as the
  // library says by an error or shows by running another one. "" = it applies.
  std::string select() {
    if (selector_ == nullptr) return "";
    if (!everywhere(unfit_.empty(), group_.comm))
      return unfit_.empty() ? "cannot be selected on another rank" : unfit_;
    selector_->begin();
    const int code = call_->run(*buffers_, 0);
    selector_->end();
    const std::string other = selector_->other_than_selected();  // before our own collectives
    if (!everywhere(code == MPI_SUCCESS, group_.comm)) return refusal(code);
    if (!everywhere(other.empty(), group_.comm))
      return other.empty() ? "the library runs another algorithm on another rank" : other;
    buffers_->fill(0);
    return "";
  }

  static std::string refusal(int code) {
    if (code == MPI_SUCCESS) return "the library refuses it on another rank";
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    // MPICH's text is a stack, cut to the length of an MPI error string.
    const std::string_view lines(text, static_cast<std::size_t>(length));
    if (lines.find("is not usable") != std::string_view::npos)
      return "the library says: not usable for the provided arguments";
    return fmt::format("the library refuses it here: {}", lines.substr(lines.rfind('\n') + 1));
  }

  // A library sets itself up in its first call on a communicator: never time that one. The later
  // ones teach the conductor how long a call lasts.
  void warm_up() {
    const std::uint32_t calls = std::max(stop_.warm_up, call_->library() ? 1U : 0U);
    for (std::uint32_t i = 0; i < calls; ++i) {
      environment_.conductor->run(1, timed([this, i](std::size_t) {
                                    error_ = std::max(error_, call_->run(*buffers_, i));
                                  }));
    }
    if (calls > 0) buffers_->fill(0);
  }

  void one_call(std::size_t i) { error_ = std::max(error_, call_->run(*buffers_, done_ + i)); }

  // Size of the next batch, agreed on by all ranks; 0 when the stop rule is met.
  std::size_t next_batch(const std::vector<double>& samples, std::uint64_t discarded) {
    long next = 0;
    if (group_.rank == 0) {
      const std::uint64_t tried = samples.size() + discarded;
      if (tried == 0) began_ = MPI_Wtime();
      const bool exact = samples.size() >= stop_.min_samples &&
                         relative_half_width(samples, stop_.confidence) <= stop_.max_half_width;
      // A cell without a single sample is worth more time: its window must first grow.
      const double budget_s = stop_.cell_budget_s * (samples.empty() ? kPatience : 1);
      const bool spent = samples.size() >= stop_.max_samples ||
                         tried >= kMostTries * stop_.max_samples ||
                         (tried > 0 && MPI_Wtime() - began_ > budget_s);
      if (!exact && !spent) {
        next = static_cast<long>(std::min<std::uint64_t>(
            std::max<std::uint64_t>(kFirstBatch, tried), stop_.max_samples - samples.size()));
      }
    }
    if (stop_.max_samples > 1) {
      MPI_Bcast(&next, 1, MPI_LONG, 0, group_.comm);
    } else {
      next = done_ == 0 ? 1 : 0;
    }
    batch_ = static_cast<std::size_t>(next);
    return batch_;
  }

  // The result of the last call, checked on every rank; with real clocks a fresh call is checked so
  // that filling the buffers stays out of the timed loop.
  std::string check() {
    std::size_t slot = done_ == 0 ? 0 : done_ - 1;
    if (stop_.max_samples > 1) {
      buffers_->fill(slot);
      const Timed once =
          timed([this](std::size_t i) { error_ = std::max(error_, call_->run(*buffers_, i)); });
      if (once.begin) once.begin();
      once.call(slot);
      if (once.end) once.end();
    }
    if (!everywhere(error_ == MPI_SUCCESS, group_.comm)) return "the method returned an MPI error";
    return everywhere(buffers_->correct(slot), group_.comm) ? "" : "the result is wrong";
  }

  const Group& group_;
  const PlanCell& cell_;
  const StopRule& stop_;
  const RankEnvironment& environment_;
  MethodSelector* selector_;
  CellShape shape_;
  MPI_Comm comm_;      // where the method runs; agreements are made in the group's
  std::string unfit_;  // why the method cannot be selected
  std::optional<CellBuffers> buffers_;
  std::optional<CellCall> call_;
  int error_ = MPI_SUCCESS;
  std::size_t batch_ = 0;
  std::size_t done_ = 0;
  double began_ = 0;
};

void report_start(MPI_Comm world, const RankEnvironment& environment) {
  JobStarted job;
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  count_nodes(world, job.nodes, job.ranks_per_node);
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  job.mpi_library = first_line(text);
  MPI_Get_processor_name(text, &length);
  job.host = text;
  job.ranks = static_cast<std::uint64_t>(size);
  job.clock_error_us = environment.conductor->clock_error_us();
  if (rank == 0) environment.report(job);
}

// Cells measured while others used the machine are measured again, kTries times in all; then they
// are reported with that load. The guard needs a stretch of some length, which may be many cells:
// their reports wait for its verdict.
class GroupRunner {
 public:
  GroupRunner(const Group& group, std::span<const PlanCell> cells, const StopRule& stop,
              const RankEnvironment& environment)
      : group_(group), cells_(cells), stop_(stop), environment_(environment) {}

  void run() {
    const bool guarded = environment_.load_guard != nullptr && stop_.max_foreign_load > 0;
    if (guarded) environment_.load_guard->start();
    for (std::size_t i = 0; i < cells_.size();) {
      reports_.push_back(run_cell(cells_[i++]));
      if (!guarded) {
        flush(0);
      } else if (const auto load = environment_.load_guard->look(group_.comm)) {
        if (*load > stop_.max_foreign_load && ++tries_ < kTries) {
          i -= reports_.size();
          reports_.clear();
        } else {
          flush(*load);
        }
      }
    }
    flush(0);
  }

 private:
  static constexpr int kTries = 3;

  Report run_cell(const PlanCell& cell) {
    if (group_.rank == 0) environment_.report(CellBegun{cell});
    abort_if_asked(cell);
    return CellRunner(group_, cell, stop_, environment_).run();
  }

  void flush(double load) {
    for (Report& report : reports_) {
      if (auto* measured = std::get_if<CellMeasured>(&report);
          measured != nullptr && load > stop_.max_foreign_load)
        measured->foreign_load = load;
      if (group_.rank == 0) environment_.report(report);
    }
    reports_.clear();
    tries_ = 0;
  }

  const Group& group_;
  std::span<const PlanCell> cells_;
  const StopRule& stop_;
  const RankEnvironment& environment_;
  std::vector<Report> reports_;
  int tries_ = 0;
};

}  // namespace

void measure(const Plan& plan, MPI_Comm world, const RankEnvironment& environment) {
  int world_rank = 0;
  MPI_Comm_rank(world, &world_rank);
  report_start(world, environment);
  for (std::size_t begin = 0; begin < plan.cells.size();) {
    const std::uint64_t size = plan.cells[begin].communicator_size;
    std::size_t end = begin;
    while (end < plan.cells.size() && plan.cells[end].communicator_size == size) ++end;
    Group group;
    const bool member = static_cast<std::uint64_t>(world_rank) < size;
    MPI_Comm_split(world, member ? 0 : MPI_UNDEFINED, world_rank, &group.comm);
    if (member) {
      MPI_Comm_rank(group.comm, &group.rank);
      count_nodes(group.comm, group.nodes, group.ranks_per_node);
      environment.conductor->enter(group.comm);
      if (environment.selector != nullptr) MPI_Comm_set_errhandler(group.comm, MPI_ERRORS_RETURN);
      GroupRunner(group, std::span(plan.cells).subspan(begin, end - begin), plan.stop, environment)
          .run();
      MPI_Comm_free(&group.comm);
    }
    if (environment.leave_idle) environment.leave_idle(world);
    if (environment.between_groups) environment.between_groups(world);
    begin = end;
  }
}

}  // namespace colltree
