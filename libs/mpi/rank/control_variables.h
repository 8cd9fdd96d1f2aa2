// SPDX-License-Identifier: BSD-3-Clause
// The knobs of the MPI library in this process: the integer control variables of the MPI tool
// interface (MPI_T), by name. Changes are local to the process.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/not_copied.h"
#include "protocol/report_line.h"

namespace colltree::rank {

class ControlVariables : NotCopied {
 public:
  ControlVariables();   // before or after MPI_Init
  ~ControlVariables();  // must be gone before MPI_Finalize: Open MPI 4.1 crashes otherwise

  std::optional<int> read(const std::string& variable) const;  // none: no such integer variable

  // Its value as text, of one integer, a flag (0, 1) or a string; none: none of them.
  std::optional<std::string> read_text(const std::string& variable) const;

  // Every variable of this prefix; those of integers with their values.
  std::vector<std::string> names(std::string_view prefix) const;
  std::map<std::string, int> read_all(std::string_view prefix) const;

  // "" or why it cannot be written. Open MPI: what it does not let MPI_T write (allgatherv) is
  // written where it is stored.
  std::string write(const std::string& variable, int value);

  // Open MPI: sets a yes-or-no parameter of coll/tuned where it is stored, although it is
  // read-only; without effect elsewhere. What it was.
  static bool write_flag(const std::string& variable, bool value);

  // Number and name of each value, where the library tells them: Open MPI by the tool interface,
  // MPICH and Intel MPI in the variable's description. `known`: as described_values takes it.
  std::map<int, std::string> value_names(const std::string& variable,
                                         std::span<const std::string_view> known) const;
  // The number of a value; none: the library does not report such a value.
  std::optional<int> value_number(const std::string& variable, std::string_view name) const;
};

// Who has set the control variables that collectives depend on: a site's file, the environment.

// Every variable of Open MPI's coll framework or of MPICH that has not its default value, and the
// priority of each coll component. Open MPI says itself where a value comes from (its internal
// mca_base_var_get_value; "the environment" is also what mpirun --mca makes); of MPICH it is looked
// up in the environment, the only place where it reads them. Then what was asked for in vain: a
// value that the library refused, a name that it does not know (asked_settings.h). Works after
// MPI_Init.
std::vector<protocol::LibraryVariable> set_variables(const ControlVariables& variables);

// The settings that were asked for and can end a job, in the user's spelling. Works without
// MPI_Init.
std::vector<protocol::LibraryVariable> asked_settings(const ControlVariables& variables);

}  // namespace colltree::rank
