// SPDX-License-Identifier: BSD-3-Clause
// Open MPI with its rules file (method "default") and, in the same job, without ("builtin"): a
// communicator that is made while rules are switched off follows the built-in decisions.
#pragma once

#include "measure/rank/control_variables.h"
#include "measure/rank/method_selector.h"

namespace colltree {

class RulesSelector : public MethodSelector {
 public:
  std::string select(const PlanCell& cell, const CellShape& shape, MPI_Comm comm) override;
  MPI_Comm comm() const override { return comm_; }
  void release() override;
  void begin() override {}
  void end() override {}
  std::string other_than_selected() const override { return ""; }

 private:
  ControlVariables variables_;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace colltree
