// SPDX-License-Identifier: BSD-3-Clause
// The algorithms of the MPI library in this process: what it says of them, and what lets one of
// them run in place of the library's choice.
#pragma once

#include <mpi.h>

#include <map>
#include <string>

#include "base/not_copied.h"
#include "protocol/method_settings.h"
#include "rank/control_variables.h"
#include "rank/measure_rank.h"

namespace colltree::rank {

// Name (as told_name has it) and number of each; empty: the library does not tell.
std::map<std::string, int> told_algorithms(const ControlVariables& variables, Library library,
                                           Collective collective);

// Control variables that make the MPI library run one of its own algorithms, inside the running
// job. Open MPI looks at most of them when a communicator is created, so each cell has a fresh
// communicator; MPICH, and Open MPI for the k-nomial radix, look at every call, so they are also
// set around the timed calls, and only there: our own collectives must never run a forced
// algorithm.
class MethodSwitch : NotCopied {
 public:
  enum class Reach { kNewCommunicator, kNextCall };

  explicit MethodSwitch(Reach reach) : reach_(reach) {}
  ~MethodSwitch() { release(); }

  // "" or why it cannot be done. Collective over `comm`; nothing set = the library's own choice.
  std::string select(const protocol::Settings& settings, MPI_Comm comm);
  MPI_Comm comm() const { return comm_; }  // where the selected method runs
  const ControlVariables& variables() const { return variables_; }
  void release();  // collective when a communicator was made

  // Around the calls that shall run the selected method; "" or what could not be set.
  std::string begin();
  void end();

 private:
  Reach reach_;
  ControlVariables variables_;
  protocol::Settings settings_;
  protocol::Settings original_;  // of what is written now
  MPI_Comm comm_ = MPI_COMM_NULL;
  bool own_comm_ = false;
};

// Selects the algorithms of Open MPI or MPICH by name: from a cell's method to control variables,
// and the proof that it ran.
class LibrarySelector : public MethodSelector {
 public:
  explicit LibrarySelector(Library library);

  std::string select(const protocol::PlanCell& cell, const CellShape& shape,
                     MPI_Comm comm) override;
  MPI_Comm comm() const override { return switch_.comm(); }
  void release() override { switch_.release(); }
  void begin() override;
  void end() override { switch_.end(); }
  std::string other_than_selected() const override;

 private:
  std::string select_mpich(const protocol::PlanCell& cell, const NonblockingAlgorithm* nonblocking,
                           int number, MPI_Comm comm);
  std::string select_unknown(const protocol::PlanCell& cell, std::string_view name, MPI_Comm comm);

  Library library_;
  MethodSwitch switch_;
  const LibraryAlgorithm* selected_ = nullptr;  // what a witness can tell
  std::string trouble_;                         // of the last begin
};

// A library that reads its variables only when a job starts, Intel MPI: the job must have been
// started for the cell's algorithm. MPI_T does not show their values (2021.19).
class StartedSelector : public MethodSelector {
 public:
  explicit StartedSelector(Library library) : library_(library) {}

  std::string select(const protocol::PlanCell& cell, const CellShape& shape,
                     MPI_Comm comm) override;

 private:
  Library library_;
};

// Open MPI with its rules file (method "default") and, in the same job, without ("builtin"): a
// communicator that is made while rules are switched off follows the built-in decisions.
class RulesSelector : public MethodSelector {
 public:
  std::string select(const protocol::PlanCell& cell, const CellShape& shape,
                     MPI_Comm comm) override;
  void release() override;

 private:
  ControlVariables variables_;
};

}  // namespace colltree::rank
