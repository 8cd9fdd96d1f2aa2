// SPDX-License-Identifier: BSD-3-Clause
// The rules by which the library of some timings chooses, where this program knows them.
#pragma once

#include <memory>
#include <string>

#include "model/model.h"

namespace colltree {

// Open MPI 4.1's, with the methods named as these timings name them; none for another library
// (`mpi` as in SystemInfo: "openmpi-4.1.5") or a collective without rules.
std::shared_ptr<const Model> openmpi_library_rules(const Timings& timings, const std::string& mpi);

}  // namespace colltree
