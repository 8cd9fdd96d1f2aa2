// SPDX-License-Identifier: BSD-3-Clause
#include "profile/importers/file_facts.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "coll/library_algorithms.h"

namespace colltree {

namespace {

struct OtherName {
  std::string_view name;
  Collective collective;
};

constexpr OtherName kOtherNames[] = {
    {"all_gather", Collective::kAllgather},  {"all_reduce", Collective::kAllreduce},
    {"all-to-all", Collective::kAlltoall},   {"all_to_all", Collective::kAlltoall},
    {"all-to-allv", Collective::kAlltoallv}, {"all_to_allv", Collective::kAlltoallv},
    {"broadcast", Collective::kBcast},
};

std::string text_of(Collective collective) { return std::string(name(collective)); }
std::string text_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string text_of(const Method& method) { return method.label(); }

template <typename Fact>
void agree(std::optional<Fact>& fact, const std::optional<Fact>& given, std::string_view what) {
  if (!given) return;
  if (fact && *fact != *given) {
    throw Error(fmt::format("{} {} here, {} in the file's name or on the command line", what,
                            text_of(*fact), text_of(*given)));
  }
  fact = given;
}

}  // namespace

std::optional<Collective> find_called_collective(std::string_view name) {
  std::string called = lower(name);
  for (const std::string_view prefix : {"mpi_", "osu_"}) {
    if (called.starts_with(prefix)) called.erase(0, prefix.size());
  }
  for (const OtherName& other : kOtherNames) {
    if (other.name == called) return other.collective;
  }
  return find_collective(called);
}

std::optional<Method> find_openmpi_method(Collective collective, int number) {
  if (number == 0) return library_default();
  const LibraryAlgorithm* found = find_algorithm(Library::kOpenmpi, collective, number);
  if (found == nullptr) return std::nullopt;
  return Method{.algorithm = std::string(found->algorithm)};
}

FileFacts agreed(const FileFacts& file, const FileFacts& given) {
  FileFacts facts = file;
  agree(facts.collective, given.collective, "collective");
  agree(facts.communicator_size, given.communicator_size, "communicator size");
  agree(facts.nodes, given.nodes, "nodes");
  agree(facts.ranks_per_node, given.ranks_per_node, "ranks per node");
  agree(facts.method, given.method, "method");
  if (given.openmpi_number) facts.openmpi_number = given.openmpi_number;
  if (!given.system.empty()) facts.system = given.system;
  if (!given.mpi.empty()) facts.mpi = given.mpi;
  return facts;
}

}  // namespace colltree
