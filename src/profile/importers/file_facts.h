// SPDX-License-Identifier: BSD-3-Clause
// What one file of results is about, as far as somebody says it: the file itself, its name
// (NamePattern) or the command line.
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

// The collective that a benchmark calls so, in any case: "bcast", "Broadcast", "all_reduce",
// "MPI_Allgather", "reduce_scatter_block", "osu_alltoall".
std::optional<Collective> find_called_collective(std::string_view name);

// Open MPI's algorithm with this number in coll_tuned_COLLECTIVE_algorithm; 0 = the default.
// Nothing when there is none.
std::optional<Method> find_openmpi_method(Collective collective, int number);

// Of these two, what either says. Throws Error where both do and differ: "collective bcast here,
// reduce in the name or on the command line". The second's system and mpi go before the first's.
FileFacts agreed(const FileFacts& file, const FileFacts& given);

// What the names of files say of what is in them: "osu_{collective}_{method}_{ranks}.txt".

// Text that stands for itself; '*', which stands for any text, also none; and fields in braces:
//   {collective}       bcast, Broadcast, all_reduce, ...
//   {method}           the algorithm's name; "default" is the library's own choice
//   {openmpi_number}   instead: Open MPI's number of the algorithm, 0 = its default
//   {segment}          segment size, 1K, 8192; 0 = not segmented
//   {ranks} {nodes} {ppn}   communicator size, nodes, ranks per node
//   {system}           the system's name
// It is compared with the end of the path: as many folders as it has. A field and '*' hold no '/'.
// Where several readings fit, each takes as much as it can, from left to right. ".gz" at the end
// of a name need not be said.
class NamePattern {
 public:
  explicit NamePattern(const std::string& text);  // throws UsageError

  // Throws Error when the path does not fit.
  FileFacts read(const std::string& path) const;
  // Nothing instead.
  std::optional<FileFacts> find(const std::string& path) const;

 private:
  class Match;
  struct Field {
    std::string_view name;
    // Whether the text can be the field's; stores it when `facts` is not null.
    bool (*take)(std::string_view text, FileFacts* facts);
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
