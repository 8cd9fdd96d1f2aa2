// SPDX-License-Identifier: BSD-3-Clause
// The facts about a file of results that were given: in the file itself, by its name (NamePattern)
// or on the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "coll/method.h"

namespace colltree::profile {

struct FileFacts {
  std::optional<Collective> collective;
  std::optional<std::uint64_t> communicator_size;
  std::optional<std::uint64_t> nodes;
  std::optional<std::uint64_t> ranks_per_node;
  std::optional<Method> method;
  std::optional<int> openmpi_number;  // the method, as Open MPI counts the collective's algorithms
  std::string system;                 // "" = not said
  std::string mpi;                    // library and version; "" = not said
};

// The collective by a name that some benchmark gives it, in any case: "bcast", "Broadcast",
// "all_reduce", "MPI_Allgather", "reduce_scatter_block", "osu_alltoall".
std::optional<Collective> find_called_collective(std::string_view name);

// Open MPI's algorithm with this number in coll_tuned_COLLECTIVE_algorithm; 0 = the default.
// Nothing when there is none.
std::optional<Method> find_openmpi_method(Collective collective, int number);

// The union of the two. Throws Error for a fact that both state differently: "collective bcast
// here, reduce in the name or on the command line". The system and the mpi of `given` take
// precedence.
FileFacts agreed(const FileFacts& file, const FileFacts& given);

// Reads facts from the names of files, by a pattern: "osu_{collective}_{method}_{ranks}.txt".

// A pattern is text that stands for itself; '*', which stands for any text or none; and fields:
//   {collective}       bcast, Broadcast, all_reduce, ...
//   {method}           the algorithm's name; "default" is the library's own choice
//   {openmpi_number}   instead: Open MPI's number of the algorithm, 0 = its default
//   {segment}          segment size, 1K, 8192; 0 = not segmented
//   {ranks} {nodes} {ppn}   communicator size, nodes, ranks per node
//   {system}           the system's name
// It is compared with the end of the path: as many folders as it has. A field and '*' hold no '/'.
// If several readings fit, each piece takes as much as it can, from left to right. ".gz" at the end
// of a name may be omitted.
class NamePattern {
 public:
  explicit NamePattern(const std::string& text);  // throws UsageError

  // Throws Error when the path does not fit.
  FileFacts read(const std::string& path) const;
  // Nothing when the path does not fit.
  std::optional<FileFacts> find(const std::string& path) const;

 private:
  class Match;
  struct Field {
    std::string_view name;
    // Stores the text's meaning. True if it can be the field's.
    bool (*take)(std::string_view text, FileFacts& facts);
  };
  struct Piece {
    std::string literal;           // when it is neither of these two
    const Field* field = nullptr;  // of kFields
    bool is_any = false;           // '*'
  };
  static const std::vector<Field>& fields();
  void add_field(std::string_view name);

  std::string text_;
  std::vector<Piece> pieces_;
};

}  // namespace colltree::profile
