// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/told_algorithms.h"

#include <fmt/format.h>

#include <vector>

#include "base/text.h"
#include "coll/mpich_nonblocking.h"

namespace colltree {

namespace {

void add(const std::map<int, std::string>& values, std::string_view prefix,
         std::map<std::string, int>& told) {
  for (const auto& [number, name] : values) told.emplace(fmt::format("{}{}", prefix, name), number);
}

}  // namespace

std::string algorithm_variable(Library library, Collective collective) {
  if (library == Library::kOpenmpi) return fmt::format("coll_tuned_{}_algorithm", name(collective));
  return fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper(name(collective)));
}

std::string nonblocking_variable(Collective collective) {
  return fmt::format("MPIR_CVAR_I{}_INTRA_ALGORITHM", upper(name(collective)));
}

std::map<std::string, int> told_algorithms(const ControlVariables& variables, Library library,
                                           Collective collective) {
  std::vector<std::string_view> names;
  for (const LibraryAlgorithm& one : algorithms_of(library)) {
    if (one.collective == collective) names.push_back(one.algorithm);
  }
  std::map<std::string, int> told;
  add(variables.value_names(algorithm_variable(library, collective), names), "", told);
  if (library != Library::kMpich) return told;
  names.clear();
  for (const NonblockingAlgorithm& one : mpich_nonblocking()) {
    if (one.algorithm.collective == collective) names.push_back(variable_name(one));
  }
  add(variables.value_names(nonblocking_variable(collective), names), "nb_", told);
  return told;
}

}  // namespace colltree
