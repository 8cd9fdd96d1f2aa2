// SPDX-License-Identifier: BSD-3-Clause
// What the names of files say of what is in them: "osu_{collective}_{method}_{ranks}.txt".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "profile/importers/file_facts.h"

namespace colltree {

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

}  // namespace colltree
