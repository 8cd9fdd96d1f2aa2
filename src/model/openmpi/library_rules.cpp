// SPDX-License-Identifier: BSD-3-Clause
#include "model/openmpi/library_rules.h"

#include "model/kinds/rules.h"
#include "model/openmpi/fixed_rules.h"

namespace colltree {

std::shared_ptr<const Model> openmpi_library_rules(const Timings& timings, const std::string& mpi) {
  if (!mpi.starts_with("openmpi-4.1") || !has_openmpi_fixed_rules(timings.collective)) {
    return nullptr;
  }
  return std::make_shared<Model>(
      rules_model({timings.system, timings.provenance, {timings.collective}, 0},
                  with_names_of(openmpi_fixed_rules(timings.collective), timings.methods)));
}

}  // namespace colltree
