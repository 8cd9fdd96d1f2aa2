// SPDX-License-Identifier: BSD-3-Clause
// The communicators of a job that are measured at one time: one alone or several without a common
// node.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "base/not_copied.h"
#include "rank/cell_runner.h"
#include "rank/measure_rank.h"

namespace colltree::rank {

class MeasuredGroup : NotCopied {
 public:
  // Each block is a communicator of these ranks of the world, in this order; no rank is in two.
  // Collective over `world`.
  MeasuredGroup(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
                MPI_Comm world, const RankEnvironment& environment);
  ~MeasuredGroup();

  bool has_me() const { return block_ < blocks_; }
  std::size_t block() const { return block_; }  // of this rank; blocks() where it is in none
  std::size_t blocks() const { return blocks_; }
  const Group& group() const { return group_; }

  // The block's first rank reports. Collective over the block.
  void measure(std::span<const protocol::PlanCell> cells, const protocol::StopRule& stop,
               const RankEnvironment& environment) const;

 private:
  Group group_;
  std::size_t blocks_;
  std::size_t block_;
  bool split_ = false;
};

// Cells of one communicator size on several communicators of a job at once, which have no node in
// common, each another cell. First some cells are measured alone and at once: where their
// medians differ by more than the plan allows, or nothing could be compared, nothing else is done.
//
// False: the cells disturb one another; nothing was reported but a line that says so. `blocks`: as
// disjoint_blocks makes them, at least two. Collective over `world`.
bool measure_at_once(std::span<const std::vector<int>> blocks, std::span<const int> node_of,
                     std::span<const protocol::PlanCell> cells, const protocol::Plan& plan,
                     MPI_Comm world, const RankEnvironment& environment);

}  // namespace colltree::rank
