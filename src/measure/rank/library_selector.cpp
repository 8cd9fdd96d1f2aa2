// SPDX-License-Identifier: BSD-3-Clause
#include "measure/rank/library_selector.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "coll/algorithm_words.h"
#include "coll/mpich_nonblocking.h"
#include "measure/rank/witness.h"

namespace colltree {

namespace {

// What holds of the cell's call. Of a hierarchy MPICH itself says whether there is one.
std::uint32_t facts_of(const PlanCell& cell, const CellShape& shape) {
  const std::uint64_t ranks = cell.communicator_size;
  const auto count = static_cast<std::uint64_t>(shape.count);
  std::uint32_t facts =
      kCommutative | kBuiltInOperation | kNotInPlace | kHierarchy | size_facts(ranks, count);
  if (count % ranks == 0) facts |= kRegularBlocks;
  return facts;
}

// Why the algorithm is not itself here, for what the table knows; "" = it is.
std::string unmet_need(std::uint32_t needs, const PlanCell& cell, const CellShape& shape) {
  // MPICH 4.0.2's scan smp: forced on a single node it crashes, not always at once.
  if ((needs & kConsecutiveNodes) != 0) return "not safe to force";
  const std::uint32_t unmet = needs & ~facts_of(cell, shape);
  return unmet == 0 ? "" : "needs " + words_of(need_words(), unmet);
}

std::string unmet_need(const NonblockingAlgorithm& one, const PlanCell& cell,
                       const CellShape& shape) {
  const std::uint64_t radix = split_method_name(cell.method.algorithm).radix;
  if (radix != 0 && radix < least_radix(one)) return "needs a radix of 2";
  return unmet_need(one.algorithm.needs, cell, shape);
}

// MPICH: "none" lets no device collective take the call over; "error" refuses an algorithm that
// does not apply here, where the default silently runs another one. Numbers as 4.0.2 reads the
// words.
const Settings kMpichForces = {{"MPIR_CVAR_DEVICE_COLLECTIVES", 1},
                               {"MPIR_CVAR_COLLECTIVE_FALLBACK", 0}};

Settings openmpi_parameters(const std::string& variable, const LibraryAlgorithm& algorithm,
                            const PlanCell& cell) {
  Settings settings;
  const MethodWords words = split_method_name(cell.method.algorithm);
  const auto add = [&](const char* parameter, std::uint64_t value) {
    settings.emplace_back(variable + parameter, static_cast<int>(value));
  };
  if ((algorithm.parameters & kSegmentSize) != 0)
    add("_segmentsize", cell.method.segment_size.value_or(0));
  if (words.fanout != 0) add("_chain_fanout", words.fanout);
  if (words.radix != 0) add("_knomial_radix", words.radix);
  if (words.requests != 0) add("_max_requests", words.requests);
  return settings;
}

Settings mpich_parameters(const PlanCell& cell) {
  Settings settings = kMpichForces;
  const MethodWords words = split_method_name(cell.method.algorithm);
  if (words.requests != 0)
    settings.emplace_back("MPIR_CVAR_ALLTOALL_THROTTLE", static_cast<int>(words.requests));
  return settings;
}

// "nb", the algorithm of the nonblocking collective that it then runs, and its parameters.
Settings nonblocking_settings(const NonblockingAlgorithm& one, const PlanCell& cell) {
  const MethodWords words = split_method_name(cell.method.algorithm);
  const std::string collective = upper(name(cell.collective));
  Settings settings = kMpichForces;
  settings.emplace_back(algorithm_variable(Library::kMpich, cell.collective),
                        find_algorithm(Library::kMpich, cell.collective, "nb")->id);
  settings.emplace_back(fmt::format("MPIR_CVAR_I{}_INTRA_ALGORITHM", collective), one.algorithm.id);
  const auto add = [&](std::string_view variables, std::uint64_t value) {
    for (const std::string_view variable : split(variables, ' ')) {
      if (!variable.empty())
        settings.emplace_back(fmt::format("MPIR_CVAR_{}", variable), static_cast<int>(value));
    }
  };
  add(one.segment, cell.method.segment_size.value_or(0));
  if (words.radix != 0) add(one.radix, words.radix);
  if (words.requests != 0) add(one.requests, words.requests);
  return settings;
}

}  // namespace

std::string algorithm_variable(Library library, Collective collective) {
  if (library == Library::kOpenmpi) return fmt::format("coll_tuned_{}_algorithm", name(collective));
  return fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", upper(name(collective)));
}

LibrarySelector::LibrarySelector(Library library)
    : library_(library),
      switch_(library == Library::kOpenmpi ? MethodSwitch::Reach::kNewCommunicator
                                           : MethodSwitch::Reach::kNextCall) {}

std::string LibrarySelector::select(const PlanCell& cell, const CellShape& shape, MPI_Comm comm) {
  selected_ = nullptr;
  if (cell.method.algorithm == kDefaultAlgorithm) return switch_.select({}, comm);
  const NonblockingAlgorithm* nonblocking =
      library_ == Library::kMpich ? find_nonblocking(cell.collective, cell.method.algorithm)
                                  : nullptr;
  if (nonblocking != nullptr) {
    const std::string unmet = unmet_need(*nonblocking, cell, shape);
    return unmet.empty() ? switch_.select(nonblocking_settings(*nonblocking, cell), comm) : unmet;
  }
  const LibraryAlgorithm* algorithm =
      find_algorithm(library_, cell.collective, cell.method.algorithm);
  if (algorithm == nullptr) return "no such algorithm in the table of this library";
  if (std::string unmet = unmet_need(algorithm->needs, cell, shape); !unmet.empty()) return unmet;
  const std::optional<int> id = number(*algorithm);
  if (!id) return "the installed library has no such algorithm";
  const std::string variable = algorithm_variable(library_, cell.collective);
  Settings settings = library_ == Library::kMpich ? mpich_parameters(cell)
                                                  : openmpi_parameters(variable, *algorithm, cell);
  settings.insert(settings.begin(), {variable, *id});
  selected_ = algorithm;
  return switch_.select(settings, comm);
}

// As the library itself says, else as the table does.
std::optional<int> LibrarySelector::number(const LibraryAlgorithm& algorithm) const {
  const auto names =
      switch_.variables().value_names(algorithm_variable(library_, algorithm.collective));
  if (names.empty()) return algorithm.id;
  for (const auto& [value, text] : names) {
    if (text == algorithm.library_name) return value;
  }
  return std::nullopt;
}

void LibrarySelector::begin() {
  reset_witness();
  switch_.begin();
}

std::string LibrarySelector::other_than_selected() const {
  if (selected_ == nullptr || !has_witness()) return "";
  const std::vector<int> ids = witnessed_ids(selected_->collective);
  if (ids == std::vector<int>{selected_->id}) return "";
  for (const int id : ids) {
    const LibraryAlgorithm* other = find_algorithm(library_, selected_->collective, id);
    if (id != selected_->id && other != nullptr)
      return fmt::format("the library runs {} here", other->algorithm);
  }
  return "the library does not run its coll/tuned algorithm here";
}

}  // namespace colltree
