// SPDX-License-Identifier: BSD-3-Clause
// Timings as a table of text (docs/formats/csv.md): one row a sample. A row without rep is an
// aggregate of its source. What a CSV cannot hold: failed cells, provenance, count and type.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profile/cell.h"

namespace colltree {

inline constexpr std::string_view kCsvHeader =
    "system,mpi,collective,procs,nodes,ppn,msg_bytes,algorithm,segment_bytes,rep,time_us";

// The order of the members is the canonical order of rows.
struct CsvRow {
  std::string system;
  Instance instance;  // its message size is msg_bytes as the file says it
  Method method;
  Sample sample;
  std::string mpi;
  std::size_t line = 0;  // where it was read, from 1; 0 = nowhere

  auto operator<=>(const CsvRow&) const = default;
};

// All rows of the text, or ParseError: "FILE:LINE: ...". Accepts \r\n line ends and a byte order
// mark; fields are plain, never quoted.
std::vector<CsvRow> parse_csv(std::string_view text, std::string_view file);

// Header and rows in canonical order: equal sets of rows give equal bytes.
std::string canonical_csv(std::vector<CsvRow> rows);

}  // namespace colltree
