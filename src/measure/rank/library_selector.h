// SPDX-License-Identifier: BSD-3-Clause
// Selects the algorithms of Open MPI or MPICH by name: from a cell's method to control variables,
// and the proof that it ran.
#pragma once

#include <string>

#include "coll/library_algorithms.h"
#include "coll/mpich_nonblocking.h"
#include "measure/rank/method_selector.h"
#include "measure/rank/method_switch.h"

namespace colltree {

class LibrarySelector : public MethodSelector {
 public:
  explicit LibrarySelector(Library library);

  std::string select(const PlanCell& cell, const CellShape& shape, MPI_Comm comm) override;
  MPI_Comm comm() const override { return switch_.comm(); }
  void release() override { switch_.release(); }
  void begin() override;
  void end() override { switch_.end(); }
  std::string other_than_selected() const override;

 private:
  std::string select_mpich(const PlanCell& cell, const NonblockingAlgorithm* nonblocking,
                           int number, MPI_Comm comm);

  Library library_;
  MethodSwitch switch_;
  const LibraryAlgorithm* selected_ = nullptr;  // what a witness can tell
  std::string trouble_;                         // of the last begin
};

}  // namespace colltree
