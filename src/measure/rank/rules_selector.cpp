// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/rules_selector.h"

#include "measure/witness_line.h"

namespace colltree {

std::string RulesSelector::select(const PlanCell& cell, const CellShape&, MPI_Comm comm) {
  release();
  // Both get a communicator of their own, so that they differ in nothing but the decision.
  const bool rules = cell.method.algorithm != kBuiltinAlgorithm;
  ControlVariables::write_flag("coll_tuned_use_dynamic_rules", rules);
  const int code = MPI_Comm_dup(comm, &comm_);
  ControlVariables::write_flag("coll_tuned_use_dynamic_rules", true);
  if (code != MPI_SUCCESS) return "no communicator could be made";
  MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  return "";
}

void RulesSelector::release() {
  if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
}

}  // namespace colltree
