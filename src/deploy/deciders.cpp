// SPDX-License-Identifier: BSD-3-Clause
#include "deploy/deciders.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "coll/library_algorithms.h"

namespace colltree {

namespace {

bool is_han(const Timings& timings, const Method& method) {
  const LibraryAlgorithm* one =
      find_algorithm(Library::kOpenmpi, timings.collective, method.algorithm);
  return one != nullptr && is_of_han(*one);
}

// HAN's methods have times where HAN is asked; elsewhere they cannot run.
bool is_by_han(const Timings& timings, std::size_t instance) {
  for (std::size_t column = 0; column < timings.methods.size(); ++column) {
    if (is_han(timings, timings.methods[column]) && !timings.at(instance, column).is_impossible())
      return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> who_decides(const std::vector<Timings>& timings) {
  std::vector<std::string> lines;
  for (const Timings& one : timings) {
    std::set<std::uint64_t> han;
    std::set<std::uint64_t> tuned;
    for (std::size_t i = 0; i < one.instances.size(); ++i)
      (is_by_han(one, i) ? han : tuned).insert(one.instances[i].communicator_size);
    for (const std::uint64_t ranks : han) tuned.erase(ranks);
    if (han.empty()) continue;
    std::string line =
        fmt::format("{}: coll/han on {} ranks", name(one.collective), fmt::join(han, ", "));
    if (!tuned.empty()) line += fmt::format(", coll/tuned on {}", fmt::join(tuned, ", "));
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace colltree
