// SPDX-License-Identifier: BSD-3-Clause
// Timings as a table of text (docs/reference/formats/csv.md): one row for each sample. A row
// without rep is an aggregate of its source. A CSV cannot hold failed cells, provenance, count and
// type.
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profile/profile.h"

namespace colltree::profile {

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

// The names that another table has for our columns, and the values of columns that it lacks, for
// all rows. Its time may be time_ns, time_ms or time_s.
struct CsvColumns {
  std::map<std::string, std::string> names;   // procs -> nprocs
  std::map<std::string, std::string> values;  // system -> nano
};

// Parses "procs=nprocs,time_s='avg time (s)'". Throws UsageError.
std::map<std::string, std::string> parse_column_names(std::string_view text);

// Takes a file line by line. Each function throws ParseError: "FILE:LINE: ...".
class CsvReader {
 public:
  // `columns` without names: the header must be ours.
  CsvReader(std::string file, std::function<void(const CsvRow& row)> take, CsvColumns columns = {});

  void line(std::string_view line);  // without its end
  void end();                        // after the last

 private:
  void header(std::string_view line);
  void find_columns(std::string_view line);
  std::vector<std::string> our_fields(std::string_view line) const;
  void check_one_library(const CsvRow& row);

  std::string file_;
  std::function<void(const CsvRow&)> take_;
  std::size_t number_ = 0;
  // Each system's library and the line that said it.
  std::map<std::string, std::pair<std::string, std::size_t>> libraries_;
  CsvColumns columns_;
  std::vector<std::optional<std::size_t>> places_;  // of our columns among those of the file
  std::size_t width_ = 0;                           // columns of the file
  int time_exponent_ = 0;                           // its times are in 10^this us
};

// Why the nodes do not hold the ranks; "": they do, or are not known.
std::string misplaced(const Instance& instance);

// One line as export writes it: texts quoted and made harmless as needed (csv_fields.h).
std::string csv_line(const CsvRow& row);
// The same line with unchanged texts, which identifies an import.
std::string plain_csv_line(const CsvRow& row);

// Header and rows in canonical order: equal sets of rows give equal bytes.
std::string canonical_csv(std::vector<CsvRow> rows);

// A cell of a system, and what a file says of all of them: in canonical order, since samples are
// sorted once all are there.
using SystemCell = std::tuple<std::string, Instance, Method>;
struct ReadSample {
  Sample sample;
  std::size_t line = 0;  // of the file, from 1

  auto operator<=>(const ReadSample&) const = default;
};
using ReadCells = std::map<SystemCell, std::vector<ReadSample>>;

}  // namespace colltree::profile
