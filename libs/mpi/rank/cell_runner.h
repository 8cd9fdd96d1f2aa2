// SPDX-License-Identifier: BSD-3-Clause
// One cell on one rank: chooses the method, warms up, times batches until the stop rule is met and
// checks the result. Every step is collective over the cell's communicator.
#pragma once

#include <mpi.h>

#include <functional>
#include <optional>
#include <string>

#include "algorithms/algorithms.h"
#include "algorithms/node_layout.h"
#include "base/not_copied.h"
#include "rank/cell_buffers.h"
#include "rank/measure_rank.h"
#include "rank/repetitions.h"

namespace colltree::rank {

// The communicator of the cells being measured and what the reports say about it.
struct Group {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  algorithms::NodeLayout layout;
  mutable algorithms::SharedMemory shared;  // found when a method first needs it
};

// One method bound to one communicator, ready to be called and timed.
class CellCall : NotCopied {
 public:
  // `shape`: of the caller's call in comm. `group`: comm's ranks; must outlive this.
  // `payload`: shared, the messages carry no content, except where the schedule needs it.
  CellCall(const protocol::PlanCell& cell, const CellShape& shape, MPI_Comm comm,
           const Group& group, const RankEnvironment& environment, Payload payload = Payload::kOwn);

  bool known() const { return library_ || method_.algorithm != nullptr; }
  bool library() const { return library_; }
  // False: the method goes by memory that these ranks cannot share. Collective.
  bool has_memory() const;
  // Collective; returns an MPI error code.
  int run(const CellBuffers& buffers, std::size_t slot) const;

 private:
  protocol::PlanCell cell_;
  MPI_Comm comm_;
  CellShape shape_;
  algorithms::CollectiveCall call_;  // without its buffers
  bool library_;                     // an MPI call, not an algorithm of ours
  algorithms::PortableMethod method_;
  algorithms::Context context_;
  void (*carry_content_)(bool carries) = nullptr;  // null: they always do

  bool needs_content() const;
  int call(const CellBuffers& buffers, std::size_t slot) const;
};

class CellRunner : NotCopied {
 public:
  CellRunner(const Group& group, const protocol::PlanCell& cell, const protocol::StopRule& stop,
             const RankEnvironment& environment);
  ~CellRunner();

  protocol::JobReport run();

 private:
  std::string prepare();
  std::string select();
  void warm_up();
  void take_samples();
  std::size_t next_batch();
  std::string check();
  Timed timed(std::function<void(std::size_t)> call) const;
  void one_call(std::size_t slot);

  const Group& group_;
  const protocol::PlanCell& cell_;
  const protocol::StopRule& stop_;
  const RankEnvironment& environment_;
  MethodSelector* selector_;
  CellShape shape_;
  Payload payload_;
  MPI_Comm comm_;      // where the method runs; agreements are made in the group's
  std::string unfit_;  // why the method cannot be selected
  std::optional<CellBuffers> buffers_;
  std::optional<CellCall> call_;
  int error_ = MPI_SUCCESS;
  Sampling sampling_;
  std::size_t batch_ = 0;
  std::size_t done_ = 0;
};

}  // namespace colltree::rank
