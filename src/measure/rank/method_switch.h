// SPDX-License-Identifier: BSD-3-Clause
// Control variables that make the MPI library run one of its own algorithms, inside the running
// job. Open MPI looks at most of them when a communicator is made, so one is made for each cell;
// MPICH, and Open MPI for the k-nomial radix, look at every call, so they are also set around the
// timed calls, and only there: our own collectives must never run a forced algorithm.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "measure/rank/control_variables.h"

namespace colltree {

using Settings = std::vector<std::pair<std::string, int>>;  // variable, value

class MethodSwitch {
 public:
  enum class Reach { kNewCommunicator, kNextCall };

  explicit MethodSwitch(Reach reach) : reach_(reach) {}
  ~MethodSwitch() { release(); }
  MethodSwitch(const MethodSwitch&) = delete;
  MethodSwitch& operator=(const MethodSwitch&) = delete;

  // "" or why it cannot be done. Collective over `comm`; nothing set = the library's own choice.
  std::string select(const Settings& settings, MPI_Comm comm);
  MPI_Comm comm() const { return comm_; }  // where the selected method runs
  const ControlVariables& variables() const { return variables_; }
  void release();  // collective when a communicator was made

  // Around the calls that shall run the selected method; "" or what could not be set.
  std::string begin();
  void end();

 private:
  std::string write_all();
  void restore();

  Reach reach_;
  ControlVariables variables_;
  Settings settings_;
  Settings original_;  // of what is written now
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool own_comm_ = false;
};

}  // namespace colltree
