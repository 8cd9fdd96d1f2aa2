// SPDX-License-Identifier: BSD-3-Clause
// Settings that a user or a site asked the MPI library for, in their spelling: in the environment,
// where `mpirun --mca`, `-x` and `-genv` put it too, and in Open MPI's parameter files. A library
// says nothing of a name that it does not know.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/report_line.h"

namespace colltree::rank {

// The settings of this process's environment whose names `takes` takes.
std::vector<protocol::LibraryVariable> asked_in_environment(
    const std::function<bool(std::string_view name)>& takes);
// True for variables that can end a job or change how collectives run.
bool matters_to_collectives(std::string_view name);

// "coll_x = 1  # why" in each line, as "OMPI_MCA_coll_x"; the last line of a name counts.
std::vector<protocol::LibraryVariable> asked_in_file(std::string_view text, std::string_view file);

// "coll_x" of OMPI_MCA_coll_x, "MPIR_CVAR_X" of each name that MPICH reads it by; else the name.
std::string variable_of(std::string_view name);

// Why the setting is without effect, where it seems meant for collectives; else "". `known`: every
// variable of the running library that begins with coll_ or MPIR_CVAR_.
std::string unread_text(std::string_view name, std::span<const std::string> known);

// Why a variable does not take the value; "" = it does. `values`: number and name of each that it
// takes; empty: it takes any number.
std::string refused_text(std::string_view value, const std::map<int, std::string>& values);

}  // namespace colltree::rank
